package memory

import (
	"bytes"
	"cmp"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"
	"unsafe"

	"github.com/tidwall/gjson"

	"github.com/memoryd/memoryd/pkg/indexfile"
	"github.com/memoryd/memoryd/pkg/internal/jsonedit"
	"github.com/memoryd/memoryd/pkg/text"
	"github.com/memoryd/memoryd/pkg/timestamp"
)

// parser reads records. The memories that it makes share nothing with the bytes but their
// bodies. It is for one goroutine.
type parser struct {
	outline           jsonedit.Outline
	words             map[string]string // strings that many records have alike
	items             []string
	printed, numbered int           // records that only look like memories; see Parsed
	take              func(*Memory) // is given the records of a file, in their order
}

// maxWords is how many strings a parser remembers.
const maxWords = 1 << 14

// word is the text of bytes that are probably those of other records too.
func (p *parser) word(text string) string {
	if known, ok := p.words[text]; ok || text == "" {
		return known
	}
	if p.words == nil || len(p.words) == maxWords {
		p.words = map[string]string{}
	}
	text = strings.Clone(text)
	p.words[text] = text
	return text
}

// ParseRecord reads an object that [IsRecord]; everything it doesn't understand it leaves
// alone.
func ParseRecord(raw []byte, ref Ref) *Memory {
	var p parser
	return p.element(raw, ref, "")
}

// element reads a record that is a whole file or in a collection; locked is why nothing
// there may be edited.
func (p *parser) element(raw []byte, ref Ref, locked string) *Memory {
	_ = p.outline.Check(raw) // it has passed, as a part of its file
	return p.record(raw, 0, len(raw), ref, locked)
}

// record reads doc[start:end], whose outline is known.
func (p *parser) record(doc []byte, start, end int, ref Ref, locked string) *Memory {
	raw, members := doc[start:end], p.outline.Members
	b, common, links := &body{raw: raw}, &Interned{}, Links{}
	var inner []jsonedit.Member // of the content
	m := &Memory{Ref: ref, Archived: InArchive(ref.File), Interned: common, Links: &noLinks, body: b, offset: int32(start), size: int32(end - start), checksum: ChecksumOf(raw)}
	scope, scopeID := "", ""
	for i := 0; i < len(members); i += 1 + int(members[i].Inner) {
		v := doc[members[i].Val:members[i].End]
		switch key := keyOf(doc, members[i]); key {
		case "id":
			m.ID = text.Composed(strings.Clone(stringOf(v)))
		case "type":
			common.Type = p.word(stringOf(v))
		case "subtype":
			common.Subtype = p.word(stringOf(v))
		case "created_by":
			common.CreatedBy = p.word(text.Composed(stringOf(v)))
		case "created_at":
			m.CreatedAt = timeOf(v)
		case "updated_at":
			m.UpdatedAt = timeOf(v)
		case "last_accessed":
			m.LastAccessed = timeOf(v)
		case "scope":
			scope = p.word(strings.ToLower(strings.TrimSpace(stringOf(v))))
		case "scope_id":
			scopeID = p.word(text.Composed(stringOf(v)))
		case "tags":
			m.Tags = p.list(v)
		case "priority":
			common.Priority = p.word(strings.ToLower(strings.TrimSpace(stringOf(v))))
		case "origin":
			kind, at := originOf(valueOf(v))
			common.Origin, m.Arrived = p.word(kind), at
		case "ttl":
			common.TTL = p.word(stringOf(v))
		case ReviewOnKey:
			common.ReviewOn = p.word(stringOf(v))
		case "title":
			b.see(key, v, int(members[i].Val)-start)
		case "content":
			b.see(key, v, int(members[i].Val)-start)
			inner = members[i+1 : i+1+int(members[i].Inner)]
		case "confidence":
			m.Confidence = number(v)
		case "importance":
			m.Importance = number(v)
		case "access_count":
			m.AccessCount = max(wholeNumber(v), 0)
		case "supersedes":
			links.Supersedes = p.ids(v)
		case "superseded_by":
			links.SupersededBy = p.ids(v)
		case "promoted_to":
			links.PromotedTo = p.ids(v)
		case "promoted_from":
			links.PromotedFrom = p.ids(v)
		case "consolidation_consent":
			common.Consent = v[0] == 't'
		case "protected":
			common.Protected = v[0] == 't'
		case "pinned":
			common.PinMark = v[0] == 't'
		case ConflictsKey:
			common.Conflicted = holdsSomething(v)
		}
	}
	if links.Supersedes != nil || links.SupersededBy != nil || links.PromotedTo != nil || links.PromotedFrom != nil {
		m.Links = &links
	}
	if dup := jsonedit.Twice(doc, members); dup != nil {
		locked = "repeated key " + strings.Join(dup, ", ")
	} else if dup := jsonedit.Twice(doc, inner); dup != nil {
		locked = "repeated key in content: " + strings.Join(dup, ", ")
	}
	common.Locked, common.Scope = locked, ScopeOf(ref.File)
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
	m.blank = blank(b.value())
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

// timeOf is the time that a text or a number tells.
func timeOf(v []byte) time.Time {
	if v[0] >= '0' && v[0] <= '9' {
		return timestamp.Parse(string(v))
	}
	return timestamp.Parse(stringOf(v))
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
func (p *parser) list(v []byte) []string {
	from := len(p.items)
	add := func(text string) {
		if text != "" && (' ' < text[0] && text[0] < utf8.RuneSelf || strings.TrimSpace(text) != "") {
			p.items = append(p.items, p.word(text))
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
	if len(p.items) == from {
		return nil
	}
	found := slices.Clone(p.items[from:])
	p.items = p.items[:from]
	return found
}

// ids reads a list of ids, in the composed form in which all are.
func (p *parser) ids(v []byte) []string {
	all := p.list(v)
	for i, id := range all {
		all[i] = text.Composed(id)
	}
	return all
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

// number is what a value says; nil if it is not a number.
func number(v []byte) *float64 {
	if v[0] != '-' && (v[0] < '0' || v[0] > '9') {
		return nil
	}
	n, _ := strconv.ParseFloat(viewString(v), 64) // out of range: infinite
	return &n
}

// Copies returns m and the memories that promotion has copied it to or from, as far as they may
// be seen, say the same, and nothing supersedes them: the widest scope first, and in that the highest layer. It is m alone
// where that has no copies. find gives the memory with an id, nil for none.
func Copies(m *Memory, find func(id string) *Memory, may func(*Memory) bool) []*Memory {
	if len(m.PromotedTo)+len(m.PromotedFrom) == 0 || len(m.SupersededBy) > 0 {
		return []*Memory{m}
	}
	family := []*Memory{m}
	for i := 0; i < len(family) && len(family) < 100; i++ { // links by hand may name anything
		for _, id := range slices.Concat(family[i].PromotedTo, family[i].PromotedFrom) {
			if other := find(id); other != nil && !slices.Contains(family, other) {
				family = append(family, other)
			}
		}
	}
	text := foldSpace(m.Text())
	family = slices.DeleteFunc(family, func(other *Memory) bool {
		return other != m && (!may(other) || other.Archived != m.Archived || len(other.SupersededBy) > 0 || foldSpace(other.Text()) != text)
	})
	slices.SortStableFunc(family, func(a, b *Memory) int {
		return cmp.Or(cmp.Compare(width(a), width(b)), cmp.Compare(height(b), height(a)), strings.Compare(a.ID, b.ID))
	})
	return family
}

// width orders the kinds of scopes, the widest first.
func width(m *Memory) int {
	kinds := []string{"global", "team", "project", "agent", "session"}
	if i := slices.Index(kinds, m.Scope.Kind); i >= 0 {
		return i
	}
	return len(kinds)
}

// height orders types by the layers through which memories rise; 0 for what is in none.
func height(m *Memory) int {
	return 1 + slices.Index([]string{Working, Semantic, Episodic, Procedural}, m.Type)
}

func foldSpace(text string) string { return strings.Join(strings.Fields(text), " ") }

// viewString views bytes as a string without copying. The bytes of a snapshot
// are never written to once they are read, so the view can't change.
func viewString(b []byte) string {
	if len(b) == 0 {
		return ""
	}
	return unsafe.String(&b[0], len(b))
}

// viewBytes gives text as bytes without a copy, which nobody may write to.
func viewBytes(text string) []byte {
	return unsafe.Slice(unsafe.StringData(text), len(text))
}

// parse views bytes as JSON without copying them; they are never written to.
func parse(raw []byte) gjson.Result { return gjson.Parse(viewString(raw)) }

// Line is what an index says of a memory. It is empty where the record can't be read.
func Line(m *Memory) (line indexfile.Line) {
	b := m.read()
	b.outlined(func(members []jsonedit.Member) {
		summary, stated := b.summary(members)
		raw := append(make([]byte, 0, 320+len(summary)), `{"id":`...)
		raw = append(raw, jsonedit.Quote(m.ID)...)
		add := func(key string, value []byte) {
			raw = append(append(append(append(raw, `,"`...), key...), `":`...), value...)
		}
		copied := func(keys ...string) {
			for i, v := range firsts(b.raw, members, keys...) {
				if v != nil && v[0] != 'n' {
					add(keys[i], v)
				}
			}
		}
		copied("type", "subtype")
		add("tags", jsonedit.Strings(m.Tags))
		add("summary", jsonedit.Quote(summary))
		copied("priority", "created_at", "updated_at")
		line = indexfile.Line{ID: strings.Clone(m.ID), File: m.File, Pointer: m.Pointer(), Fields: string(append(raw, '}')), Stated: stated}
	})
	return line
}
