package cli

import (
	"errors"
	"fmt"
	"strings"
	"time"

	urfave "github.com/urfave/cli/v2"

	"github.com/memoryd/memoryd/internal/document"
	"github.com/memoryd/memoryd/internal/fail"
	"github.com/memoryd/memoryd/internal/hook"
	"github.com/memoryd/memoryd/internal/op/find"
	"github.com/memoryd/memoryd/internal/term"
	"github.com/memoryd/memoryd/pkg/memory"
	"github.com/memoryd/memoryd/pkg/workspace"
	"github.com/memoryd/memoryd/pkg/workspace/ops"
)

func showCommand() *command {
	return &command{
		args:    "ID… [--original | --at-run RUN]",
		purpose: "print memories, also archived ones",
		detail: `This counts as a read, once a day for each memory. Memories that are read are not
archived as stale. With --json the record is printed as in its file, byte for
byte; several records are the list "records" of one document.`,
		example: "memory show mem_k3x9q0a7b2cd",
		flags: []urfave.Flag{
			&urfave.BoolFlag{Name: "original", Usage: "print the record before its last summary, or before a save gave it another text"},
			&urfave.BoolFlag{Name: "no-count", Usage: "don't count this as a read"},
			&urfave.StringFlag{Name: "at-run", Usage: "print it as the run `RUN` left it"},
		},
		least: 1, most: -1, needs: needsSnapshot, text: true, run: runShow, words: allIDs,
	}
}

func runShow(c *call) error {
	var (
		all []find.Shown
		err error
	)
	run := c.flags.String("at-run")
	switch {
	case run != "" && c.flags.Bool("original"):
		return fail.Usagef("--original and --at-run: give one of them")
	case run != "":
		all, err = atRun(c.store, c.snap, c.args, run)
	case c.flags.Bool("original"):
		all, err = find.Originals(c.store, c.snap, c.args)
	default:
		if all, err = find.Records(c.snap, c.args); err == nil && !c.flags.Bool("no-count") {
			noteRead(c, c.store, c.args)
		}
	}
	if err != nil {
		return err
	}
	if c.json {
		return printRecords(&c.printer, all)
	}
	for i, s := range all {
		if i > 0 {
			c.printf("\n")
		}
		printMemory(c, c.snap, s)
	}
	return nil
}

// noteRead notes that memories were read. That it can't, on a read-only disk say, is no
// reason not to show them.
func noteRead(c *call, store *workspace.FileStore, ids []string) {
	if err := store.Ops().NoteRead(ops.Use{At: c.at, Session: hook.NamedSession(c.env), From: c.cmd.name}, ids...); err != nil && c.verbose {
		c.note("%v", err)
	}
}

// atRun finds the records as a run left them.
func atRun(store *workspace.FileStore, snap *memory.Snapshot, ids []string, run string) (all []find.Shown, err error) {
	log, err := store.Log().Read()
	if err != nil {
		return nil, err
	}
	entry, err := findRun(log, run)
	if err != nil {
		return nil, err
	}
	for _, id := range ids {
		m, err := store.RecordAt(id, entry.RunID)
		if errors.Is(err, workspace.ErrNoRun) {
			return nil, fail.WithHint(&fail.Error{Err: err, Code: fail.ExitNotFound}, "the records of the last runs are kept: see history.keep in \"memory config\"")
		}
		if err != nil {
			return nil, err
		}
		if m == nil { // no run has changed it
			if m, err = find.One(snap, id); err != nil {
				return nil, err
			}
		}
		all = append(all, find.Shown{Memory: m, Version: "as " + entry.RunID + " left it"})
	}
	return all, nil
}

// printRecords prints the bytes of the records; several as one document.
func printRecords(p *printer, all []find.Shown) error {
	if len(all) > 1 {
		var doc document.Records
		for _, s := range all {
			doc.Records = append(doc.Records, s.Memory.Raw())
		}
		return p.printJSON(doc)
	}
	raw := all[0].Memory.Raw()
	_, err := p.out.Write(append(raw[:len(raw):len(raw)], '\n'))
	return err
}

// printMemory prints a record for people: what is known of it, then its content.
func printMemory(c *call, snap *memory.Snapshot, s find.Shown) {
	m := s.Memory
	c.printf("%s\n", c.style.Bold(term.Printable(m.ID)))
	t := c.facts()
	t.Fact("original", s.About)
	t.Fact("version", s.Version)
	t.Fact("place", m.Ref.String())
	t.Fact("type", kind(m))
	t.Fact("scope", m.Scope.String())
	t.Fact("tags", strings.Join(m.Tags, ", "))
	t.Fact("priority", m.Priority)
	t.Fact("written", writtenBy(&c.printer, m))
	t.Fact("origin", originText(&c.printer, m))
	t.Fact("read", readings(&c.printer, m.AccessCount, m.LastAccessed))
	if given := snap.LastGiven(m); given.N > 0 {
		t.Fact("given", readings(&c.printer, given.N, given.At))
	}
	if s.About == "" && s.Version == "" {
		t.Fact("tier", scoreText(c.score(m)))
	}
	t.Fact("ttl", m.TTL)
	if m.ReviewOn != "" {
		t.Fact("look again", "on "+m.ReviewOn)
	}
	t.Fact("found by", strings.Join(memory.Aliases(m), ", "))
	if m.Archived {
		t.Fact("archived", archivedText(&c.printer, snap, m))
	}
	for _, link := range []struct {
		name string
		ids  []string
	}{
		{"supersedes", m.Supersedes}, {"replaced by", m.SupersededBy},
		{"promoted to", m.PromotedTo}, {"made from", m.PromotedFrom}, {"references", document.References(m)},
	} {
		t.Fact(link.name, strings.Join(link.ids, ", "))
	}
	t.Fact("locked", m.Locked)
	c.printf("%s", t.Format("  ", c.style))
	if text := document.ContentText(m.Content()); text != "" {
		c.printf("\n%s", document.Indent(term.Printable(text), "  "))
	}
	if also := alsoText(&c.printer, m); also != "" {
		c.printf("\n%s", document.Indent(term.Printable(also), "  "))
	}
}

// alsoText lists the other wordings of a memory, each with the day on which it was written; "" for none.
func alsoText(p *printer, m *memory.Memory) (lines string) {
	for _, v := range memory.Variants(m) {
		lines += "also: " + strings.ReplaceAll(strings.TrimSpace(v.Line()), "\n", "\n      ")
		if !v.Written.IsZero() {
			lines += ", " + p.day(v.Written)
		}
		lines += "\n"
	}
	return lines
}

func kind(m *memory.Memory) string {
	if m.Subtype != "" {
		return m.Type + " / " + m.Subtype
	}
	return m.Type
}

func writtenBy(p *printer, m *memory.Memory) string {
	text := p.when(m.CreatedAt)
	if m.CreatedBy != "" {
		text += " by " + m.CreatedBy
	}
	if !m.UpdatedAt.IsZero() && !m.UpdatedAt.Equal(m.CreatedAt) {
		text += ", updated " + p.when(m.UpdatedAt)
	}
	return text
}

// originText says who said a memory and when it came from elsewhere; "" for one that tells neither.
func originText(p *printer, m *memory.Memory) string {
	switch {
	case m.Arrived.IsZero():
		return m.Origin
	case m.Origin == "":
		return "arrived " + p.when(m.Arrived)
	}
	return m.Origin + ", arrived " + p.when(m.Arrived)
}

// readings says how often a memory was read, or given, and when last.
func readings(p *printer, n int64, last time.Time) string {
	switch {
	case n == 0 && last.IsZero():
		return "never"
	case last.IsZero():
		return quantity(int(n), "time")
	}
	return quantity(int(n), "time") + ", last " + p.when(last)
}

func archivedText(p *printer, snap *memory.Snapshot, m *memory.Memory) string {
	origin, ok := memory.OriginOf(m, snap.Indexes)
	if !ok {
		return "where it came from isn't known"
	}
	return fmt.Sprintf("%s, %s, from %s", p.when(origin.ArchivedAt), origin.Reason, origin.Ref)
}

// references lists what a memory refers to: ids, or the ids in objects.
