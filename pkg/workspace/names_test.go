package workspace

import (
	"github.com/memoryd/memoryd/pkg/workspace/internal/journal"
	"github.com/memoryd/memoryd/pkg/workspace/internal/tx"
	"github.com/memoryd/memoryd/pkg/workspace/ops"
)

// What the tests look for on the disk, and how long it is kept.
const (
	AccessFile = ops.AccessFile

	journalFile  = journal.File
	journalTemp  = tx.JournalTemp
	doneFile     = journal.DoneFile
	deferredFile = journal.DeferredFile
	slotsDir     = tx.SlotsDir
	displacedDir = tx.DisplacedDir

	keepFor       = tx.KeepRecords
	keepPatched   = tx.KeepDisplaced
	keepVersions  = tx.KeepVersions
	collectAtMost = tx.MaxCollected
	logLimit      = tx.LogLimit
	savesLimit    = tx.SavesLimit
)

var runNames = journal.Runs
