package rules

import (
	"encoding/binary"
	"unicode/utf8"

	"github.com/tidwall/gjson"

	"github.com/memoryd/memoryd/pkg/internal/jsonedit"
	"github.com/memoryd/memoryd/pkg/supersession"
	"github.com/memoryd/memoryd/pkg/workspace"
)

// DeriveVersion changes when Derive gives something else for the same bytes, or
// other bytes for the same thing.
const DeriveVersion = 3

// What stands in the second byte of Derive.
const (
	derivedBlank = 1 << iota
	derivedStatement
	derivedDetails
	derivedPlain // its title is no name that others cite it by
)

// Derive appends what the rules ask of a memory's text without comparing it with
// others, so that it need not be read for that again: whether it says anything; of a
// procedural memory a hash of its statement; of an episodic one the length of its
// details; whether others may cite it by its title. It takes well under a microsecond but
// for procedural memories, and 2 to 12 bytes.
func Derive(to []byte, m *workspace.Memory) []byte {
	what := byte(0)
	if m.Blank() {
		what |= derivedBlank
	}
	if supersession.Plain(title(m)) {
		what |= derivedPlain
	}
	switch m.Type {
	case workspace.Procedural:
		to = append(to, DeriveVersion, what|derivedStatement)
		return binary.LittleEndian.AppendUint64(to, statementHashOf(m))
	case workspace.Episodic:
		to = append(to, DeriveVersion, what|derivedDetails)
		return binary.AppendUvarint(to, uint64(lengthOfDetails(m)))
	}
	return append(to, DeriveVersion, what)
}

// derived returns what Derive gave for a memory of flag, if it is there.
func derived(m *workspace.Memory, flag byte) (rest []byte, set, ok bool) {
	d := m.Derived()
	if len(d) < 2 || d[0] != DeriveVersion {
		return nil, false, false
	}
	return d[2:], d[1]&flag != 0, true
}

// says reports whether a memory says anything: else there is nothing to compare.
func says(m *workspace.Memory) bool {
	if _, blank, ok := derived(m, derivedBlank); ok {
		return !blank
	}
	return !m.Blank()
}

// plainTitle reports whether it is known that a memory's title is no name.
func plainTitle(m *workspace.Memory) bool {
	_, set, _ := derived(m, derivedPlain)
	return set
}

// statementHash is a hash of what a procedural memory says, whatever its case and
// spaces: different ones are different.
func statementHash(m *workspace.Memory) uint64 {
	if rest, set, ok := derived(m, derivedStatement); ok && set && len(rest) == 8 {
		return binary.LittleEndian.Uint64(rest)
	}
	return statementHashOf(m)
}

// detailed is how many characters the details of an episodic memory have.
func detailed(m *workspace.Memory) int {
	if rest, set, ok := derived(m, derivedDetails); ok && set {
		if n, size := binary.Uvarint(rest); size > 0 {
			return int(n)
		}
	}
	return lengthOfDetails(m)
}

func lengthOfDetails(m *workspace.Memory) (n int) {
	if v := m.FieldRaw("details"); len(v) > 0 && v[0] == '"' {
		jsonedit.Pieces(v, func(piece string) { n += characters(piece) })
		return n
	}
	return characters(details(m))
}

// characters is [utf8.RuneCountInString], eight at a time where there is only ASCII.
func characters(text string) (n int) {
	for len(text) > 0 {
		if len(text) >= 8 && eight(text)&(top*each8) == 0 {
			text, n = text[8:], n+8
			continue
		}
		_, size := utf8.DecodeRuneInString(text)
		text, n = text[size:], n+1
	}
	return n
}

// details is the text of content.details that counts.
func details(m *workspace.Memory) string {
	switch d := m.Field("details"); {
	case d.Type == gjson.String:
		return d.Str
	case d.IsObject() || d.IsArray():
		return string(jsonedit.Compact([]byte(d.Raw)))
	}
	return ""
}
