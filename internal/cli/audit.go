package cli

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/memoryd/memoryd/internal/fail"
	"github.com/memoryd/memoryd/internal/term"
	"github.com/memoryd/memoryd/pkg/audit"
	"github.com/memoryd/memoryd/pkg/config"
	"github.com/memoryd/memoryd/pkg/secrets"
)

func auditCommand() *command {
	return &command{
		args:    "PATH…",
		purpose: "report on notes outside a workspace: duplicates, dead links, secrets and the like",
		detail: `PATH is a file or a directory of JSON, JSON Lines, Markdown or text, such as the
memory folder of an agent. In a directory, files with the usual extensions of
these formats are read. Nothing is imported, and nothing is written. Reported
are, each with its file and line:

  secrets; duplicates, contradictions; notes that nobody has touched for long
  dead links: [text](file), [[note]], ids of records that are not there
  orphans: lines of MEMORY.md that name no file, files that none of them names
  lines of MEMORY.md that repeat
  invisible characters: of zero width, of direction, tags
  files that are larger than their host reads

The exit code is 3 if there is anything to report.`,
		example: "memory audit ~/.claude/projects/shop/memory",
		least:   1, most: -1, run: runAudit,
	}
}

// auditSize bounds a file that is read, and auditFiles how many.
const (
	auditSize  = 32 << 20
	auditFiles = 100_000
)

func runAudit(c *call) error {
	var files []audit.File
	for _, path := range c.args {
		more, err := c.auditFiles(path)
		if err != nil {
			return err
		}
		files = append(files, more...)
	}
	if len(files) == 0 {
		return fail.Errorf(fail.ExitNotFound, "no file of JSON, JSON lines, Markdown or text there")
	}
	r := audit.Audit(files, config.Default(), secrets.Default(), c.at, func(name string) bool {
		_, err := os.Stat(c.path(filepath.FromSlash(name)))
		return err == nil
	})
	if c.json {
		if err := c.printJSON(r); err != nil {
			return err
		}
	} else {
		c.printAudit(&r)
	}
	if !r.Clean() {
		return fail.Outcome(fail.ExitProblems)
	}
	return nil
}

// auditFiles reads what lies at a path, links not followed.
func (c *call) auditFiles(name string) (files []audit.File, err error) {
	err = c.readFiles(name, nil, func(file string) bool {
		ending := strings.ToLower(filepath.Ext(file))
		return file == c.path(name) || ending == ".txt" || ending == ".xml" || slices.Contains(noteFiles, ending)
	}, func(file string, text []byte, info fs.FileInfo) {
		files = append(files, audit.File{Name: filepath.ToSlash(c.brief(file)), Text: text, Modified: info.ModTime()})
	})
	return files, err
}

// noteFiles are the endings of file names that say what format a file has.
var noteFiles = []string{".json", ".jsonl", ".ndjson", ".md", ".markdown", ".mdc"}

// readFiles reads the files at a path that are wanted; links are not followed, nor are hidden directories, nor those that leave, if it is
// not nil, is true for.
func (c *call) readFiles(name string, leave, want func(file string) bool, add func(file string, text []byte, info fs.FileInfo)) error {
	root, n := c.path(name), 0
	err := filepath.WalkDir(root, func(file string, d fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case d.IsDir() && file != root && (strings.HasPrefix(d.Name(), ".") || leave != nil && leave(file)):
			return filepath.SkipDir
		case d.Type() == fs.ModeSymlink && want(file):
			c.note("%s is a link: not followed, and left out", c.brief(file))
			return c.ctx.Err()
		case !d.Type().IsRegular() || !want(file):
			return c.ctx.Err()
		}
		info, err := d.Info()
		if err != nil {
			return err
		}
		if info.Size() > auditSize {
			c.note("%s is larger than %d MB and left out", c.brief(file), auditSize>>20)
			return nil
		}
		if n++; n > auditFiles {
			return fmt.Errorf("more than %d files: name a part of them", auditFiles)
		}
		text, err := os.ReadFile(file)
		add(file, text, info)
		return err
	})
	if errors.Is(err, fs.ErrNotExist) {
		return fail.Errorf(fail.ExitNotFound, "%s: no such file or directory", name)
	}
	if err != nil {
		return fmt.Errorf("read %s: %w", name, err)
	}
	return nil
}

func (c *call) printAudit(r *audit.Report) {
	head := func(what string, n int) bool {
		if n > 0 {
			c.printf("%s\n", c.style.Bold(fmt.Sprintf("%s (%d)", what, n)))
		}
		return n > 0
	}
	if head("Secrets", len(r.Secrets)) {
		for _, s := range r.Secrets {
			c.printf("  %s  %s\n", term.Printable(s.Place), term.Printable(s.String()))
		}
	}
	for _, list := range []struct {
		what  string
		pairs []audit.Pair
	}{{"Contradictions", r.Contradictions}, {"Duplicates", r.Duplicates}} {
		if head(list.what, len(list.pairs)) {
			for _, p := range list.pairs {
				c.printf("  %s  %.2f like %s\n", term.Printable(p.Place), p.ContentSimilarity, term.Printable(p.Earlier))
				for _, d := range p.Differences {
					c.printf("    differs  %s\n", term.Printable(d))
				}
			}
		}
	}
	if head("Stale", len(r.Stale)) {
		for _, s := range r.Stale {
			c.printf("  %s  %s ago\n", term.Printable(s.Place), quantity(s.Days, "day"))
		}
	}
	if head("Too large", len(r.Sizes)) {
		for _, s := range r.Sizes {
			c.printf("  %s  %s, %s: %s\n", term.Printable(s.File), quantity(s.Lines, "line"), quantity(s.Bytes, "byte"), s.Limit)
		}
	}
	c.printLinks(r, head)
	if head("Unreadable", len(r.Unread)) {
		for _, u := range r.Unread {
			c.printf("  %s\n", term.Printable(u))
		}
	}
	c.say("%s in %s\n", quantity(r.Notes, "note"), quantity(r.Files, "file"))
}

// printLinks prints the findings about links, the index and invisible characters.
func (c *call) printLinks(r *audit.Report, head func(what string, n int) bool) {
	for _, list := range []struct {
		what  string
		links []audit.Link
	}{{"Dead links", r.DeadLinks}, {"Orphans", r.Orphans}} {
		if head(list.what, len(list.links)) {
			for _, l := range list.links {
				c.printf("  %s  %s\n", term.Printable(l.Place), term.Printable(strings.TrimPrefix(l.Target+": "+l.What, ": ")))
			}
		}
	}
	if head("Repeated lines", len(r.Repeats)) {
		for _, x := range r.Repeats {
			c.printf("  %s  %s as %s\n", term.Printable(x.Place), x.What, term.Printable(x.Earlier))
		}
	}
	if head("Invisible characters", len(r.Invisible)) {
		for _, x := range r.Invisible {
			c.printf("  %s  %s\n", term.Printable(x.Place), term.Printable(x.What))
		}
	}
}
