package web

import (
	"strings"

	"github.com/memoryd/memoryd/cmd/memory/internal/app"
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

// changesOf tells what an action of a plan does to each record.
func changesOf(snap *memory.Snapshot, a *memory.Action) (all []change) {
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
		c.Diff = shown(app.RecordDiff(was, is))
		if before != nil && after != nil {
			c.Words = differingWords(before.Text(), after.Text())
		}
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
	return snap.Live(op.Ref.String()) // a conflict copy
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
