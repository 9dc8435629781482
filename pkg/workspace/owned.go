package workspace

import (
	"fmt"
	"strings"

	"github.com/memoryd/memoryd/pkg/indexfile"
	"github.com/memoryd/memoryd/pkg/internal/jsonedit"
)

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
