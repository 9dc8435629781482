package workspace

import (
	"bytes"
	"encoding/json"
	"maps"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/memoryd/memoryd/pkg/internal/durable"
	"github.com/memoryd/memoryd/pkg/internal/jsonedit"
)

// ops/seen.json maps the id of every memory to what the last run looking at it left:
// the beginning of its digest and its fingerprint. From it the rules tell which
// memories were edited since. It may be deleted: then nothing counts as edited until
// the next run.

type seenFile struct {
	Version string            `json:"version"`
	Seen    map[string]string `json:"seen"`
}

func loadSeen(root durable.FS) *sightings {
	doc, _, err := root.Read(SeenFile, jsonedit.MaxSize)
	if err != nil {
		return &sightings{}
	}
	if lines, ok := seenLines(doc); ok {
		return &sightings{lines: lines}
	}
	return &sightings{others: parseSeen(doc)}
}

// sightings are what the file says, to be looked up: few of many are.
type sightings struct {
	lines  []seenLine
	others map[string]string // of a file that is not as renderSeen writes it
}

func (s *sightings) len() int { return len(s.lines) + len(s.others) }

// of is what was noted of an id.
func (s *sightings) of(id string) (print string, ok bool) {
	i, ok := slices.BinarySearchFunc(s.lines, id, func(l seenLine, id string) int { return strings.Compare(l.id, id) })
	if ok {
		return s.lines[i].print, true
	}
	print, ok = s.others[id]
	return print, ok
}

// parseSeen reads the file; one that is broken says nothing.
func parseSeen(doc []byte) map[string]string {
	if lines, ok := seenLines(doc); ok {
		seen := make(map[string]string, len(lines))
		for _, l := range lines {
			seen[l.id] = l.print
		}
		return seen
	}
	var f seenFile
	if json.Unmarshal(doc, &f) != nil || f.Seen == nil {
		return map[string]string{}
	}
	return f.Seen
}

const (
	seenHead = `{"version":"1.0.0","seen":{`
	seenTail = "\n}}\n"
)

// renderSeen writes one id per line, sorted, so that the file diffs well.
func renderSeen(seen map[string]string) []byte {
	var b bytes.Buffer
	b.WriteString(seenHead)
	for i, id := range slices.Sorted(maps.Keys(seen)) {
		if i > 0 {
			b.WriteByte(',')
		}
		b.Write(seenText(id, seen[id]))
	}
	b.WriteString(seenTail)
	return b.Bytes()
}

func seenText(id, print string) []byte {
	return slices.Concat([]byte{'\n'}, jsonedit.Quote(id), []byte{':'}, jsonedit.Quote(print))
}

// seenLine is a line of the file; both parts alias it.
type seenLine struct {
	id, print  string
	start, end int // with the line feed before it, without the comma behind it
}

// seenLines takes the file apart; not ok unless it is as renderSeen writes it, without
// escapes.
func seenLines(doc []byte) (lines []seenLine, ok bool) {
	if !bytes.HasPrefix(doc, []byte(seenHead)) || !bytes.HasSuffix(doc, []byte(seenTail)) || !utf8.Valid(doc) || bytes.IndexByte(doc, '\\') >= 0 {
		return nil, false
	}
	text := viewString(doc)
	last := len(text) - len(seenTail)
	lines = make([]seenLine, 0, bytes.Count(doc, []byte{'\n'}))
	quoted := func(at int) (s string, behind int) { // "" behind what is no plain text
		if at >= last || text[at] != '"' {
			return "", -1
		}
		n := strings.IndexByte(text[at+1:last], '"')
		if n < 0 {
			return "", -1
		}
		s = text[at+1:][:n]
		for i := range len(s) {
			if s[i] < ' ' {
				return "", -1
			}
		}
		return s, at + n + 2
	}
	for at := len(seenHead); at < last; {
		l := seenLine{start: at}
		if len(lines) > 0 {
			if text[at] != ',' {
				return nil, false
			}
			l.start++
		}
		if l.start >= last || text[l.start] != '\n' {
			return nil, false
		}
		behind := 0
		if l.id, behind = quoted(l.start + 1); behind < 0 || behind >= last || text[behind] != ':' {
			return nil, false
		}
		if l.print, l.end = quoted(behind + 1); l.end < 0 || len(lines) > 0 && lines[len(lines)-1].id >= l.id {
			return nil, false
		}
		lines, at = append(lines, l), l.end
	}
	return lines, true
}

// patchSeen changes what is noted of some ids, "" takes the line away, and tells what of
// the file stays; not ok for a file that is not as renderSeen writes it.
func patchSeen(doc []byte, now map[string]string) (out []byte, kept []jsonedit.Kept, ok bool) {
	lines, ok := seenLines(doc)
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
	keep(0, len(seenHead))
	add := func(id string) {
		if now[id] != "" {
			if len(out) > len(seenHead) {
				out = append(out, ',')
			}
			out = append(out, seenText(id, now[id])...)
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
		case len(out) == len(seenHead):
			keep(l.start, l.end)
		case l.start == len(seenHead): // it had no comma before it
			out = append(out, ',')
			keep(l.start, l.end)
		default:
			keep(l.start-1, l.end)
		}
	}
	for _, id := range ids {
		add(id)
	}
	keep(len(doc)-len(seenTail), len(doc))
	return out, kept, true
}

// sighting is what is noted of a memory that a run has seen: with the same digest,
// the fingerprint needn't be made again to be known for the same.
func sighting(m *Memory, before string) string {
	if noted(m, before) {
		return before
	}
	return string(m.Digest()[:16]) + "." + m.Fingerprint()
}

// noted reports whether before was noted of the very bytes.
func noted(m *Memory, before string) bool {
	digest, _, ok := strings.Cut(before, ".")
	return ok && digest == string(m.Digest()[:16])
}

// editedSince reports whether a memory's text or tags differ from what was noted, which
// may be a fingerprint alone: so earlier versions noted it.
func editedSince(m *Memory, noted string) bool {
	digest, print, ok := strings.Cut(noted, ".")
	if !ok {
		digest, print = "", noted
	}
	return (digest == "" || digest != string(m.Digest()[:16])) && print != m.Fingerprint()
}
