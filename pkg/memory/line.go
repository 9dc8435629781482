package memory

import (
	"strings"

	"github.com/memoryd/memoryd/pkg/indexfile"
	"github.com/memoryd/memoryd/pkg/internal/jsonedit"
)

// Line is what an index says of a memory. It is empty where the record can't be read.
func Line(m *Memory) (line indexfile.Line) {
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
		line = indexfile.Line{ID: strings.Clone(m.ID), File: m.File, Pointer: m.Pointer(), Fields: string(append(raw, '}')), Stated: stated}
	})
	return line
}
