package memory

import (
	"bytes"
	"strings"

	"github.com/tidwall/gjson"

	"github.com/memoryd/memoryd/pkg/internal/jsonedit"
	"github.com/memoryd/memoryd/pkg/review"
)

// ConflictsKey is the member of a record that notes what two machines changed each in its own way; see [MergeConflict].
const ConflictsKey = "merge_conflicts"

// MergeConflict is a value of a record that two sides changed before they were merged. The values are JSON.
type MergeConflict struct {
	Path  string // a JSON Pointer into the record; "": all of it
	Base  string // before both; "" where there was none
	Kept  string // what is in the record, unless that was edited since; "" for all of it
	Other string // what the other side had; "": it had removed the value
}

// MergeConflicts are those that the record notes, in its order. What somebody else wrote there is passed over.
func (m *Memory) MergeConflicts() (all []MergeConflict) {
	if !m.Conflicted {
		return nil
	}
	elements, _ := jsonedit.Elements(m.Raw(), ConflictsKey)
	for _, e := range elements {
		if c, ok := mergeConflict(e); ok {
			all = append(all, c)
		}
	}
	return all
}

func mergeConflict(e gjson.Result) (c MergeConflict, ok bool) {
	if !e.IsObject() {
		return c, false
	}
	e.ForEach(func(key, v gjson.Result) bool {
		switch key.Str {
		case "path":
			c.Path, ok = jsonedit.Text(v), v.Type == gjson.String
		case "base":
			c.Base = v.Raw
		case "kept":
			c.Kept = v.Raw
		case "other":
			c.Other = v.Raw
		}
		return true
	})
	return c, ok
}

// holdsSomething reports whether a list, or an object, has anything in it.
func holdsSomething(v []byte) bool {
	return (v[0] == '[' || v[0] == '{') && len(bytes.TrimSpace(v[1:len(v)-1])) > 0
}

// ReasonBothEdited is why two memories, or what two machines made of one, wait for a decision: both were edited.
const ReasonBothEdited = "both_edited"

// otherSide ends the name under which a pair for review has what the other side of a merge made of a memory.
const otherSide = "@other"

// OtherSide is the record as it would be with what the other side had in all conflicts; nil where there is no such record, since that
// side had removed the memory. It is never in a file.
func (m *Memory) OtherSide() *Memory {
	edits := []jsonedit.Edit{jsonedit.Delete(ConflictsKey)}
	for _, c := range m.MergeConflicts() {
		path, ok := splitPointer(c.Path)
		switch {
		case !ok:
		case c.Path == "":
			return nil
		case c.Other == "":
			edits = append(edits, jsonedit.Delete(path...))
		default:
			edits = append(edits, jsonedit.Set([]byte(c.Other), path...))
		}
	}
	raw := m.Raw()
	for _, e := range edits { // one by one: a place that was edited since may be no more
		if next, err := jsonedit.Apply(raw, e); err == nil {
			raw = next
		}
	}
	return ParseRecord(raw, m.Ref)
}

// splitPointer takes a JSON Pointer apart.
func splitPointer(pointer string) (path []string, ok bool) {
	if pointer == "" {
		return nil, true
	}
	if pointer[0] != '/' {
		return nil, false
	}
	path = strings.Split(pointer[1:], "/")
	for i, key := range path {
		path[i] = strings.NewReplacer("~1", "/", "~0", "~").Replace(key)
	}
	return path, true
}

// conflictPair is a memory that notes conflicts, and what the other side had, as a pair for review: the memory by its id as the newer
// one, or by its place where others have the id, and the other side by a name made of that.
func (s *Snapshot) conflictPair(m *Memory) review.Pair {
	other := m.shownOther()
	pair := NewPair(other, m, ReasonBothEdited, m.ConflictDifferences(), 0, 0)
	if len(s.Find(m.ID)) > 1 {
		pair.B = m.Ref.String()
	}
	pair.A = pair.B + otherSide
	return pair
}

// IsMergeConflict reports whether a pair is of a memory and what the other side of a merge had of it.
func IsMergeConflict(p review.Pair) bool { return p.Reason == ReasonBothEdited && p.A == p.B+otherSide }

// ConflictDifferences lists the conflicts, the value in the record first.
func (m *Memory) ConflictDifferences() (all []string) {
	for _, c := range m.MergeConflicts() {
		if c.Path == "" {
			all = append(all, "the other side had removed the memory")
			continue
		}
		all = append(all, strings.ReplaceAll(strings.TrimPrefix(c.Path, "/"), "/", ".")+": "+shortValue(c.Kept)+" / "+shortValue(c.Other))
	}
	return all
}

// shownOther is OtherSide, or a memory without text for one that was removed.
func (m *Memory) shownOther() *Memory {
	if other := m.OtherSide(); other != nil {
		return other
	}
	gone, err := jsonedit.Apply(m.Raw(), jsonedit.Set([]byte(`""`), "content"), jsonedit.Delete(ConflictsKey))
	if err != nil { // it has repeated keys
		return m
	}
	return ParseRecord(gone, m.Ref)
}
