package workspace

import (
	"bytes"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/tidwall/gjson"

	"github.com/memoryd/memoryd/pkg/internal/jsonedit"
	"github.com/memoryd/memoryd/pkg/timestamp"
)

// recordParser reads records, and knows of each only what stands in its bytes, of which the
// strings of a memory are parts. It is for one goroutine.
type recordParser struct {
	take     func(*Memory)                    // is given the records of files, in their order
	passing  bool                             // each is gone when take returns, as its bytes are: the next one takes its room
	later    func(name string) func() []byte  // gives the text of an index again; nil: the bytes stay
	given    int                              // how many take was given
	familiar familiar                         // of what the file at hand held
	again    func(int, Ref, jsonedit.Element) // is given those of the file that are familiar: their rows, and where they stand now
	outline  jsonedit.Outline
	room     reading
	items    []string
}

// reading is a memory with what belongs to it.
type reading struct {
	m       Memory
	common  Common
	links   Links
	body    body
	numbers [2]float64
}

// give gives a record to take.
func (p *recordParser) give(m *Memory) {
	p.given++
	p.take(m)
}

// next has room for a memory.
func (p *recordParser) next() *reading {
	if !p.passing {
		return &reading{}
	}
	p.items = p.items[:0]
	p.room = reading{m: Memory{}}
	return &p.room
}

// parseMemory reads an object that isRecord; everything it doesn't understand
// it leaves alone. Strings alias raw.
func parseMemory(raw []byte, ref Ref) *Memory {
	var p recordParser
	return p.element(raw, ref, "")
}

// element reads a record that stands alone, or in a collection; locked is why nothing
// there may be edited.
func (p *recordParser) element(raw []byte, ref Ref, locked string) *Memory {
	_ = p.outline.Check(raw) // it has passed, as a part of its file
	return p.record(raw, 0, len(raw), ref, locked)
}

// record reads doc[start:end], whose outline is known.
func (p *recordParser) record(doc []byte, start, end int, ref Ref, locked string) *Memory {
	raw, members := doc[start:end], p.outline.Members
	r := p.next()
	m, b, common, links := &r.m, &r.body, &r.common, &r.links
	b.raw, b.later = raw, p.passing
	m.Ref, m.Common, m.Links, m.body, m.checksum = ref, common, &noLinks, b, checksumOf(raw)
	scope, scopeID := "", ""
	for i := 0; i < len(members); i += 1 + int(members[i].Inner) {
		v := doc[members[i].Val:members[i].End]
		switch key := keyOf(doc, members[i]); key {
		case "id":
			m.ID = stringOf(v)
		case "type":
			common.Type = stringOf(v)
		case "subtype":
			common.Subtype = stringOf(v)
		case "created_by":
			common.CreatedBy = stringOf(v)
		case "created_at":
			m.CreatedAt = timestamp.Parse(stringOf(v))
		case "updated_at":
			m.UpdatedAt = timestamp.Parse(stringOf(v))
		case "last_accessed":
			m.LastAccessed = timestamp.Parse(stringOf(v))
		case "scope":
			scope = strings.ToLower(strings.TrimSpace(stringOf(v)))
		case "scope_id":
			scopeID = stringOf(v)
		case "tags":
			m.Tags = p.list(v)
		case "priority":
			common.Priority = strings.ToLower(strings.TrimSpace(stringOf(v)))
		case "ttl":
			common.TTL = stringOf(v)
		case "title":
			b.see(key, v, 0)
		case "content":
			b.see(key, v, int(members[i].Val)-start)
			b.place = place{doc, members[i+1 : i+1+int(members[i].Inner)]}
		case "confidence":
			m.Confidence = number(v, &r.numbers[0])
		case "importance":
			m.Importance = number(v, &r.numbers[1])
		case "access_count":
			m.AccessCount = max(wholeNumber(v), 0)
		case "supersedes":
			links.Supersedes = p.list(v)
		case "superseded_by":
			links.SupersededBy = p.list(v)
		case "promoted_to":
			links.PromotedTo = p.list(v)
		case "promoted_from":
			links.PromotedFrom = p.list(v)
		case "consolidation_consent":
			common.Consent = v[0] == 't'
		case "protected":
			common.Protected = v[0] == 't'
		}
	}
	if links.Supersedes != nil || links.SupersededBy != nil || links.PromotedTo != nil || links.PromotedFrom != nil {
		m.Links = links
	}
	if dup := jsonedit.Twice(doc, members); dup != nil {
		locked = "repeated key " + strings.Join(dup, ", ")
	} else if dup := jsonedit.Twice(doc, b.inner); dup != nil {
		locked = "repeated key in content: " + strings.Join(dup, ", ")
	}
	common.Locked, common.Scope = locked, scopeOf(ref.File)
	switch scope {
	case "global":
		common.Scope = Global
	case "team", "agent", "project", "session":
		// Where the record names no owner, its place does, if it is of that kind.
		if scopeID == "" && common.Scope.Kind == scope {
			scopeID = common.Scope.ID
		}
		common.Scope = Scope{Kind: scope, ID: scopeID}
	}
	if !p.passing {
		b.place = place{} // the parser goes on to others
	}
	return m
}

// keyOf is the text of a member's key.
func keyOf(doc []byte, m jsonedit.Member) string {
	if key := doc[m.Key:m.KeyEnd]; bytes.IndexByte(key, '\\') < 0 {
		return viewString(key)
	}
	return parse(doc[m.Key-1 : m.KeyEnd+1]).Str
}

// stringOf is the text of a string, "" for any other value.
func stringOf(v []byte) string {
	switch {
	case v[0] != '"':
		return ""
	case bytes.IndexByte(v, '\\') < 0:
		return viewString(v[1 : len(v)-1])
	}
	return parse(v).Str
}

// valueOf views a value as JSON.
func valueOf(v []byte) gjson.Result {
	if v[0] == '"' && bytes.IndexByte(v, '\\') < 0 {
		raw := viewString(v)
		return gjson.Result{Type: gjson.String, Raw: raw, Str: raw[1 : len(raw)-1]}
	}
	return parse(v)
}

// wholeNumber is what a value is as a whole number, whichever way it says that.
func wholeNumber(v []byte) (n int64) {
	if len(v) > 15 {
		return parse(v).Int()
	}
	for _, c := range v {
		if c < '0' || c > '9' {
			return parse(v).Int()
		}
		n = n*10 + int64(c-'0')
	}
	return n
}

// list reads an array of strings; a lone string is an array of one. Empty
// strings and everything else are left out.
func (p *recordParser) list(v []byte) []string {
	from := len(p.items)
	add := func(text string) {
		if text != "" && (' ' < text[0] && text[0] < utf8.RuneSelf || strings.TrimSpace(text) != "") {
			p.items = append(p.items, text)
		}
	}
	switch {
	case v[0] == '"':
		add(stringOf(v))
	case v[0] == '[' && !eachPlain(v, add):
		p.items = p.items[:from]
		parse(v).ForEach(func(_, e gjson.Result) bool {
			if e.Type == gjson.String {
				add(e.Str)
			}
			return true
		})
	}
	switch list := p.items[from:len(p.items):len(p.items)]; {
	case len(list) == 0:
		return nil
	case p.passing:
		return list
	default:
		p.items = p.items[:from]
		return slices.Clone(list)
	}
}

// list is [recordParser.list] of a value that was found already; nil when it wasn't.
func list(v gjson.Result) []string {
	if v.Raw == "" {
		return nil
	}
	var p recordParser
	return p.list(viewBytes(v.Raw))
}

// eachPlain gives the strings of an array to f. It is false, and has given some of them
// at most, where there is anything else in it, or an escape.
func eachPlain(array []byte, f func(string)) bool {
	for i := 1; ; i++ {
		switch array[i] {
		case ' ', '\n', '\t', '\r', ',':
		case ']':
			return true
		case '"':
			n := bytes.IndexByte(array[i+1:], '"')
			text := array[i+1 : i+1+n]
			if bytes.IndexByte(text, '\\') >= 0 {
				return false
			}
			f(viewString(text))
			i += n + 1
		default:
			return false
		}
	}
}

// number puts what a value says into n, and returns that; nil if it is no number.
func number(v []byte, n *float64) *float64 {
	if v[0] != '-' && (v[0] < '0' || v[0] > '9') {
		return nil
	}
	*n, _ = strconv.ParseFloat(viewString(v), 64) // out of range: infinite
	return n
}
