package workspace

import (
	"fmt"
	"strings"
	"sync"

	"github.com/memoryd/memoryd/pkg/indexfile"
	"github.com/memoryd/memoryd/pkg/internal/jsonedit"
)

// ownedBy are memories as an index is to list them; line is lineNow, or what knows better.
func ownedBy(ms []*Memory, line func(*Memory) (indexfile.Line, error)) indexfile.Owned {
	return indexfile.Owned{
		Len: len(ms), ID: func(i int) string { return ms[i].ID }, Line: func(i int) (indexfile.Line, error) { return line(ms[i]) },
	}
}

// ownedLines are memories of which no more is known than their lines.
func ownedLines(ls []indexfile.Line) indexfile.Owned {
	return indexfile.Owned{
		Len: len(ls), ID: func(i int) string { return ls[i].ID }, Line: func(i int) (indexfile.Line, error) { return ls[i], nil },
	}
}

// lineNow is lineOf. The bytes may have to be read first: a record that has changed or gone
// meanwhile, or can't be read, is an error, as its line would say nothing.
func lineNow(m *Memory) (indexfile.Line, error) {
	if m.Raw() == nil {
		return indexfile.Line{}, fmt.Errorf("%w %s: it has changed or gone meanwhile, or the disk fails: try again", errReading, m.Ref)
	}
	return lineOf(m), nil
}

// lineOf is what an index tells of a memory whose bytes are there. It shares nothing with it
// but the name of its file.
func lineOf(m *Memory) (line indexfile.Line) {
	b := m.read()
	b.outlined(func(members []jsonedit.Member) {
		summary, stated := b.summary(members)
		raw := append(make([]byte, 0, 320+len(summary)), `{"id":`...)
		raw = append(raw, jsonedit.Quote(m.ID)...)
		add := func(key string, value []byte) {
			raw = append(append(append(append(raw, `,"`...), key...), `":`...), value...)
		}
		copied := func(keys ...string) {
			for i, v := range firsts(b.raw, members, keys...) {
				if v != nil && v[0] != 'n' {
					add(keys[i], v)
				}
			}
		}
		copied("type", "subtype")
		add("tags", jsonedit.Strings(m.Tags))
		add("summary", jsonedit.Quote(summary))
		copied("priority", "created_at", "updated_at")
		line = indexfile.Line{ID: strings.Clone(m.ID), File: m.File, Pointer: m.Pointer(), Fields: viewString(append(raw, '}')), Stated: stated}
	})
	return line
}

// lines remembers the lines of records in collections, by their digests: when one of a
// collection changes, all of them are looked at. It is safe for concurrent use.
type lines struct {
	mu  sync.Mutex
	all map[Checksum]indexfile.Line
}

// maxLines is how many lines are remembered.
const maxLines = 8192

// of is lineOf.
func (l *lines) of(m *Memory) (indexfile.Line, error) {
	if m.Whole() {
		return lineOf(m), nil
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	known, ok := l.all[m.checksum]
	if !ok {
		if known = lineOf(m); l.all == nil || len(l.all) == maxLines {
			l.all = map[Checksum]indexfile.Line{}
		}
		l.all[m.checksum] = known
	}
	known.File, known.Pointer = m.File, m.Pointer()
	return known, nil
}
