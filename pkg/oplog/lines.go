package oplog

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"github.com/tidwall/gjson"

	"github.com/memoryd/memoryd/pkg/internal/jsonedit"
)

// Lines is the end of a log that has not been moved into its document yet: one line for each entry, so that
// adding one costs what the entry has, not what the log has. The first line says which entry of the document it
// follows, and the chain of hashes goes on through the lines. [Fold] moves them into the document.
type Lines struct {
	// Torn reports that the last line is a part of one: its writer was interrupted.
	Torn bool
	// Bad are the numbers of lines, from 1, that are not entries.
	Bad []int

	whole   int  // bytes up to the end of the last whole line
	open    bool // the last line lacks its end, and nothing else
	before  follows
	headed  bool
	entries []gjson.Result
}

// ParseLines reads lines; an empty text has none. It doesn't check the chain.
func ParseLines(doc []byte) *Lines {
	l := &Lines{}
	number := 0
	for line := range bytes.Lines(doc) {
		number++
		text := bytes.TrimSpace(line)
		if line[len(line)-1] != '\n' {
			if jsonedit.Check(text) != nil {
				l.Torn = true
				break
			}
			l.open = true
		}
		l.whole += len(line)
		if len(text) == 0 {
			continue
		}
		if jsonedit.Check(text) != nil {
			l.Bad = append(l.Bad, number)
			continue
		}
		v := gjson.ParseBytes(text)
		switch f := v.Get("follows"); {
		case v.Get("run_id").Type == gjson.String:
			l.entries = append(l.entries, v)
		case f.IsObject() && !l.headed && len(l.entries) == 0:
			l.headed = true
			l.before = follows{Entries: int(f.Get("entries").Int()), Hash: f.Get("hash").Str}
		default:
			l.Bad = append(l.Bad, number)
		}
	}
	return l
}

// Whole is doc without a torn line.
func (l *Lines) Whole(doc []byte) []byte { return doc[:l.whole:l.whole] }

// Len is how many entries there are.
func (l *Lines) Len() int { return len(l.entries) }

// Empty reports whether there is nothing to move or to check.
func (l *Lines) Empty() bool { return len(l.entries)+len(l.Bad) == 0 }

// Tail is where the log ends with these lines.
func (l *Lines) Tail() Tail {
	t := Tail{Count: l.before.Entries + len(l.entries), Hash: lastLink(l.entries, l.before.Hash), Empty: len(l.entries) == 0}
	if !t.Empty {
		t.Last = timestampOf(l.entries[len(l.entries)-1])
	}
	return t
}

// Follows is how many entries had been written before the first line, and the link of the last of them.
func (l *Lines) Follows() (entries int, hash string) { return l.before.Entries, l.before.Hash }

// Entries decodes them, as [Document.Log] does.
func (l *Lines) Entries() []Entry {
	all := make([]Entry, len(l.entries))
	for i, raw := range l.entries {
		all[i].decode(raw, true)
	}
	return all
}

// Find returns the entry of a run.
func (l *Lines) Find(runID string) (*Entry, bool) {
	for _, raw := range l.entries {
		if raw.Get("run_id").Str == runID {
			e := &Entry{}
			e.decode(raw, true)
			return e, true
		}
	}
	return nil, false
}

// Line is what to add to the lines for an entry, whose PrevHash and Hash it fills as [Append] does; of a log
// without lines it is two, with what they follow. after is where the log ends.
func (l *Lines) Line(e *Entry, after Tail) ([]byte, error) {
	if e.RunID == "" || e.Timestamp.IsZero() {
		return nil, errors.New("the entry has no run id or no time")
	}
	var out []byte
	if l.open {
		out = []byte("\n")
	}
	if l.headed || len(l.entries) > 0 {
		after = l.Tail()
	} else {
		head, err := json.Marshal(map[string]any{"follows": map[string]any{"entries": after.Count, "hash": after.Hash}})
		if err != nil {
			return nil, err
		}
		out = append(append(out, head...), '\n')
	}
	sealed := *e
	sealed.Timestamp = sealed.Timestamp.UTC().Truncate(time.Second)
	if sealed.Actions == nil {
		sealed.Actions = []Action{}
	}
	sealed.PrevHash = after.Hash
	raw, err := seal(&sealed)
	if err != nil {
		return nil, fmt.Errorf("log run %s: %w", e.RunID, err)
	}
	*e = sealed
	return append(append(out, raw...), '\n'), nil
}

// Fold moves lines into the document of the log, behind its last entry: those that it doesn't have. They stay as
// they are where they follow that entry. Else, as after a change of the branch of version control, they are sealed
// again. Errors are [ErrBroken].
func Fold(doc []byte, l *Lines) ([]byte, error) {
	if len(l.entries) == 0 {
		return doc, nil
	}
	d, err := Parse(doc)
	if err != nil {
		return nil, err
	}
	have := map[string]bool{}
	for _, entry := range d.entries {
		have[entry.Get("run_id").Str] = true
	}
	link := d.lastLink()
	var add jsonedit.ArrayEdit
	for _, raw := range l.entries {
		s := stampOf(raw)
		if have[s.runID] {
			continue
		}
		text := []byte(raw.Raw)
		if s.prev != link {
			var e Entry
			e.decode(raw, true)
			e.PrevHash = link
			if text, err = seal(&e); err != nil {
				return nil, err
			}
			s = stampOf(gjson.ParseBytes(text))
		}
		link = s.link(link)
		add.Insert = append(add.Insert, jsonedit.Insertion{Before: len(d.entries), Raw: text})
	}
	if len(add.Insert) == 0 {
		return doc, nil
	}
	members, _ := jsonedit.MembersOf(d.raw)
	edit := members.Edit()
	span := func(i int) (start, end int) { return d.entries[i].Index, d.entries[i].Index + len(d.entries[i].Raw) }
	if err := edit.EditArray(d.list, len(d.entries), span, add); err != nil {
		return nil, err
	}
	out, _, err := edit.Bytes()
	return out, err
}

// Verify checks each line against the hash that it carries and against the line before it. file is the name of the
// lines, for what is said.
func (l *Lines) Verify(file string) (problems []Problem) {
	for _, number := range l.Bad {
		problems = append(problems, Problem{Index: -1, Message: fmt.Sprintf("%s: line %d is not an entry of the log", file, number)})
	}
	link := l.before.Hash
	for i, entry := range l.entries {
		s := stampOf(entry)
		report := func(message string) {
			problems = append(problems, Problem{Index: -1, RunID: s.runID, Message: file + ": " + name(i, s.runID) + ": " + message})
		}
		switch {
		case s.hashes != 1:
			report("it carries no hash, or several, so it can't be seen whether it is as memoryd wrote it")
		case s.hash != s.computed():
			report("it was changed after it was written")
		}
		if s.prev != link {
			report("it was not written after the line that precedes it now: lines were moved, inserted or removed")
		}
		link = s.link(link)
	}
	return problems
}

// Hashes are the links of the entries, by their numbers in the whole log.
func (l *Lines) Hashes(into map[int]string) {
	link := l.before.Hash
	for i, entry := range l.entries {
		link = stampOf(entry).link(link)
		into[l.before.Entries+i+1] = link
	}
}
