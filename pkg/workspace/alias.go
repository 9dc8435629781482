package workspace

import (
	"strings"

	"github.com/memoryd/memoryd/pkg/memory"
)

// The nouns are those of package memory.
type (
	Memory      = memory.Memory
	Common      = memory.Common
	Links       = memory.Links
	Ref         = memory.Ref
	Scope       = memory.Scope
	Digest      = memory.Digest
	Checksum    = memory.Checksum
	Plan        = memory.Plan
	Action      = memory.Action
	Op          = memory.Op
	OpKind      = memory.OpKind
	Original    = memory.Original
	Skip        = memory.Skip
	Draft       = memory.Draft
	Problem     = memory.Problem
	Index       = memory.Index
	Session     = memory.Session
	Snapshot    = memory.Snapshot
	ReviewQueue = memory.ReviewQueue
	Origin      = memory.Origin
)

// Constants of package memory.
const (
	Factual    = memory.Factual
	Procedural = memory.Procedural
	Episodic   = memory.Episodic
	Semantic   = memory.Semantic
	Working    = memory.Working

	ConfigFile  = memory.ConfigFile
	IndexFile   = memory.IndexFile
	ProfileFile = memory.ProfileFile
	ArchiveDir  = memory.ArchiveDir
	OpsDir      = memory.OpsDir
	SchemasDir  = memory.SchemasDir
	LogFile     = memory.LogFile
	ReviewFile  = memory.ReviewFile
	SeenFile    = memory.SeenFile
	LockFile    = memory.LockFile
	OriginalDir = memory.OriginalDir

	RuleMerge     = memory.RuleMerge
	RulePromote   = memory.RulePromote
	RuleSupersede = memory.RuleSupersede
	RuleSummarise = memory.RuleSummarise
	RuleArchive   = memory.RuleArchive
	RuleWorking   = memory.RuleWorking
	RuleManual    = memory.RuleManual
	RuleAccess    = memory.RuleAccess
	RuleExpired   = memory.RuleExpired

	Put    = memory.Put
	Create = memory.Create
	Move   = memory.Move
	remove = memory.Remove

	Error   = memory.Error
	Warning = memory.Warning

	runPrefix = memory.RunPrefix
	runStamp  = memory.RunStamp
	onTheWay  = memory.OnTheWay
)

// Functions of package memory.
var (
	Global       = memory.Global
	ParseScope   = memory.ParseScope
	ParseRecords = memory.ParseRecords
	NewSnapshot  = memory.NewSnapshot
	DigestOf     = memory.DigestOf
	FileName     = memory.FileName
	New          = memory.New
	Replace      = memory.Replace
	Retag        = memory.Retag
	SetField     = memory.SetField
	Command      = memory.Command
	NewID        = memory.NewID
	NewPair      = memory.NewPair

	parseMemory   = memory.ParseRecord
	readRecords   = memory.ParseRecords
	parseRef      = memory.ParseRef
	pointer       = memory.Pointer
	replaceRecord = memory.ReplaceRecord
	scopeDir      = memory.ScopeDir
	lineOf        = memory.Line
	nearest       = memory.Nearest
	newIndex      = memory.NewIndex
	fold          = memory.FoldName
)

// dirOf is the directory of a file with the slash behind it, "" for the workspace itself.
func dirOf(file string) string { return file[:strings.LastIndexByte(file, '/')+1] }
