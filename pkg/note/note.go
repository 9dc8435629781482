package note

import (
	"bytes"
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"path"
	"slices"
	"strings"
	"time"
	"unicode"

	"github.com/tidwall/gjson"

	"github.com/memoryd/memoryd/pkg/internal/jsonedit"
	"github.com/memoryd/memoryd/pkg/internal/mdedit"
	"github.com/memoryd/memoryd/pkg/layout"
	words "github.com/memoryd/memoryd/pkg/text"
	"github.com/memoryd/memoryd/pkg/timestamp"
)

// ArchiveExt is the ending of an archived note's file: hosts list all that ends in .md.
const ArchiveExt = ".note"

// Folder is what is known of an adopted folder besides the bytes of its notes.
type Folder struct {
	Layout layout.Layout
	// Scope and ScopeID are the scope of its notes.
	Scope, ScopeID string
	byPath         map[string]Line
	byID           map[string]Line
	bySum          map[string][]Line
}

// NewFolder is a folder with the lines of its overlay.
func NewFolder(l layout.Layout, scope, scopeID string, lines []Line) *Folder {
	f := &Folder{Layout: l, Scope: scope, ScopeID: scopeID, byPath: map[string]Line{}, byID: map[string]Line{}, bySum: map[string][]Line{}}
	for _, line := range lines {
		f.byID[line.ID] = line
		if !line.Archived {
			f.byPath[line.Path] = line
			f.bySum[line.Sum] = append(f.bySum[line.Sum], line)
		}
	}
	return f
}

// Is reports whether a file of a workspace is a note, live or archived.
func Is(name string) bool {
	return strings.HasSuffix(name, ".md") || strings.HasPrefix(name, "archive/") && strings.HasSuffix(name, ArchiveExt)
}

// Archived reports whether a file is an archived note.
func Archived(name string) bool { return strings.HasSuffix(name, ArchiveExt) }

// Line is what the overlay says of a note, or would say of one that it doesn't know yet: modified is when its file was last written, and
// the zero time where that tells nothing. A note whose bytes another path had is that note under a new name, if there tells that the
// other one is gone.
func (f *Folder) Line(name string, data []byte, modified time.Time, there func(path string) bool) Line {
	sum := Sum(data)
	if Archived(name) {
		stem := strings.TrimSuffix(path.Base(name), ArchiveExt)
		if line, ok := f.byID[stem]; ok {
			return line
		}
		return Line{ID: stem, Path: stem + ".md", Sum: sum, Archived: true}
	}
	at := ""
	if !modified.IsZero() {
		at = timestamp.Format(modified)
	}
	if line, ok := f.byPath[name]; ok {
		if line.Sum != sum {
			line.Sum, line.Updated = sum, cmp.Or(at, line.Updated)
		}
		return line
	}
	for _, line := range f.bySum[sum] {
		if there != nil && !there(line.Path) {
			line.Path = name
			return line
		}
	}
	id := f.newID(name, data)
	return Line{ID: id, Path: name, Sum: sum, Created: at, Updated: at}
}

// newID is the id of a note that the overlay doesn't know: what its front matter says, or one made of its path.
func (f *Folder) newID(name string, data []byte) string {
	front := mdedit.FrontOf(data)
	for _, key := range []string{"id", "permalink"} {
		if id := front.Value(key); plainID(id) {
			if _, taken := f.byID[id]; !taken {
				return id
			}
		}
	}
	for n := 0; ; n++ {
		id := madeID(name, n)
		if _, taken := f.byID[id]; !taken {
			return id
		}
	}
}

// plainID reports whether an id can be the name of a file as it is.
func plainID(id string) bool {
	if id == "" || len(id) > 100 || strings.ContainsRune("._-", rune(id[0])) || id[len(id)-1] == '.' {
		return false
	}
	return strings.Trim(id, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789._-") == ""
}

func madeID(name string, n int) string {
	const letters = "abcdefghijklmnopqrstuvwxyz0123456789"
	sum := sha256.Sum256(fmt.Appendf(nil, "%q %d", name, n))
	id := []byte("md_")
	for _, b := range sum[:12] {
		id = append(id, letters[int(b)%len(letters)])
	}
	return string(id)
}

// Sum is the SHA-256 of bytes in hex.
func Sum(data []byte) string {
	sum := sha256.Sum256(data)
	return hex.EncodeToString(sum[:])
}

// Body is the text of a note below its front matter, without blank lines around it: what makes two notes copies of each other.
func Body(data []byte) string { return strings.TrimSpace(string(data[mdedit.BodyAt(data):])) }

// Title is what a note is called: by its front matter, its first heading or its file.
func Title(name string, data []byte) string {
	if t := mdedit.FrontOf(data).Value("title", "name"); t != "" {
		return t
	}
	if heads := mdedit.Headings(data); len(heads) > 0 && heads[0].Title != "" {
		return heads[0].Title
	}
	return strings.TrimSuffix(path.Base(name), ".md")
}

// Hook is what a note says, in a sentence: its description or, where it has none, its first line of text.
func Hook(data []byte) string {
	if d := mdedit.FrontOf(data).Value("description", "summary"); d != "" {
		return firstSentence(d)
	}
	for _, l := range mdedit.Plain(data) {
		if line := strings.TrimSpace(l.Text(data)); line != "" && line[0] != '#' {
			return firstSentence(strings.TrimLeft(line, "-*+> "))
		}
	}
	return ""
}

func firstSentence(s string) string {
	for i := range s {
		if strings.IndexByte(".!?", s[i]) >= 0 && i > 20 && strings.HasPrefix(s[i+1:], " ") {
			return s[:i+1]
		}
	}
	return s
}

// Group is the host's word for the kind of a note; "" for none.
func Group(data []byte) string { return strings.ToLower(mdedit.FrontOf(data).Value("type")) }

// ErrText: a memory can only be made of a text.
var ErrText = errors.New("not UTF-8: left alone")

// Record is the memory that a note and its line make, as JSON.
func (f *Folder) Record(line Line, data []byte) ([]byte, error) {
	if err := mdedit.Check(data); errors.Is(err, mdedit.ErrEncoding) {
		return nil, ErrText
	}
	front := mdedit.FrontOf(data)
	kind, subtype := kindOf(line.Path, front)
	var b recordWriter
	b.text("id", line.ID)
	b.text("type", kind)
	if subtype != "" {
		b.text("subtype", subtype)
	}
	b.text("created_by", cmp.Or(front.Value("created_by"), f.Layout.Agent))
	updated := cmp.Or(timeIn(front, "modified", "updated", "updated_at"), dayOf(line.Path), line.Updated)
	created := cmp.Or(timeIn(front, "created", "created_at", "date"), dayOf(line.Path), line.Created, updated)
	b.time("created_at", created)
	b.time("updated_at", updated)
	if read := timeIn(front, "last_read"); read != "" {
		b.text("last_accessed", read)
	}
	b.text("scope", f.Scope)
	if f.ScopeID != "" {
		b.text("scope_id", f.ScopeID)
	}
	b.raw("tags", jsonedit.Strings(tagsOf(front)))
	if line.Arrived != "" {
		b.raw("origin", fmt.Appendf(nil, `{"kind": "agent", "at": %s}`, jsonedit.Quote(line.Arrived)))
	}
	if f.Layout.Level != layout.Tend || strings.EqualFold(subtype, "user") || mdedit.Check(data) != nil {
		b.raw("protected", []byte("true"))
	}
	for _, key := range []string{"ttl", "expires", "valid_until"} {
		if v := front.Value(key); v != "" {
			b.text("ttl", v)
			break
		}
	}
	b.raw("content", content(line.Path, data))
	raw := b.done()
	if len(line.Fields) == 0 {
		return raw, nil
	}
	var edits []jsonedit.Edit
	for _, key := range sortedKeys(line.Fields) {
		if v := line.Fields[key]; string(v) == "null" {
			if _, ok := jsonedit.Get(raw, key); ok {
				edits = append(edits, jsonedit.Delete(key))
			}
		} else {
			edits = append(edits, jsonedit.Set(v, key))
		}
	}
	return jsonedit.Apply(raw, edits...)
}

func content(name string, data []byte) []byte {
	front := mdedit.FrontOf(data)
	var b recordWriter
	b.text("title", Title(name, data))
	b.text("summary", front.Value("description", "summary"))
	b.text("details", string(data[mdedit.BodyAt(data):]))
	return b.done()
}

// recordWriter writes a JSON object, a member a line.
type recordWriter struct{ bytes.Buffer }

func (b *recordWriter) raw(key string, value []byte) {
	if b.Len() == 0 {
		b.WriteString("{\n")
	} else {
		b.WriteString(",\n")
	}
	b.WriteString("  ")
	b.Write(jsonedit.Quote(key))
	b.WriteString(": ")
	b.Write(value)
}

func (b *recordWriter) text(key, value string) { b.raw(key, jsonedit.Quote(value)) }

func (b *recordWriter) time(key, value string) {
	if value == "" {
		b.raw(key, []byte("null"))
		return
	}
	b.text(key, value)
}

func (b *recordWriter) done() []byte {
	b.WriteString("\n}")
	return b.Bytes()
}

// kindOf is the type of a note's memory, and the host's word for it.
func kindOf(name string, front *mdedit.Front) (kind, subtype string) {
	word := strings.ToLower(front.Value("type"))
	switch word {
	case "factual", "procedural", "episodic", "semantic":
		return word, ""
	case "feedback":
		return "procedural", word
	case "user", "project", "reference":
		return "factual", word
	}
	if layout.Daily(name) {
		return "episodic", word
	}
	return "semantic", word
}

func timeIn(front *mdedit.Front, keys ...string) string {
	for _, key := range keys {
		if at := timestamp.Parse(front.Value(key)); !at.IsZero() {
			return timestamp.Format(at)
		}
	}
	return ""
}

// dayOf is the day that the name of a daily note tells.
func dayOf(name string) string {
	if at := timestamp.Parse(layout.Date(name)); !at.IsZero() {
		return timestamp.Format(at)
	}
	return ""
}

func tagsOf(front *mdedit.Front) []string {
	for _, key := range []string{"tags", "tag"} {
		if k := front.Key("", key); k != nil {
			if k.List != nil {
				return k.List
			}
			if k.Text != "" {
				return strings.FieldsFunc(k.Text, func(r rune) bool { return r == ',' })
			}
		}
	}
	return nil
}

// RefusedError: a change of a record that can't be written into its note.
type RefusedError struct{ Path, Why string }

func (e *RefusedError) Error() string { return e.Path + ": " + e.Why }

// Write is the bytes of a note whose record changed, and its line of the overlay: the values of front matter that changed, and text at
// the end of the note or, with whole, in place of the text below its front matter. What changed otherwise goes into the line.
func (f *Folder) Write(line Line, data, now []byte, whole bool, at time.Time) ([]byte, Line, error) {
	refuse := func(format string, args ...any) ([]byte, Line, error) {
		return nil, line, &RefusedError{line.Path, fmt.Sprintf(format, args...)}
	}
	was, err := f.Record(line, data)
	if err != nil {
		return refuse("%v", err)
	}
	old, next := gjson.ParseBytes(was), gjson.ParseBytes(now)
	out := data
	if f.Layout.Level != layout.Tend && !Archived(line.Path) && old.Get("content").Raw != next.Get("content").Raw {
		return refuse("memoryd only reads such a folder (%s)", f.Layout.Host)
	}
	is, will := saidIn(old.Get("content")), saidIn(next.Get("content"))
	if old.Get("content").Raw == next.Get("content").Raw {
		will = is
	} else if whole {
		will = wanted(is, next.Get("content"), mdedit.LineEnd(data))
	} else if other := extra(old.Get("content"), next.Get("content")); other != "" {
		return refuse("its text has no place for %s", other)
	}
	for _, part := range []struct {
		what, was, now string
		names          []string
	}{{"title", is.title, will.title, []string{"title", "name"}}, {"summary", is.summary, will.summary, []string{"description", "summary"}}} {
		if part.was == part.now {
			continue
		}
		if !whole {
			return refuse("only a person changes its %s", part.what)
		}
		if out, err = setFront(out, part.names, part.now); err != nil {
			return refuse("its %s stays: %v", part.what, err)
		}
	}
	if is.details != will.details {
		if !whole && !strings.HasPrefix(will.details, strings.TrimRight(is.details, "\r\n")) {
			return refuse("its text would be rewritten")
		}
		if err := mdedit.Check(out); err != nil {
			return refuse("%v", err)
		}
		body := mdedit.BodyAt(out)
		if out, err = mdedit.Splice(out, mdedit.Span{Start: body, End: len(out)}, will.details); err != nil {
			return refuse("%v", err)
		}
	}
	fields := map[string]json.RawMessage{}
	for key, v := range line.Fields {
		fields[key] = v
	}
	handled := map[string]bool{"content": true, "updated_at": true, "id": true}
	next.ForEach(func(key, v gjson.Result) bool {
		if !handled[key.Str] && old.Get(gjson.Escape(key.Str)).Raw != v.Raw {
			fields[key.Str] = json.RawMessage(v.Raw)
		}
		return true
	})
	old.ForEach(func(key, _ gjson.Result) bool {
		if !handled[key.Str] && !next.Get(gjson.Escape(key.Str)).Exists() {
			fields[key.Str] = json.RawMessage("null")
		}
		return true
	})
	if len(fields) > 0 {
		line.Fields = fields
	}
	if !bytes.Equal(out, data) {
		stamp := timestamp.Format(at)
		for _, key := range []string{"modified", "updated", "updated_at"} {
			for _, within := range []string{"", "metadata"} {
				if k := mdedit.FrontOf(out).Key(within, key); k != nil && k.Scalar {
					if changed, err := mdedit.SetValue(out, within, key, stamp); err == nil {
						out = changed
					}
				}
			}
		}
		line.Sum, line.Updated = Sum(out), stamp
	}
	return out, line, nil
}

// extra names a member of the content that a note has no place for; "" for none.
func extra(old, now gjson.Result) (name string) {
	if !now.IsObject() {
		return "what it says"
	}
	now.ForEach(func(key, v gjson.Result) bool {
		switch key.Str {
		case "title", "summary", "details":
		default:
			if old.Get(gjson.Escape(key.Str)).Raw != v.Raw {
				name = key.Str
			}
		}
		return name == ""
	})
	return name
}

// setFront sets the first of some keys that the front matter has, or the first one.
func setFront(data []byte, names []string, value string) ([]byte, error) {
	front := mdedit.FrontOf(data)
	for _, name := range names {
		for _, within := range []string{"", "metadata"} {
			if front.Key(within, name) != nil {
				return mdedit.SetValue(data, within, name, value)
			}
		}
	}
	if front == nil {
		return nil, fmt.Errorf("%w: front matter", mdedit.ErrNoSuch)
	}
	return mdedit.SetValue(data, "", names[0], value)
}

func sortedKeys(m map[string]json.RawMessage) (keys []string) {
	for k := range m {
		keys = append(keys, k)
	}
	slices.Sort(keys)
	return keys
}

// Known is the line of an id, if the overlay has it.
func (f *Folder) Known(id string) (Line, bool) {
	line, ok := f.byID[id]
	return line, ok
}

// Word is the host's word for the kind of a memory: its own where that is one, else the one that is nearest to our type.
func Word(kind, word string) string {
	switch word = strings.ToLower(word); {
	case layout.HostType(word):
		return word
	case kind == "procedural":
		return "feedback"
	}
	return "project"
}

// Kind is our type for a host's word.
func Kind(word string) string {
	if word == "feedback" {
		return "procedural"
	}
	return "factual"
}

// nameMost is how many characters the name of a new note has at most that nobody named.
const nameMost = 60

// New is a note in the host's form, and its name, for a record that somebody saves. Everything that the record says stands in the text
// below the front matter. Nested tells that the type stands below "metadata:".
func New(record []byte, nested bool) (text []byte, title string) {
	r := gjson.ParseBytes(record)
	says := saidBy(r.Get("content"))
	summary := strings.Join(strings.Fields(cmp.Or(says.summary, firstSentence(strings.TrimSpace(says.details)))), " ")
	title = strings.Join(strings.Fields(cmp.Or(says.title, strings.TrimRight(words.TruncateWords(summary, nameMost), "."))), " ")
	var b bytes.Buffer
	b.WriteString("---\n")
	write := func(key, value string) { b.WriteString(key + ": " + mdedit.Quoted(value) + "\n") }
	write("name", title)
	write("description", summary)
	if nested {
		b.WriteString("metadata:\n  ")
	}
	write("type", Word(r.Get("type").String(), r.Get("subtype").String()))
	b.WriteString("---\n\n" + strings.Trim(says.details, "\r\n") + "\n")
	return b.Bytes(), title
}

// Nested reports whether the type of a note stands below "metadata:".
func Nested(data []byte) bool { return mdedit.FrontOf(data).Key("metadata", "type") != nil }

// Text is the text below the front matter of the note that is made of a record, without blank lines around it.
func Text(record []byte) string {
	return strings.TrimSpace(saidBy(gjson.GetBytes(record, "content")).details)
}

// said is a content as a note says it.
type said struct{ title, summary, details string }

// saidBy is a content as a note says it: what has no place of its own is in the text. A summary alone is the text, too.
func saidBy(content gjson.Result) (s said) {
	if content.Type == gjson.String {
		return said{details: content.Str, summary: firstSentence(strings.TrimSpace(content.Str))}
	}
	s = said{content.Get("title").String(), content.Get("summary").String(), content.Get("details").String()}
	if s.details == "" {
		s.details = s.summary
	}
	content.ForEach(func(key, v gjson.Result) bool {
		if !slices.Contains([]string{"title", "summary", "details"}, key.Str) && v.Type != gjson.Null {
			s.details = strings.TrimRight(s.details, "\n") + "\n\n## " + key.Str + "\n\n" + written(v)
		}
		return true
	})
	s.details = strings.TrimLeft(s.details, "\n")
	return s
}

// saidIn is a content that was made of a note.
func saidIn(content gjson.Result) said {
	return said{content.Get("title").String(), content.Get("summary").String(), content.Get("details").String()}
}

// wanted is what a note is to say where somebody gives it a content: its title and summary stay where the content has none, and the
// blank lines around its text.
func wanted(is said, content gjson.Result, end string) said {
	will := saidBy(content)
	will.title = cmp.Or(will.title, is.title)
	if content.IsObject() && !content.Get("summary").Exists() {
		will.summary = is.summary
	}
	if details := content.Get("details"); details.Str == is.details && extra(gjson.Result{}, content) == "" {
		will.details = is.details
		return will
	}
	lead := is.details[:len(is.details)-len(strings.TrimLeft(is.details, "\r\n"))]
	will.details = lead + strings.Trim(will.details, "\r\n") + is.details[len(strings.TrimRight(is.details, "\r\n")):]
	if end != "\n" {
		will.details = strings.ReplaceAll(strings.ReplaceAll(will.details, "\r\n", "\n"), "\n", end)
	}
	return will
}

// written is a value as Markdown: text, a list of texts, or JSON as code.
func written(v gjson.Result) string {
	if v.IsArray() && !slices.ContainsFunc(v.Array(), func(e gjson.Result) bool { return e.Type == gjson.JSON }) {
		var b strings.Builder
		for _, e := range v.Array() {
			b.WriteString("- " + strings.ReplaceAll(e.String(), "\n", "\n  ") + "\n")
		}
		return b.String()
	}
	if v.Type == gjson.JSON {
		return "```json\n" + v.Raw + "\n```\n"
	}
	return v.String() + "\n"
}

// Keep is the line of a note that was made of a record, with what the note has no place for.
func (f *Folder) Keep(line Line, data, record []byte) (Line, error) {
	made, err := f.Record(line, data)
	if err != nil {
		return line, err
	}
	was := gjson.ParseBytes(made)
	for key, v := range gjson.ParseBytes(record).Map() {
		if v.Type == gjson.Null || slices.Contains([]string{"id", "content", "created_at", "updated_at"}, key) || was.Get(gjson.Escape(key)).Raw == v.Raw ||
			key == "access_count" && v.Int() == 0 || key == "priority" && v.Str == "medium" {
			continue
		}
		if line.Fields == nil {
			line.Fields = map[string]json.RawMessage{}
		}
		line.Fields[key] = json.RawMessage(v.Raw)
	}
	return line, nil
}

// NewName is the name of a new note: by its title, in the form that the names of the others have. A name that is taken gets a number.
func NewName(names []string, word, title string) string {
	typed := 0
	for _, name := range names {
		if first, _, ok := strings.Cut(path.Base(name), "_"); ok && layout.HostType(first) {
			typed++
		}
	}
	dash := "-"
	if 2*typed > len(names) {
		dash = "_"
	}
	words := strings.FieldsFunc(strings.ToLower(title), func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) })
	stem := ""
	for _, w := range words {
		if len(stem)+len(w) > 50 {
			break
		}
		stem = strings.TrimPrefix(stem+dash+w, dash)
	}
	stem = cmp.Or(stem, "note")
	if dash == "_" && word != "" {
		stem = word + dash + stem
	}
	taken := func(name string) bool {
		return slices.ContainsFunc(names, func(other string) bool { return strings.EqualFold(other, name) })
	}
	name := stem + ".md"
	for n := 2; taken(name) || layout.Instructions(strings.ToUpper(stem)+".md") || strings.EqualFold(name, "MEMORY.md"); n++ {
		name = fmt.Sprint(stem, dash, n, ".md")
		if !taken(name) {
			break
		}
	}
	return name
}
