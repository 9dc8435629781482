// Package auditing reports on notes outside a workspace. It changes nothing.
package auditing

import (
	"context"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/memoryd/memoryd/internal/fail"
	"github.com/memoryd/memoryd/internal/notefiles"
	"github.com/memoryd/memoryd/internal/paths"
	"github.com/memoryd/memoryd/pkg/audit"
	"github.com/memoryd/memoryd/pkg/config"
	"github.com/memoryd/memoryd/pkg/secrets"
)

// Options say which notes are read.
type Options struct {
	Paths []string  // files and directories
	Dir   paths.Dir // where relative paths begin
	At    time.Time // now
	Note  func(text string)
}

// Run reads the notes and reports on them.
func Run(ctx context.Context, o Options) (*audit.Report, error) {
	var files []audit.File
	for _, name := range o.Paths {
		root := o.Dir.Resolve(name)
		err := notefiles.Read(ctx, name, notefiles.Options{Dir: o.Dir, Note: o.Note, Want: func(file string) bool {
			ending := strings.ToLower(filepath.Ext(file))
			return file == root || ending == ".txt" || ending == ".xml" || slices.Contains(notefiles.Endings, ending)
		}}, func(file string, text []byte, info fs.FileInfo) {
			files = append(files, audit.File{Name: filepath.ToSlash(o.Dir.Short(file)), Text: text, Modified: info.ModTime()})
		})
		if err != nil {
			return nil, err
		}
	}
	if len(files) == 0 {
		return nil, fail.Errorf(fail.ExitNotFound, "no file of JSON, JSON lines, Markdown or text there")
	}
	report := audit.Audit(files, config.Default(), secrets.Default(), o.At, func(name string) bool {
		_, err := os.Stat(o.Dir.Resolve(filepath.FromSlash(name)))
		return err == nil
	})
	return &report, nil
}
