package web

import (
	"html/template"
	"strings"

	"github.com/memoryd/memoryd/internal/document"
	"github.com/memoryd/memoryd/pkg/memory"
	"github.com/memoryd/memoryd/pkg/text"
)

// change is what an action does to one record.
type change struct {
	ID    string
	Kind  string // put, create, move, remove
	From  string // place; "" for a new record
	To    string
	Words []piece // of the text, where that changes
	Diff  string  // of the record, by lines
}

// piece is consecutive words with one fate.
type piece struct {
	Fate string // same, gone, new
	Text string
}

// room is what a page still has room for: an answer has 300 KB, and a page 1,500 elements.
type room struct {
	bytes  int // as they are written, with quotes and brackets escaped
	pieces int
}

// newRoom is the room of a page for texts of memories, beside all else.
func newRoom() *room { return &room{bytes: 200_000, pieces: 800} }

// text is as much of a text as there is room for, as [shown] gives it.
func (r *room) text(text string) string { return r.cut(shown(text)) }

func (r *room) cut(text string) string {
	const cut = " … (cut: the record has the rest)"
	if n := len(template.HTMLEscapeString(text)); n <= r.bytes {
		r.bytes -= n
		return text
	}
	// At worst each byte is escaped to five.
	text = strings.ToValidUTF8(text[:min(len(text), r.bytes/5)], "") + cut
	r.bytes = max(0, r.bytes-len(template.HTMLEscapeString(text)))
	return text
}

// words are as many of the pieces of a comparison as there is room for.
func (r *room) words(all []piece) (some []piece) {
	for _, p := range all {
		if r.pieces == 0 || r.bytes == 0 {
			return append(some, piece{"same", "… (cut: the records have the rest)"})
		}
		r.pieces--
		some = append(some, piece{p.Fate, r.cut(p.Text)})
	}
	return some
}

// changesOf tells what an action of a plan does to each record.
func changesOf(snap *memory.Snapshot, a *memory.Action, left *room) (all []change) {
	for _, op := range a.Ops {
		c := change{ID: op.ID, Kind: string(op.Kind), From: op.Ref.String(), To: op.To.String()}
		var after *memory.Memory
		before := recordAt(snap, op)
		if op.Raw != nil {
			after = memory.ParseRecord(op.Raw, op.Ref)
		}
		switch op.Kind {
		case memory.Create:
			c.From = ""
		case memory.Put:
			c.To = c.From
		}
		var was, is []byte
		if before != nil {
			was = before.Raw()
		}
		if after != nil {
			is = after.Raw()
		} else if op.Kind == memory.Move {
			is = was
		}
		if before != nil && after != nil {
			c.Words = left.words(differingWords(before.Text(), after.Text()))
		}
		c.Diff = left.text(document.RecordDiff(was, is))
		all = append(all, c)
	}
	return all
}

// recordAt is the record that an operation finds at its place; nil for a new one.
func recordAt(snap *memory.Snapshot, op memory.Op) *memory.Memory {
	for _, m := range snap.Find(op.ID) {
		if m.Ref.String() == op.Ref.String() {
			return m
		}
	}
	if op.Kind == memory.Create {
		return nil
	}
	return snap.CopyAt(op.Ref.String())
}

// differingWords compares two texts by words; nil where they are the same.
func differingWords(before, after string) (all []piece) {
	if before == after {
		return nil
	}
	fates := map[text.Change]string{text.Same: "same", text.Deleted: "gone", text.Inserted: "new"}
	for _, run := range text.Diff(shown(before), shown(after)) {
		all = append(all, piece{fates[run.Change], strings.ReplaceAll(strings.Join(run.Words, " "), "\n ", "\n")})
	}
	return all
}

// sides gives the two texts of a comparison, each with the words that only it has.
func sides(all []piece) (before, after []piece) {
	for _, p := range all {
		if p.Fate != "new" {
			before = append(before, p)
		}
		if p.Fate != "gone" {
			after = append(after, p)
		}
	}
	return before, after
}
