package secrets

import (
	"bytes"
	"cmp"
	"encoding/json"
	"slices"
	"strconv"
	"strings"

	"github.com/tidwall/gjson"
)

// FindRecord returns the secrets in a JSON value: in its strings and names of fields, each read as a text with the name
// of its field in front, and in lists of strings read as the lines of one. Start and End are places in the field's text.
// In what is not valid JSON it finds some members, not all.
func (s *Rules) FindRecord(record []byte) []Finding {
	var out []Finding
	for _, h := range s.search(record) {
		out = append(out, h.Finding)
	}
	return out
}

// Introduced returns the secrets of a JSON value that another one, which it replaces, does not hold.
func (s *Rules) Introduced(old, record []byte) []Finding {
	had := map[string]bool{}
	for _, h := range s.search(old) {
		had[h.secret] = true
	}
	var out []Finding
	for _, h := range s.search(record) {
		if !had[h.secret] {
			out = append(out, h.Finding)
		}
	}
	return out
}

// RedactRecord returns the JSON value with each secret replaced by its kind, and what was found: also where it stands in the value once more,
// with nothing that announces it, and what is left of it where a text is cut ("… the key is AKIA…"). All other bytes stay.
func (s *Rules) RedactRecord(record []byte) ([]byte, []Finding) {
	hits := s.search(record)
	if len(hits) == 0 {
		return record, nil
	}
	var found []Finding
	cuts := map[int][]cut{} // by the place of a string in the record
	lengths := map[int]*piece{}
	for _, h := range hits {
		found = append(found, h.Finding)
		for _, c := range h.cuts {
			cuts[c.piece.start] = append(cuts[c.piece.start], c)
			lengths[c.piece.start] = c.piece
		}
	}
	for _, p := range s.pieces(record) {
		for _, h := range hits {
			for _, c := range p.remains(h, cuts[p.start]) {
				cuts[p.start], lengths[p.start] = append(cuts[p.start], c), p
			}
		}
		slices.SortFunc(cuts[p.start], func(a, b cut) int { return cmp.Compare(a.start, b.start) })
	}
	var b bytes.Buffer
	at := 0
	for i := 0; i < len(record); i++ {
		p := lengths[i]
		if p == nil {
			continue
		}
		b.Write(record[at:p.start])
		text, from := "", 0
		for _, c := range cuts[i] {
			text += p.text[from:c.start] + replacement(c.rule)
			from = c.end
		}
		b.Write(quote(text + p.text[from:]))
		at = p.end
		i = p.end - 1
	}
	b.Write(record[at:])
	return b.Bytes(), found
}

// Bounds on what is looked for of a secret where it is not announced, in bytes.
const (
	leastRepeated = 8
	leastRemains  = 3
)

// remains are the parts of a string that are a secret which was found elsewhere, or the beginning of it where the string is cut, next to those that
// are cut out already.
func (p *piece) remains(h hit, known []cut) (more []cut) {
	add := func(start, end int) {
		if !slices.ContainsFunc(known, func(c cut) bool { return start < c.end && c.start < end }) {
			more = append(more, cut{p, h.Rule, start, end})
			known = append(known[:len(known):len(known)], more[len(more)-1])
		}
	}
	if len(h.secret) >= leastRepeated {
		for at := 0; ; {
			i := strings.Index(p.text[at:], h.secret)
			if i < 0 {
				break
			}
			add(at+i, at+i+len(h.secret))
			at += i + len(h.secret)
		}
	}
	end := len(strings.TrimRight(p.text, " .…"))
	for n := min(len(h.secret)-1, end); n >= leastRemains && end < len(p.text); n-- {
		if strings.HasSuffix(p.text[:end], h.secret[:n]) {
			add(end-n, end)
			break
		}
	}
	return more
}

// quote writes a JSON string with <, > and & as they are.
func quote(text string) []byte {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	_ = enc.Encode(text) // a string into a buffer
	return bytes.TrimRight(b.Bytes(), "\n")
}

// piece is one string of a record.
type piece struct {
	start, end int // with its quotes
	text       string
	field      string
	name       string // that announces what the string is; "" for none
	list       int    // number of the list that it is in; 0 for none
	isKey      bool
	raws       []raw // of a key, what it holds
}

// cut is a part of a piece that belongs to a secret.
type cut struct {
	piece      *piece
	rule       string
	start, end int
}

// hit is a finding with what must not leave the package.
type hit struct {
	Finding
	secret string
	cuts   []cut
}

// search finds the secrets of a record in the order of its strings.
func (s *Rules) search(record []byte) (hits []hit) {
	pieces := s.pieces(record)
	for i := 0; i < len(pieces); {
		n := i + 1
		for pieces[i].list > 0 && n < len(pieces) && pieces[n].list == pieces[i].list {
			n++
		}
		hits = append(hits, s.lines(pieces[i:n])...)
		i = n
	}
	return hits
}

// lines reads strings as the lines of one text.
func (s *Rules) lines(pieces []*piece) (hits []hit) {
	text := pieces[0].text
	starts := []int{0}
	if len(pieces) > 1 {
		var b strings.Builder
		starts = starts[:0]
		for i, p := range pieces {
			if i > 0 {
				b.WriteByte('\n')
			}
			starts = append(starts, b.Len())
			b.WriteString(p.text)
		}
		text = b.String()
	}
	raws := pieces[0].raws
	if !pieces[0].isKey {
		raws = s.find(text, pieces[0].name)
	}
	if len(pieces) > 1 && pieces[0].name != "" { // each by itself, behind the name of the list
		for i, p := range pieces {
			assigned(p.name, p.text, func(r raw) {
				r.start, r.end = r.start+starts[i], r.end+starts[i]
				if !s.without[r.id] && s.builtin && !s.exempt(text, r) {
					raws = append(raws, r)
				}
			})
		}
		raws = united(raws)
	}
	at := 0
	for _, r := range raws {
		for at+1 < len(pieces) && starts[at+1] <= r.start {
			at++
		}
		p := pieces[at]
		h := hit{secret: text[r.start:r.end], Finding: Finding{
			Rule: r.id, What: r.what, Field: p.field, Line: 1 + strings.Count(text[starts[at]:r.start], "\n"),
			Start: r.start - starts[at], End: min(r.end-starts[at], len(p.text)), Preview: text[r.start:r.start+r.public] + "…",
		}}
		for i := at; i < len(pieces) && starts[i] < r.end; i++ {
			if from, to := max(r.start-starts[i], 0), min(r.end-starts[i], len(pieces[i].text)); from < to {
				h.cuts = append(h.cuts, cut{pieces[i], r.id, from, to})
			}
		}
		hits = append(hits, h)
	}
	return hits
}

// frame is an object or a list on the way to a string.
type frame struct {
	list    int // its number; 0 for an object
	path    string
	key     string
	element int
	// An object may name what its "value" is: {"name": "DB_PASSWORD", "value": "…"}.
	names string
	value *piece
}

// pieces collects the strings of a record in their order.
func (s *Rules) pieces(record []byte) (out []*piece) {
	var stack []frame
	lists := 0
	expectKey := false
	for i := 0; i < len(record); i++ {
		top := len(stack) - 1
		switch record[i] {
		case '{', '[':
			f := frame{path: pathOf(stack)}
			if top >= 0 {
				f.key = stack[top].key
			}
			if expectKey = record[i] == '{'; !expectKey {
				lists++
				f.list = lists
			}
			stack = append(stack, f)
		case '}', ']':
			if top < 0 {
				continue
			}
			if f := stack[top]; f.value != nil && f.names != "" {
				f.value.name = f.names
			}
			stack = stack[:top]
			expectKey = false
		case ',':
			if top >= 0 {
				stack[top].element++
				expectKey = stack[top].list == 0
			}
		case '"':
			end := stringEnd(record, i)
			text := gjson.ParseBytes(record[i:end]).String()
			p := &piece{start: i, end: end, text: text}
			switch {
			case expectKey && top >= 0:
				expectKey = false
				p.field = join(stack[top].path, "name of a field")
				p.isKey, p.raws = true, s.find(text, "")
				stack[top].key = redacted(text, p.raws) // it is shown, as a part of where others stand
			default:
				p.field = pathOf(stack)
				if top >= 0 {
					stack[top].announce(p, stack[:top])
				}
			}
			out = append(out, p)
			i = end - 1
		}
	}
	return out
}

// announce gives a value the name that says what it is.
func (f *frame) announce(p *piece, above []frame) {
	if f.list > 0 {
		p.list, p.name = f.list, strings.TrimSuffix(f.key, "s")
		return
	}
	p.name = f.key
	switch strings.ToLower(f.key) {
	case "name", "key", "variable", "env", "field", "label":
		f.names = p.text
	case "value", "data", "default", "current", "text", "plain", "content":
		f.value = p
		if len(above) > 0 {
			p.name = above[len(above)-1].key
		}
	}
}

// pathOf is where the next value stands, such as "content.steps[2]".
func pathOf(stack []frame) string {
	if len(stack) == 0 {
		return ""
	}
	f := &stack[len(stack)-1]
	if f.list > 0 && len(f.path) < longestPath {
		return f.path + "[" + strconv.Itoa(f.element) + "]"
	}
	return join(f.path, f.key)
}

// longestPath bounds what tells where something stands: deeper down, its beginning does.
const longestPath = 200

func join(path, key string) string {
	switch {
	case path == "":
		path = key
	case len(path) < longestPath:
		path += "." + key
	}
	if len(path) > longestPath {
		path = strings.ToValidUTF8(path[:longestPath], "") + "…"
	}
	return path
}

// stringEnd is the end of the JSON string that begins at start, behind its quote.
func stringEnd(record []byte, start int) int {
	for i := start + 1; i < len(record); i++ {
		switch record[i] {
		case '\\':
			i++
		case '"':
			return i + 1
		}
	}
	return len(record)
}
