package memory

import (
	"slices"
	"strings"

	"github.com/memoryd/memoryd/pkg/text"
)

// Statement is what a unit of a memory says, in the form of [text.Said], and how many words it has.
type Statement struct {
	Said  string
	Words int
}

// namedBelow is from how many words on a statement says the same under any key: 8443 says nothing without one.
const namedBelow = 3

// Statements are what a memory says: its units, then all of its content as one. They are the same in other case, spacing and punctuation, under
// another key that is spelled otherwise, and under another id, scope or path.
func Statements(m *Memory) (all []Statement) {
	add := func(s Statement) {
		if s.Said != "" && !slices.Contains(all, s) {
			all = append(all, s)
		}
	}
	var whole strings.Builder
	words := 0
	for _, u := range Units(m) {
		said, n := text.Said(u.Wording())
		if u.Path == contentPath || strings.HasPrefix(u.Path, contentPath+"/") {
			whole.WriteString(said)
			words += n
		}
		name := u.Path[strings.LastIndexByte(u.Path, '/')+1:]
		if n < namedBelow && !slices.Contains(textFields, name) && name != "title" {
			key, _ := text.Said(strings.ReplaceAll(name, "_", " "))
			said = key + "=" + said
		}
		add(Statement{said, n})
	}
	add(Statement{whole.String(), words})
	return all
}

// SaysAgain reports whether a memory says nothing but what others have said: all of its statements are among theirs, or its whole content is.
func SaysAgain(statements, said []Statement) bool {
	within := func(s Statement) bool { return slices.Contains(said, s) }
	if len(statements) == 0 {
		return false
	}
	return within(statements[len(statements)-1]) || !slices.ContainsFunc(statements[:max(len(statements)-1, 1)], func(s Statement) bool { return !within(s) })
}
