package memory

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/tidwall/gjson"

	"github.com/memoryd/memoryd/pkg/internal/jsonedit"
	"github.com/memoryd/memoryd/pkg/oplog"
	"github.com/memoryd/memoryd/pkg/text"
	"github.com/memoryd/memoryd/pkg/timestamp"
)

// Unit is one statement of a memory: a unit of a text (see [text.Unit]), or a value of an object that is no text. A list is one
// value.
type Unit struct {
	text.Unit
	Path string // JSON pointer into the record: /content, /content/port, /title
}

// UnitKey tells units apart: units with one key are the same wording at the same place.
type UnitKey struct{ Path, Place, Wording string }

// Key is that of the unit. A text says the same as the content and as a field of it whose name says only that it is text.
func (u Unit) Key() UnitKey {
	path := u.Path
	if name, ok := strings.CutPrefix(path, contentPath+"/"); ok && slices.Contains(textFields, name) {
		path = contentPath
	}
	return UnitKey{path, u.Place, u.Wording()}
}

// textFields are names of fields that only say that they hold text.
var textFields = []string{"text", "details", "summary", "body", "description", "note", "notes", "message", "content"}

// contentPath is the pointer of the content of a record.
const contentPath = "/content"

// Units are the statements of a memory: of its content, of a title, of other members that hold a text, and of its variants.
func Units(m *Memory) (units []Unit) {
	root := gjson.ParseBytes(m.Raw())
	root.ForEach(func(name, v gjson.Result) bool {
		if saysSomething(name.Str, v) {
			units = appendUnits(units, "/"+pointer(name.Str), v)
		}
		return true
	})
	for _, v := range Variants(m) {
		units = append(units, v.Units()...)
	}
	return units
}

// own are members of a record that state nothing about its subject.
var own = []string{"id", "type", "subtype", "scope", "scope_id", "created_by", "tags", "priority", "ttl", "model", "references", "supersedes", "superseded_by",
	"superseded_kind", "promoted_to", "promoted_from", "origin", "imported_from", "metadata", VariantsKey, ConflictsKey, AliasesKey, ReviewOnKey}

// saysSomething reports whether a member of a record holds statements: the content, the title, and any other text of several words but
// those that say how the memory came to be.
func saysSomething(name string, v gjson.Result) bool {
	switch name {
	case "content", "title":
		return v.Type != gjson.Null
	}
	return v.Type == gjson.String && strings.Contains(strings.TrimSpace(v.Str), " ") && !slices.Contains(own, name) &&
		!strings.HasSuffix(name, "_at") && !strings.HasPrefix(name, "source") && !strings.HasPrefix(name, "session") && !strings.Contains(name, "file")
}

// pointer writes the name of a member as a part of a JSON pointer (RFC 6901).
func pointer(name string) string {
	return strings.ReplaceAll(strings.ReplaceAll(name, "~", "~0"), "/", "~1")
}

func appendUnits(to []Unit, path string, v gjson.Result) []Unit {
	switch {
	case v.IsObject() && v.Raw != "{}":
		empty := true
		v.ForEach(func(name, child gjson.Result) bool {
			empty = false
			to = appendUnits(to, path+"/"+pointer(name.Str), child)
			return true
		})
		if !empty {
			return to
		}
	case v.Type == gjson.String:
		for _, u := range text.Units(v.Str) {
			to = append(to, Unit{u, path})
		}
		return to
	}
	return append(to, Unit{text.Unit{Text: string(jsonedit.Compact([]byte(v.Raw))), Exact: true}, path})
}

// VariantsKey is the member of a record that holds its variants.
const VariantsKey = "variants"

// Variant is wording that a memory took over from another one, and that its own content lacks: a text beside the content, or the value at a
// place of the record.
type Variant struct {
	Text    string // of a content that is a text; "" for a value
	Path    string // JSON pointer into the record; "" for a text
	Value   string // JSON; "" for a text
	From    string // the id of the memory that said so
	Written time.Time
}

// Variants are those of a memory, as it lists them: the newest first. Elements that are no variants are left out.
func Variants(m *Memory) (list []Variant) {
	raw := m.Raw()
	if !strings.Contains(string(raw), `"`+VariantsKey+`"`) {
		return nil
	}
	gjson.GetBytes(raw, VariantsKey).ForEach(func(_, v gjson.Result) bool {
		out := Variant{From: v.Get("from").String(), Written: timestamp.Parse(v.Get("written").Str)}
		switch path, value, words := v.Get("path"), v.Get("value"), v.Get("text"); {
		case words.Type == gjson.String && words.Str != "":
			out.Text = words.Str
		case path.Type == gjson.String && value.Exists():
			out.Path, out.Value = path.Str, value.Raw
		default:
			return true
		}
		list = append(list, out)
		return true
	})
	return list
}

// Units are the statements of a variant.
func (v Variant) Units() []Unit {
	if v.Text != "" {
		return appendUnits(nil, contentPath, gjson.Result{Type: gjson.String, Str: v.Text})
	}
	return appendUnits(nil, v.Path, gjson.Parse(v.Value))
}

// Words is the text of a variant, for people and for indexes of words.
func (v Variant) Words() string {
	if v.Text != "" {
		return v.Text
	}
	value := gjson.Parse(v.Value)
	if value.Type == gjson.String {
		return value.Str
	}
	return strings.TrimSpace(TextOf(value))
}

// json is a variant as a record writes it.
func (v Variant) json() []byte {
	raw := []byte("{")
	if v.Text != "" {
		raw = append(append(raw, `"text": `...), jsonedit.Quote(v.Text)...)
	} else {
		raw = append(append(append(append(raw, `"path": `...), jsonedit.Quote(v.Path)...), `, "value": `...), v.Value...)
	}
	raw = append(append(raw, `, "from": `...), jsonedit.Quote(v.From)...)
	if !v.Written.IsZero() {
		raw = append(append(raw, `, "written": `...), jsonedit.Quote(timestamp.Format(v.Written))...)
	}
	return append(raw, '}')
}

// Lost are the units of a memory that another one does not have, in its content or its variants.
func Lost(source, survivor *Memory) (lost []Unit) {
	have := keysOf(Units(survivor))
	for _, u := range Units(source) {
		if !have[u.Key()] {
			lost = append(lost, u)
		}
	}
	return lost
}

func keysOf(units []Unit) map[UnitKey]bool {
	have := make(map[UnitKey]bool, len(units))
	for _, u := range units {
		have[u.Key()] = true
	}
	return have
}

// ErrWordingLost is the cause of a refusal: what a merge results in lacks wording of a source.
var ErrWordingLost = errors.New("wording would be lost")

// ProveMerge is nil if every unit of every source stands, word for word, in the survivor: in its content or in its variants. Else it names
// the first that doesn't; the error is an [ErrWordingLost].
func ProveMerge(survivor *Memory, sources ...*Memory) error {
	for _, source := range sources {
		if lost := Lost(source, survivor); len(lost) > 0 {
			return fmt.Errorf("merge %s into %s: %w: %s", source.ID, survivor.ID, ErrWordingLost, strconv.Quote(clip(lost[0].Text)))
		}
	}
	return nil
}

// What an action of saving says of its reason, where it changes the record of another memory than the one that was to be saved.
const (
	ReasonSavedAgain = "saved_again" // the same was saved
	ReasonNewWording = "new_wording" // a text was saved that says more, or says it otherwise
)

// ProveAction is nil if an action loses no wording of the records that it merges: those that were found where its operations look for them, nil for
// a new one. Actions that merge nothing pass.
func ProveAction(a *Action, found []*Memory) error {
	if a.Type != oplog.Merge && a.Reason != ReasonSavedAgain && a.Reason != ReasonNewWording {
		return nil
	}
	id := cmp.Or(a.ResultID, a.MemoryID)
	for i := range a.Ops {
		if op := &a.Ops[i]; op.Kind == Put && op.ID == id && (op.Note != nil || !op.Idle()) {
			survivor, err := OneRecord(id+".json", op.Raw)
			if err != nil {
				return err
			}
			return ProveMerge(survivor, slices.DeleteFunc(slices.Clone(found), func(m *Memory) bool { return m == nil })...)
		}
	}
	if a.Type == oplog.Merge {
		return fmt.Errorf("merge into %s: %w: the plan has no record of it", id, ErrWordingLost)
	}
	return nil
}

// clip shortens a text for a message.
func clip(s string) string {
	const most = 80
	if r := []rune(s); len(r) > most {
		return string(r[:most]) + "…"
	}
	return s
}

// Covered tells how the wordings of two memories stand to each other: aInB that every unit of a stands in b in its order, as often, and at
// its place; bInA the reverse. Both: the same wording. Variants don't count.
func Covered(a, b *Memory) (aInB, bInA bool) {
	x, y := ContentKeys(a), ContentKeys(b)
	return Within(x, y), Within(y, x)
}

// ContentKeys are the keys of what a memory says itself, without its variants. The members of an object have no order, so they are sorted.
func ContentKeys(m *Memory) (keys []UnitKey) {
	units := contentUnits(m)
	slices.SortStableFunc(units, func(a, b Unit) int { return cmp.Compare(a.Path, b.Path) })
	for _, u := range units {
		keys = append(keys, u.Key())
	}
	return keys
}

// Within reports whether the units of one memory stand in another, in their order and as often.
func Within(part, whole []UnitKey) bool {
	for _, key := range whole {
		if len(part) > 0 && part[0] == key {
			part = part[1:]
		}
	}
	return len(part) == 0
}

// VariantLimits say how much a survivor may take over as variants.
type VariantLimits struct {
	Most   int     // variants of a memory
	Length float64 // of a variant, as a share of the content's length
}

// shortVariant is how many characters a variant may have whatever the length of the content: the other wording of a paragraph is as long
// as the paragraph.
const shortVariant = 1000

// ErrTooManyVariants is the cause of a refusal: a person has to decide what of the sources of a merge to store.
var ErrTooManyVariants = errors.New("too much differs in wording")

// TakeOver are the edits that give a survivor the wording of its sources which it lacks. raw is the record that the merge results in so far,
// with all its other edits applied. Each source that has such wording becomes one variant, from its id and its newest time; its own variants
// move along as they are; a variant that stands in the content is dropped. The newest come first. The error is an [ErrTooManyVariants] if that is
// more than the limits allow.
func TakeOver(id string, raw []byte, sources []*Memory, limits VariantLimits) ([]jsonedit.Edit, error) {
	survivor, err := OneRecord(id+".json", raw)
	if err != nil {
		return nil, err
	}
	have := keysOf(contentUnits(survivor))
	var list []Variant
	take := func(v Variant) {
		for _, u := range v.Units() {
			if !have[u.Key()] {
				list = append(list, v)
				for _, u := range v.Units() {
					have[u.Key()] = true
				}
				return
			}
		}
	}
	newest := func(a, b Variant) int { return b.Written.Compare(a.Written) }
	was := Variants(survivor)
	for _, v := range was {
		take(v)
	}
	var given []Variant
	for _, source := range sources {
		given = append(append(given, variantsOf(source, have)...), Variants(source)...)
	}
	slices.SortStableFunc(given, newest)
	for _, v := range given {
		take(v)
	}
	slices.SortStableFunc(list, newest)
	if slices.Equal(list, was) {
		return nil, nil
	}
	if len(list) == 0 {
		return []jsonedit.Edit{jsonedit.Delete(VariantsKey)}, nil
	}
	if err := limits.allow(survivor, list, was); err != nil {
		return nil, err
	}
	out := []byte("[")
	for i, v := range list {
		if i > 0 {
			out = append(out, ", "...)
		}
		out = append(out, v.json()...)
	}
	if out = append(out, ']'); !strings.Contains(string(raw), "\n") && !strings.Contains(string(raw), `": `) {
		out = jsonedit.Compact(out) // as the record is written
	}
	return []jsonedit.Edit{jsonedit.Set(out, VariantsKey)}, nil
}

// allow checks the variants that a survivor gets, beside those that it had.
func (l VariantLimits) allow(survivor *Memory, list, had []Variant) error {
	if l.Most > 0 && len(list) > l.Most && len(list) > len(had) {
		return fmt.Errorf("%w: %d variants of %s, of %d", ErrTooManyVariants, len(list), survivor.ID, l.Most)
	}
	most := max(shortVariant, int(l.Length*float64(len(survivor.Content().Raw))))
	for _, v := range list {
		if size := len(v.Text) + len(v.Value); size > most && !slices.Contains(had, v) {
			return fmt.Errorf("%w: a variant of %s would have %d characters, of %d", ErrTooManyVariants, survivor.ID, size, most)
		}
	}
	return nil
}

// contentUnits are the units of a memory without its variants.
func contentUnits(m *Memory) (units []Unit) {
	gjson.ParseBytes(m.Raw()).ForEach(func(name, v gjson.Result) bool {
		if saysSomething(name.Str, v) {
			units = appendUnits(units, "/"+pointer(name.Str), v)
		}
		return true
	})
	return units
}

// variantsOf is the wording of a source that is not among the units of its survivor: nothing, a text, or one value that holds all places
// where it differs.
func variantsOf(source *Memory, have map[UnitKey]bool) []Variant {
	var paths []string
	for _, u := range contentUnits(source) {
		if !have[u.Key()] && !slices.Contains(paths, u.Path) {
			paths = append(paths, u.Path)
		}
	}
	if len(paths) == 0 {
		return nil
	}
	v := Variant{From: source.ID, Written: source.Newest()}
	at := commonPath(paths)
	value := lacking(gjson.ParseBytes(source.Raw()), "", at, paths, have)
	if parsed := gjson.Parse(value); at == contentPath && parsed.Type == gjson.String {
		v.Text = parsed.Str
	} else {
		v.Path, v.Value = at, value
	}
	return []Variant{v}
}

// commonPath is the pointer of the innermost value that holds all of some places.
func commonPath(paths []string) string {
	common := strings.Split(paths[0], "/")
	for _, p := range paths[1:] {
		parts := strings.Split(p, "/")
		n := 0
		for n < len(common) && n < len(parts) && common[n] == parts[n] {
			n++
		}
		common = common[:n]
	}
	return strings.Join(common, "/")
}

// lacking writes the value at the pointer at, of an object whose own pointer is path, with those of the places only that are listed.
func lacking(v gjson.Result, path, at string, places []string, have map[UnitKey]bool) string {
	below := func(p string) bool { return p == path || strings.HasPrefix(p, path+"/") }
	if strings.HasPrefix(at, path+"/") { // not there yet
		found := ""
		v.ForEach(func(name, child gjson.Result) bool {
			if inner := path + "/" + pointer(name.Str); at == inner || strings.HasPrefix(at, inner+"/") {
				found = lacking(child, inner, at, places, have)
			}
			return found == ""
		})
		return found
	}
	switch {
	case slices.Contains(places, path) && v.Type == gjson.String:
		short := text.Excerpt(v.Str, func(u text.Unit) bool { return !have[Unit{u, path}.Key()] })
		return string(jsonedit.Quote(short))
	case v.IsObject() && slices.ContainsFunc(places, func(p string) bool { return p != path && below(p) }):
		out := "{"
		v.ForEach(func(name, child gjson.Result) bool {
			inner := path + "/" + pointer(name.Str)
			if slices.ContainsFunc(places, func(p string) bool { return p == inner || strings.HasPrefix(p, inner+"/") }) {
				if out != "{" {
					out += ", "
				}
				out += string(jsonedit.Quote(name.Str)) + ": " + lacking(child, inner, at, places, have)
			}
			return true
		})
		return out + "}"
	}
	return string(jsonedit.Compact([]byte(v.Raw)))
}
