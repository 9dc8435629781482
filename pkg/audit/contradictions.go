package audit

import (
	"fmt"
	"slices"
	"strings"

	"github.com/memoryd/memoryd/pkg/similarity"
)

// passage is a sentence or an item of a list.
type passage struct {
	file *file
	line int
	text string
	read *similarity.Features
}

// Bounds of what is compared: a shorter passage is a label, a longer one says several things.
const (
	fewestWords = 6
	mostWords   = 60
	alike       = 0.8
)

// contradictions finds passages of two files that differ in one number, version or negation alone. Files are compared that an agent reads
// together: instructions of one directory, and notes with each other and with instructions.
func contradictions(files []*file) (found []Finding) {
	index := similarity.NewIndex(-1, alike)
	var all []passage
	pairs := map[[2]string][]Finding{}
	var order [][2]string
	files = slices.Clone(files)
	slices.SortStableFunc(files, func(a, b *file) int { return int(a.kind) - int(b.kind) }) // a finding is at the note
	for _, f := range files {
		if f.kind != instructions && f.kind != aNote {
			continue
		}
		var own []passage
		for _, p := range passages(f) {
			record := similarity.Record{Text: p.read}
			for near := range index.Near(record) {
				var n int
				if _, err := fmt.Sscanf(near.Key, "%d", &n); err != nil {
					continue
				}
				other := all[n]
				if f.kind == instructions && other.file.kind == instructions && f.dir != other.file.dir {
					continue
				}
				if a, b, ok := opposed(other, p); ok {
					key := [2]string{other.file.name, f.name}
					if pairs[key] == nil {
						order = append(order, key)
					}
					pairs[key] = append(pairs[key], Finding{Rule: Contradiction, Severity: Warning, Path: f.name, Line: p.line + 1, Text: a + " / " + b,
						Message: fmt.Sprintf("says %q, and %s:%d says %q", b, other.file.name, other.line+1, a)})
				}
				break
			}
			own = append(own, p)
		}
		for _, p := range own {
			index.Add(fmt.Sprint(len(all)), similarity.Record{Text: p.read})
			all = append(all, p)
		}
	}
	for _, key := range order {
		if len(pairs[key]) <= 2 { // more are two lists in one form, about different things
			found = append(found, pairs[key]...)
		}
	}
	return found
}

// opposed reports whether two passages differ in one value alone, and in which.
func opposed(a, b passage) (was, is string, ok bool) {
	all := similarity.Judge(a.read, b.read, alike).Differences
	if len(all) != 1 {
		return "", "", false
	}
	d := all[0]
	if !slices.Contains([]string{"number", "unit", "version", "negation"}, d.Kind) || d.Kind != "negation" && (d.A == "" || d.B == "") {
		return "", "", false
	}
	was, is = d.A, d.B
	if was == "" || is == "" {
		was, is = a.text, b.text
	}
	return was, is, true
}

// passages are those of a file that may be compared.
func passages(f *file) (all []passage) {
	for i, l := range f.lines {
		text := strings.TrimSpace(l.text)
		if l.front || l.fenced || l.comment || text == "" || strings.HasPrefix(text, "#") || strings.HasPrefix(text, "|") || strings.Contains(text, "](") {
			continue
		}
		text = strings.TrimLeft(text, "-*+> 0123456789.)")
		if n := len(strings.Fields(text)); n < fewestWords || n > mostWords {
			continue
		}
		all = append(all, passage{f, i, text, similarity.Prepare(text)})
	}
	return all
}
