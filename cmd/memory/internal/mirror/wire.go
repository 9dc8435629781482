package mirror

import (
	"io/fs"
	"path"
	"strings"

	"github.com/memoryd/memoryd/pkg/memory"
	"github.com/memoryd/memoryd/pkg/workspace"
	"github.com/memoryd/memoryd/pkg/workspace/ops"
	"github.com/memoryd/memoryd/pkg/workspace/sqldisk"
)

// Path is where a hub answers mirrors: Path + WORKSPACE.
const Path = "/sync/"

// HubMachine is the name under which a mirror finds what the hub itself writes.
const HubMachine = "hub"

// Page is what a hub answers to GET: what was written after a cursor.
type Page struct {
	Principal string     `json:"principal"`
	Epoch     string     `json:"epoch"` // of the workspace: after another one nothing that was agreed on counts
	View      string     `json:"view"`  // of what may be read: after another one a mirror asks for everything
	Revision  int64      `json:"revision"`
	Documents []Document `json:"documents"`
	Next      Cursor     `json:"next"`
	More      bool       `json:"more"`
	Time      string     `json:"time"` // by the hub's clock
}

// Cursor is a place in what was written.
type Cursor struct {
	Revision int64  `json:"revision"`
	Path     string `json:"path"`
}

// Document is one of a workspace. Of one that is gone, or may not be read, only the SHA-256 of its path
// is told: who has it knows which one it is.
type Document struct {
	Path  string `json:"path,omitempty"`
	Bytes []byte `json:"bytes,omitempty"`
	Gone  string `json:"gone,omitempty"`
}

// Push is what a mirror sends by POST.
type Push struct {
	ID      string   `json:"id"`
	Machine string   `json:"machine"`
	Changes []Change `json:"changes"`
}

// Change is a document that was changed.
type Change struct {
	Path    string `json:"path"`
	Base    string `json:"base,omitempty"` // SHA-256 in hexadecimal; "": there was none
	Bytes   []byte `json:"bytes,omitempty"`
	Removed bool   `json:"removed,omitempty"`
}

// Pushed is the answer to a push. It comes with 200; with 409 if documents have changed, and with 403 if
// some may not be written: then nothing was.
type Pushed struct {
	Revision int64             `json:"revision,omitempty"`
	Changed  []string          `json:"changed,omitempty"`
	Refused  map[string]string `json:"refused,omitempty"` // path -> why
}

// sharedDirs are the directories below ops/ that mirrors have.
var sharedDirs = []string{memory.OriginalDir, workspace.LogArchive, workspace.RunsDir, "ops/logs", "ops/access", "ops/reviews", "ops/edges"}

// Shared reports whether mirrors have the document of that name: what a database stores, but for what a machine
// writes for itself.
func Shared(name string) bool {
	if !fs.ValidPath(name) || !sqldisk.Stored(name) {
		return false
	}
	if !strings.HasPrefix(name, memory.OpsDir+"/") {
		return name != memory.OpsDir
	}
	for _, dir := range sharedDirs {
		if strings.HasPrefix(name, dir+"/") {
			return true
		}
	}
	return false
}

// ownOf are the files of a lone machine, as a hub is one.
var ownOf = []string{memory.LogFile, memory.ReviewFile, ops.AccessFile}

// Outside is the name under which mirrors have a document of the hub, "" where they don't.
func Outside(name string) string {
	for _, lone := range ownOf {
		if name == lone {
			return ops.OwnName(lone, HubMachine)
		}
		if name == ops.OwnName(lone, HubMachine) {
			return "" // it would be taken for the hub's
		}
	}
	if !Shared(name) {
		return ""
	}
	return name
}

// ownFile reports whether a document is one that a machine alone writes.
func ownFile(name, machine string) bool {
	of, own := OwnFile(name)
	return own && of == machine
}

// OwnFile reports whether a document is one of those that each machine writes for itself, and of which machine. The log of a branch belongs
// to the machine that has written the branch.
func OwnFile(name string) (machine string, ok bool) {
	for _, lone := range ownOf {
		if path.Dir(ops.OwnName(lone, HubMachine)) == path.Dir(name) && path.Ext(name) == path.Ext(lone) {
			machine, _, _ = strings.Cut(strings.TrimSuffix(path.Base(name), path.Ext(name)), "+")
			return machine, true
		}
	}
	return "", false
}
