package cli

import (
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/tidwall/gjson"
	urfave "github.com/urfave/cli/v2"

	"github.com/memoryd/memoryd/internal/document"
	"github.com/memoryd/memoryd/internal/fail"
	"github.com/memoryd/memoryd/internal/hook"
	"github.com/memoryd/memoryd/internal/op/find"
	"github.com/memoryd/memoryd/internal/term"
	"github.com/memoryd/memoryd/pkg/memory"
	"github.com/memoryd/memoryd/pkg/oplog"
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

// shown is a record to print, and what to say above it.
type shown struct {
	memory  *memory.Memory
	about   string // where an original comes from
	version string // of which run it is the result
}

func runShow(c *call) error {
	var (
		all []shown
		err error
	)
	run := c.flags.String("at-run")
	switch {
	case run != "" && c.flags.Bool("original"):
		return fail.Usagef("--original and --at-run: give one of them")
	case run != "":
		all, err = atRun(c.store, c.snap, c.args, run)
	case c.flags.Bool("original"):
		all, err = originals(c.store, c.snap, c.args)
	default:
		if all, err = records(c.snap, c.args); err == nil && !c.flags.Bool("no-count") {
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

// records finds the memories with the ids: all of those that share one, too.
func records(snap *memory.Snapshot, ids []string) (all []shown, err error) {
	if err := find.Known(snap, ids...); err != nil {
		return nil, err
	}
	for _, id := range ids {
		for _, m := range snap.Find(id) {
			all = append(all, shown{memory: m})
		}
	}
	return all, nil
}

// atRun finds the records as a run left them.
func atRun(store *workspace.FileStore, snap *memory.Snapshot, ids []string, run string) (all []shown, err error) {
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
		all = append(all, shown{memory: m, version: "as " + entry.RunID + " left it"})
	}
	return all, nil
}

// originals reads the records that were kept before the last action that replaced
// the text of each memory.
func originals(store *workspace.FileStore, snap *memory.Snapshot, ids []string) (all []shown, err error) {
	log, err := store.Log().Read()
	if err != nil {
		return nil, err
	}
	for _, id := range ids {
		action, entry := lastReplaced(log, id)
		if action == nil {
			if len(snap.Find(id)) == 0 {
				return nil, find.Missing(snap, id)
			}
			return nil, fail.WithHint(fail.Errorf(fail.ExitNotFound, "%s: no original is kept: neither a summary nor a save replaced its text", id), "memory show "+id)
		}
		raw, err := store.Read(action.Original)
		if err != nil {
			return nil, fmt.Errorf("%s: read original: %w", id, err)
		}
		found, err := memory.ParseRecords(action.Original, raw)
		if err != nil || len(found) != 1 {
			return nil, fmt.Errorf("%s: %s holds no memory any more", id, action.Original)
		}
		replaced := " gave it another text"
		if action.Type == oplog.Summarize {
			replaced = " summarised it"
		}
		all = append(all, shown{memory: found[0], about: "as it was before " + entry.RunID + replaced})
	}
	return all, nil
}

func lastReplaced(log *oplog.Log, id string) (*oplog.Action, *oplog.Entry) {
	for i := len(log.Entries) - 1; i >= 0; i-- {
		entry := &log.Entries[i]
		for j := range entry.Actions {
			if a := &entry.Actions[j]; a.MemoryID == id && a.Original != "" {
				return a, entry
			}
		}
	}
	return nil, nil
}

// printRecords prints the bytes of the records; several as one document.
func printRecords(p *printer, all []shown) error {
	if len(all) > 1 {
		var doc document.Records
		for _, s := range all {
			doc.Records = append(doc.Records, s.memory.Raw())
		}
		return p.printJSON(doc)
	}
	raw := all[0].memory.Raw()
	_, err := p.out.Write(append(raw[:len(raw):len(raw)], '\n'))
	return err
}

// printMemory prints a record for people: what is known of it, then its content.
func printMemory(c *call, snap *memory.Snapshot, s shown) {
	m := s.memory
	c.printf("%s\n", c.style.Bold(term.Printable(m.ID)))
	t := c.facts()
	t.Fact("original", s.about)
	t.Fact("version", s.version)
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
	if s.about == "" && s.version == "" {
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
		{"promoted to", m.PromotedTo}, {"made from", m.PromotedFrom}, {"references", references(m)},
	} {
		t.Fact(link.name, strings.Join(link.ids, ", "))
	}
	t.Fact("locked", m.Locked)
	c.printf("%s", t.Format("  ", c.style))
	if text := contentText(m.Content()); text != "" {
		c.printf("\n%s", indent(term.Printable(text), "  "))
	}
	if also := alsoText(&c.printer, m); also != "" {
		c.printf("\n%s", indent(term.Printable(also), "  "))
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
func references(m *memory.Memory) (ids []string) {
	for _, r := range gjson.GetBytes(m.Raw(), "references").Array() {
		id, how := r.Str, ""
		if r.IsObject() {
			id, how = r.Get("id").String(), r.Get("relationship").String()
		}
		if how != "" {
			id += " (" + how + ")"
		}
		if id != "" {
			ids = append(ids, id)
		}
	}
	return ids
}

// contentText lays JSON out as text: members as "name: value", elements behind
// dashes, texts as they are.
func contentText(v gjson.Result) string {
	var b strings.Builder
	writeContent(&b, v, "")
	return b.String()
}

func writeContent(b *strings.Builder, v gjson.Result, margin string) {
	switch {
	case v.IsObject():
		v.ForEach(func(key, child gjson.Result) bool {
			writeMember(b, margin, key.Str+":", child)
			return true
		})
	case v.IsArray():
		v.ForEach(func(_, child gjson.Result) bool {
			writeMember(b, margin, "-", child)
			return true
		})
	case v.Exists():
		b.WriteString(margin + indent(scalar(v), margin)[len(margin):])
	}
}

// writeMember writes a name and its value: beside it if that is one line, else
// below.
func writeMember(b *strings.Builder, margin, name string, v gjson.Result) {
	nested := (v.IsObject() || v.IsArray()) && len(v.Raw) > 2
	text := scalar(v)
	switch {
	case nested && name == "-" && v.IsObject():
		var inner strings.Builder
		writeContent(&inner, v, margin+"  ")
		b.WriteString(margin + "- " + strings.TrimPrefix(inner.String(), margin+"  "))
	case nested:
		b.WriteString(margin + name + "\n")
		writeContent(b, v, margin+"  ")
	case strings.Contains(strings.TrimSuffix(text, "\n"), "\n"):
		b.WriteString(margin + name + "\n" + indent(text, margin+"  "))
	default:
		b.WriteString(margin + name + " " + text)
	}
}

// scalar is a value as text, with a line end.
func scalar(v gjson.Result) string {
	text := v.Raw
	if v.Type == gjson.String {
		text = v.Str
	}
	return strings.TrimRight(text, "\n") + "\n"
}

// indent puts margin before every line that isn't empty.
func indent(text, margin string) string {
	lines := strings.SplitAfter(text, "\n")
	for i, line := range lines {
		if strings.TrimSpace(line) != "" {
			lines[i] = margin + line
		}
	}
	return strings.Join(lines, "")
}
