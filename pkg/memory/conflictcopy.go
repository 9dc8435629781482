package memory

import (
	"fmt"
	"path"
	"slices"
	"strings"

	"github.com/tidwall/gjson"

	"github.com/memoryd/memoryd/pkg/internal/jsonedit"
	"github.com/memoryd/memoryd/pkg/review"
	"github.com/memoryd/memoryd/pkg/text"
)

// ReasonCopy is why a memory and a copy of its file with the same id wait for a decision.
const ReasonCopy = "conflict_copy"

// ConflictCopy is a record in a file that a program which keeps folders in step has put next to the file it is a copy of: two devices
// had changed that. The copy is not a memory of its own. Until somebody decides which one holds, it is set aside, and the rules
// leave the memory alone.
type ConflictCopy struct {
	*Memory         // as the copy has it; its id is that of Of
	Of      *Memory // the memory as its file has it
}

// Maker names the program that gave the file its name, as far as that tells.
func (c ConflictCopy) Maker() string { return CopyMaker(c.Memory.File) }

// Pair is the copy and what it is a copy of as a pair for review: the one by its place, the other by its id.
func (c ConflictCopy) Pair() review.Pair {
	pair := NewPair(c.Of, c.Memory, ReasonCopy, CopyDifferences(c.Of, c.Memory), 0, 0)
	pair.B = c.Ref.String()
	if c.Memory.Newest().Before(c.Of.Newest()) {
		pair.A, pair.B, pair.PrintA, pair.PrintB, pair.TextA, pair.TextB = pair.B, pair.A, pair.PrintB, pair.PrintA, pair.TextB, pair.TextA
	}
	return pair
}

// CopyOf is a conflict copy of the memory with an id; nil for none.
func (s *Snapshot) CopyOf(id string) *ConflictCopy {
	for i := range s.Copies {
		if s.Copies[i].ID == id {
			return &s.Copies[i]
		}
	}
	return nil
}

// CopyAt is the conflict copy at a place; nil for none.
func (s *Snapshot) CopyAt(place string) *Memory {
	for i := range s.Copies {
		if s.Copies[i].Ref.String() == place {
			return s.Copies[i].Memory
		}
	}
	return nil
}

// IsCopyName reports whether the name of a file is that of another one in its directory with something put to it, as programs name
// copies: x (1).json, x 2.json, x-LAPTOP.json, x.sync-conflict-20260301-090000-ABCDEFG.json. Whether it is a copy, its content tells.
func IsCopyName(file, of string) bool {
	stem, ok := strings.CutSuffix(of, ".json")
	more, begins := strings.CutPrefix(strings.TrimSuffix(file, ".json"), stem)
	return ok && begins && path.Dir(file) == path.Dir(of) && len(more) > 1 && strings.ContainsRune(" -._~([", rune(more[0]))
}

// copyMakers are the programs that are recognised by what they add to a name, which is in lower case.
var copyMakers = []struct {
	name string
	fits func(more string) bool
}{
	{"Syncthing", func(more string) bool { return strings.HasPrefix(more, ".sync-conflict-") }},
	{"Nextcloud", func(more string) bool { return strings.HasPrefix(more, " (conflicted copy ") }},
	{"Dropbox", func(more string) bool {
		return strings.HasPrefix(more, " (") && strings.Contains(more, "conflicted copy")
	}},
	{"iCloud or Finder", func(more string) bool {
		return isNumber(strings.TrimPrefix(more, " ")) || isNumber(strings.Trim(more, " ()"))
	}},
}

func isNumber(s string) bool { return s != "" && strings.Trim(s, "0123456789") == "" }

// CopyMaker names the program that has added something to the name of a file; "" where that isn't known.
func CopyMaker(file string) string {
	name, _ := copyMark(file)
	return name
}

// StandsFor is the name that a file would have which is named like a conflict copy and is none, because no file next to it has its memory.
// Maker names the program; it is "" where the file isn't named so.
func StandsFor(file string) (name, maker string) {
	maker, at := copyMark(file)
	if maker == "" || !strings.Contains(strings.ToLower(path.Base(file)[at:]), "conflict") { // "x 2.json" may be anybody's name
		return "", ""
	}
	return path.Join(path.Dir(file), path.Base(file)[:at]+".json"), maker
}

// copyMark finds what a program has added to the name of a file, and returns the program and where the addition begins.
func copyMark(file string) (maker string, at int) {
	stem := strings.TrimSuffix(path.Base(file), ".json")
	for at := range stem {
		if at == 0 || stem[at] != ' ' && stem[at] != '.' {
			continue
		}
		for _, maker := range copyMakers {
			if maker.fits(strings.ToLower(stem[at:])) {
				return maker.name, at
			}
		}
	}
	return "", 0
}

// CopyDifferences lists what differs between two records of one memory, member by member, including members of the content.
func CopyDifferences(file, other *Memory) (all []string) {
	a, b := membersOf(file), membersOf(other)
	for _, name := range slices.Concat(a.names, slices.DeleteFunc(slices.Clone(b.names), func(n string) bool { return a.values[n] != "" })) {
		if x, y := a.values[name], b.values[name]; x != y {
			all = append(all, fmt.Sprintf("%s: %s / %s", name, shortValue(x), shortValue(y)))
		}
	}
	return all
}

// DifferingIn says in what a copy differs from its file.
func DifferingIn(differences []string) string {
	const most = 3
	if len(differences) == 0 {
		return "both say the same"
	}
	text := "they differ in " + strings.Join(differences[:min(most, len(differences))], "; ")
	if more := len(differences) - most; more > 0 {
		text += fmt.Sprintf(" and %d more", more)
	}
	return text
}

// recordMembers are the members of a record, and of its content, in their order.
type recordMembers struct {
	names  []string
	values map[string]string
}

func membersOf(m *Memory) recordMembers {
	out := recordMembers{values: map[string]string{}}
	add := func(name string, v gjson.Result) {
		if out.values[name] == "" {
			out.names = append(out.names, name)
		}
		out.values[name] = string(jsonedit.Compact([]byte(v.Raw)))
	}
	parse(m.Raw()).ForEach(func(key, v gjson.Result) bool {
		if key.Str == "content" && v.IsObject() {
			v.ForEach(func(inner, v gjson.Result) bool { add("content."+inner.Str, v); return true })
		} else {
			add(key.Str, v)
		}
		return true
	})
	return out
}

// shortValue is the beginning of a value.
func shortValue(raw string) string {
	if raw == "" {
		return "nothing"
	}
	return text.Truncate(raw, 61)
}
