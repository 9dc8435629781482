package cli

import (
	"context"
	"os"
	"path/filepath"
	"time"

	"github.com/memoryd/memoryd/cmd/memory/internal/app"
	"github.com/memoryd/memoryd/pkg/memory"
	"github.com/memoryd/memoryd/pkg/workspace"
)

// codeTime is how long git may be asked about symbols.
const codeTime = time.Minute

// checkCode holds memories against the code.
func (c *call) checkCode(store *workspace.FileStore, snap *memory.Snapshot) (*app.CodeDocument, error) {
	dir := codeDir(store.Dir())
	if len(c.args) > 0 {
		dir = c.path(c.args[0])
	}
	progress := c.progress("comparing with the code")
	defer progress.end()
	ctx, cancel := context.WithTimeout(c.ctx, codeTime)
	defer cancel()
	doc, err := app.CheckCode(ctx, store, snap, dir)
	if err != nil {
		return nil, withHint(err, "name the directory of the code: memory check --code DIR")
	}
	if doc.Unasked > 0 {
		c.note("%s could not be looked for in the history of git", quantity(doc.Unasked, "symbol"))
	}
	return doc, nil
}

// codeDir is the directory of the code around a workspace: the nearest one above it that is a repository of git, else the one that it is in.
func codeDir(workspace string) string {
	for dir := filepath.Dir(workspace); ; dir = filepath.Dir(dir) {
		if _, err := os.Lstat(filepath.Join(dir, ".git")); err == nil {
			return dir
		}
		if dir == filepath.Dir(dir) {
			return filepath.Dir(workspace)
		}
	}
}
