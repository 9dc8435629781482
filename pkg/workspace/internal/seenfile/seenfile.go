package seenfile

import (
	"bytes"
	"encoding/json"
	"maps"
	"slices"
	"strings"
	"unicode/utf8"
	"unsafe"

	"github.com/memoryd/memoryd/pkg/internal/jsonedit"
)

// file is the whole document.
type file struct {
	Version string            `json:"version"`
	Seen    map[string]string `json:"seen"`
}

// Notes are what the file says, in the order of the ids. The zero value says nothing.
type Notes struct{ lines []line }

// Read reads the file; one that is broken says nothing. The notes may share memory with
// doc, which must not change.
func Read(doc []byte) *Notes {
	if lines, ok := split(doc); ok {
		return &Notes{lines: lines}
	}
	n := &Notes{}
	for id, print := range Parse(doc) { // it is not as [Format] writes it
		n.lines = append(n.lines, line{id: id, print: print})
	}
	slices.SortFunc(n.lines, func(a, b line) int { return strings.Compare(a.id, b.id) })
	return n
}

// Len is of how many ids something is noted.
func (n *Notes) Len() int { return len(n.lines) }

// ID is the one at i, and Print what was noted of it.
func (n *Notes) ID(i int) string    { return n.lines[i].id }
func (n *Notes) Print(i int) string { return n.lines[i].print }

// Of is what was noted of an id.
func (n *Notes) Of(id string) (print string, ok bool) {
	i, ok := slices.BinarySearchFunc(n.lines, id, func(l line, id string) int { return strings.Compare(l.id, id) })
	if !ok {
		return "", false
	}
	return n.lines[i].print, true
}

// Parse reads the file, by id; one that is broken says nothing. What it gives may share
// memory with doc, which must not change.
func Parse(doc []byte) map[string]string {
	if lines, ok := split(doc); ok {
		seen := make(map[string]string, len(lines))
		for _, l := range lines {
			seen[l.id] = l.print
		}
		return seen
	}
	var f file
	if json.Unmarshal(doc, &f) != nil || f.Seen == nil {
		return map[string]string{}
	}
	return f.Seen
}

const (
	head = `{"version":"1.0.0","seen":{`
	tail = "\n}}\n"
)

// Format writes one id per line, sorted, so that the file diffs well.
func Format(seen map[string]string) []byte {
	var b bytes.Buffer
	b.WriteString(head)
	for i, id := range slices.Sorted(maps.Keys(seen)) {
		if i > 0 {
			b.WriteByte(',')
		}
		b.Write(text(id, seen[id]))
	}
	b.WriteString(tail)
	return b.Bytes()
}

func text(id, print string) []byte {
	return slices.Concat([]byte{'\n'}, jsonedit.Quote(id), []byte{':'}, jsonedit.Quote(print))
}

// line is a line of the file; both parts alias it.
type line struct {
	id, print  string
	start, end int // with the line feed before it, without the comma behind it
}

// split takes the file apart; not ok unless it is as [Format] writes it, without
// escapes.
func split(doc []byte) (lines []line, ok bool) {
	if !bytes.HasPrefix(doc, []byte(head)) || !bytes.HasSuffix(doc, []byte(tail)) || !utf8.Valid(doc) || bytes.IndexByte(doc, '\\') >= 0 {
		return nil, false
	}
	all := unsafe.String(unsafe.SliceData(doc), len(doc)) // no copy: with many memories it is large
	last := len(all) - len(tail)
	lines = make([]line, 0, bytes.Count(doc, []byte{'\n'}))
	quoted := func(at int) (s string, behind int) { // "" behind what is no plain text
		if at >= last || all[at] != '"' {
			return "", -1
		}
		n := strings.IndexByte(all[at+1:last], '"')
		if n < 0 {
			return "", -1
		}
		s = all[at+1:][:n]
		for i := range len(s) {
			if s[i] < ' ' {
				return "", -1
			}
		}
		return s, at + n + 2
	}
	for at := len(head); at < last; {
		l := line{start: at}
		if len(lines) > 0 {
			if all[at] != ',' {
				return nil, false
			}
			l.start++
		}
		if l.start >= last || all[l.start] != '\n' {
			return nil, false
		}
		behind := 0
		if l.id, behind = quoted(l.start + 1); behind < 0 || behind >= last || all[behind] != ':' {
			return nil, false
		}
		if l.print, l.end = quoted(behind + 1); l.end < 0 || len(lines) > 0 && lines[len(lines)-1].id >= l.id {
			return nil, false
		}
		lines, at = append(lines, l), l.end
	}
	return lines, true
}

// Patch changes what is noted of some ids, "" takes the line away, and tells what of
// the file stays; not ok for a file that is not as [Format] writes it.
func Patch(doc []byte, now map[string]string) (out []byte, kept []jsonedit.Kept, ok bool) {
	lines, ok := split(doc)
	if !ok {
		return nil, nil, false
	}
	out = make([]byte, 0, len(doc)+64*len(now))
	keep := func(start, end int) {
		if n := len(kept) - 1; n >= 0 && kept[n].Old+kept[n].Len == start && kept[n].New+kept[n].Len == len(out) {
			kept[n].Len += end - start
		} else if start < end {
			kept = append(kept, jsonedit.Kept{Old: start, New: len(out), Len: end - start})
		}
		out = append(out, doc[start:end]...)
	}
	keep(0, len(head))
	add := func(id string) {
		if now[id] != "" {
			if len(out) > len(head) {
				out = append(out, ',')
			}
			out = append(out, text(id, now[id])...)
		}
	}
	ids := slices.Sorted(maps.Keys(now))
	for _, l := range lines {
		for ; len(ids) > 0 && ids[0] < l.id; ids = ids[1:] {
			add(ids[0])
		}
		if len(ids) > 0 && ids[0] == l.id {
			add(l.id)
			ids = ids[1:]
			continue
		}
		switch {
		case len(out) == len(head):
			keep(l.start, l.end)
		case l.start == len(head): // it had no comma before it
			out = append(out, ',')
			keep(l.start, l.end)
		default:
			keep(l.start-1, l.end)
		}
	}
	for _, id := range ids {
		add(id)
	}
	keep(len(doc)-len(tail), len(doc))
	return out, kept, true
}
