package memory

import (
	"slices"
	"strings"
	"time"

	"github.com/memoryd/memoryd/pkg/internal/jsonedit"
	"github.com/memoryd/memoryd/pkg/text"
)

// PinTag is the tag that pins a memory.
const PinTag = "pinned"

// Pinned reports whether m is to stay and to be given first: it has the tag [PinTag], "pinned": true, or the ttl "permanent".
func (m *Memory) Pinned() bool { return m.PinnedBy() != "" }

// PinnedBy says what pins m; "" for nothing.
func (m *Memory) PinnedBy() string {
	switch {
	case m.HasTag(PinTag):
		return "tagged " + PinTag
	case m.PinMark:
		return `"pinned" is true`
	case m.Permanent():
		return "its ttl is permanent"
	}
	return ""
}

// Permanent reports whether the ttl of m says that it stays.
func (m *Memory) Permanent() bool { return strings.EqualFold(strings.TrimSpace(m.TTL), "permanent") }

// Unpin is the record without what pins it. ok is false where nothing does: then it is unchanged.
func Unpin(m *Memory, now time.Time) (raw []byte, ok bool, err error) {
	if !m.Pinned() {
		return m.Raw(), false, nil
	}
	var edits []jsonedit.Edit
	if m.PinMark {
		edits = append(edits, jsonedit.Delete("pinned"))
	}
	if m.Permanent() {
		edits = append(edits, jsonedit.Set([]byte("null"), "ttl"))
	}
	tags := slices.DeleteFunc(slices.Clone(m.Tags), func(t string) bool { return !text.SameName(strings.TrimSpace(t), PinTag) })
	if raw, _, err = Retag(m, nil, tags, now); err != nil {
		return nil, false, err
	}
	raw, err = jsonedit.Apply(raw, append(edits, updated(now))...)
	return raw, true, err
}
