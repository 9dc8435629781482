package foreign

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/tidwall/gjson"

	"github.com/memoryd/memoryd/pkg/internal/jsonedit"
	"github.com/memoryd/memoryd/pkg/memory"
	"github.com/memoryd/memoryd/pkg/timestamp"
)

// types are those that the rules know.
var types = []string{memory.Factual, memory.Procedural, memory.Episodic, memory.Semantic, memory.Working}

// invalid is why a text is not JSON, and where: the column within its line.
type invalid struct{ at *jsonedit.Error }

func (e *invalid) Error() string { return "not valid JSON: " + e.at.Msg }

// columnOf is the column of what isn't valid, as a place has it, behind so many characters; "" for another error.
func columnOf(err error, behind int) string {
	if bad, ok := errors.AsType[*invalid](err); ok {
		return fmt.Sprintf(":%d", bad.at.Column+behind)
	}
	return ""
}

// check is why a text is not JSON.
func check(text []byte) error {
	if at, ok := errors.AsType[*jsonedit.Error](jsonedit.Check(text)); ok {
		return &invalid{at}
	}
	return nil
}

// otherError is why the program that wrote a record has it for another end than to be remembered.
type otherError struct{ list, why string }

func (e *otherError) Error() string { return e.why }

// unlike counts the records that are not memories, by the reasons.
type unlike struct {
	reasons []otherError
	counts  map[otherError]int
}

// count reports whether an error is such a reason, and counts it.
func (u *unlike) count(err error) bool {
	e, ok := errors.AsType[*otherError](err)
	if !ok {
		return false
	}
	if u.counts == nil {
		u.counts = map[otherError]int{}
	}
	if u.counts[*e]++; u.counts[*e] == 1 {
		u.reasons = append(u.reasons, *e)
	}
	return true
}

// told says each reason once, and of how many records.
func (u *unlike) told(file string) (misfits []Misfit) {
	for _, r := range u.reasons {
		what := fmt.Sprintf("%d of its records: %s", u.counts[r], r.why)
		if r.list != "" {
			what = fmt.Sprintf("%d of its %s: %s", u.counts[r], r.list, r.why)
		}
		misfits = append(misfits, Misfit{file, what, true})
	}
	return misfits
}

// readValue reads one JSON value of a list; the error says why it can't be a memory.
func readValue(format Format, list, raw string) (p part, err error) {
	if err := check([]byte(raw)); err != nil {
		return p, err
	}
	v := gjson.Parse(raw)
	p.Type, p.Source.Raw = memory.Semantic, raw
	switch {
	case format == Graph && !element(v):
		return p, errors.New("neither an entity nor a relation")
	case v.Type == gjson.String:
		if strings.TrimSpace(v.Str) == "" {
			return p, errors.New("says nothing")
		}
		p.Content, p.key = []byte(raw), string(memory.DigestOf([]byte(raw)))
		return p, nil
	case !v.IsObject():
		return p, errors.New("neither an object nor a text")
	}
	if dup := jsonedit.DuplicateKeys([]byte(raw)); len(dup) > 0 {
		return p, errors.New("the key " + dup[0] + " stands twice")
	}
	k := kindOf(format, list, v)
	if k == &plainKind && own(v) {
		p.ID = v.Get("id").Str
		if p.Own, p.Remark, err = completed([]byte(raw)); err != nil {
			return p, err
		}
		if p.ID == "" {
			p.key, p.Content, p.Tags = string(memory.DigestOf([]byte(raw))), []byte(v.Get("content").Raw), jsonedit.Texts(v.Get("tags"))
		}
		return p, nil
	}
	return p, p.read(k, list, v)
}

// read makes a memory of a record of a kind.
func (p *part) read(k *kind, list string, v gjson.Result) error {
	if k.unlike != nil {
		if why := k.unlike(v); why != "" {
			return &otherError{list, why}
		}
	}
	if p.Content = k.content(v); string(p.Content) == "{}" {
		return errors.New("says nothing")
	}
	p.name(k, list, v)
	p.classify(k, v)
	told := func(key string) string { return jsonedit.Text(v.Get(key)) }
	p.date(told, k.created, k.updated)
	p.Author = author(told, k.authors)
	for _, path := range k.project {
		if name := v.Get(path).String(); strings.TrimSpace(name) != "" {
			p.Scope = memory.Scope{Kind: "project", ID: name}
			break
		}
	}
	if s := v.Get("scope").Str; k.format == Engram && (s == "personal" || s == "global") {
		p.Scope = memory.Global
	}
	if k.format == Beads {
		p.prioritise(v.Get("priority"))
	}
	for _, key := range k.fields {
		if value := v.Get(key); !empty(value) {
			p.Fields = append(p.Fields, Field{key, json.RawMessage(value.Raw)})
		}
	}
	if k.links != nil {
		p.links = append(p.links, k.links(v)...)
	}
	if k.format != Graph {
		v.ForEach(func(key, value gjson.Result) bool {
			if name := key.String(); to(k.texts, name) == "" && !k.lifts(name) {
				p.place(name, value, "the content")
			}
			return true
		})
	}
	return nil
}

// name says what tells the record from the others of its file, and as what these know it.
func (p *part) name(k *kind, list string, v gjson.Result) {
	if k.format == Graph {
		p.Subtype = v.Get("type").Str
		p.key = strings.Join([]string{p.Subtype, v.Get("name").Str, v.Get("from").Str, v.Get("relationType").Str, v.Get("to").Str}, "\x00")
		return
	}
	for _, key := range k.named {
		if name := v.Get(key).String(); name != "" {
			p.key, p.names = name, []string{name}
			if k != &plainKind && k.list != "" {
				p.key = list + "\x00" + name
			}
			return
		}
	}
	p.key = string(memory.DigestOf([]byte(v.Raw)))
}

// classify gives the record a type and tags.
func (p *part) classify(k *kind, v gjson.Result) {
	if k.format == Graph {
		return
	}
	word := v.Get(k.typed).Str
	if k.typed == "" {
		word = ""
	}
	p.Type = k.usual
	switch ours := to(k.types, word); {
	case slices.Contains(types, word):
		p.Type = word
	case ours != "":
		p.Type, p.Subtype = ours, word
	case k != &plainKind:
		p.Subtype = or(word, k.subtype)
	case strings.TrimSpace(word) != "":
		p.Subtype, p.Remark = word, unknownType(word)
	}
	if k.tags != "" {
		p.Tags = tagsOf(v.Get(k.tags))
	}
}

// prioritise reads the priority of an issue: 0 is the highest.
func (p *part) prioritise(v gjson.Result) {
	if n := v.Int(); v.Type == gjson.Number && n >= 0 && n < int64(len(beadsPriorities)) {
		p.Priority = beadsPriorities[n]
	}
}

// content is what a record of a kind says: an object without the members that have a place elsewhere, and for the known programs
// without what is empty.
func (k *kind) content(v gjson.Result) []byte {
	apart := k.apart(v)
	if k == &plainKind || k == &graphKind {
		content := jsonedit.Compact([]byte(v.Raw))
		v.ForEach(func(key, _ gjson.Result) bool {
			if apart[key.String()] {
				if less, err := jsonedit.Apply(content, jsonedit.Delete(key.String())); err == nil {
					content = less
				}
			}
			return true
		})
		return content
	}
	var texts, rest []byte
	for _, t := range k.texts {
		if value := v.Get(t.from); !empty(value) {
			texts = append(texts, member(t.to, value.Raw)...)
		}
	}
	v.ForEach(func(key, value gjson.Result) bool {
		value = k.value(value)
		if to(k.texts, key.String()) == "" && !apart[key.String()] && !empty(value) {
			rest = append(rest, member(key.String(), value.Raw)...)
		}
		return true
	})
	all := append(texts, rest...)
	return append(append([]byte{'{'}, bytes.TrimSuffix(all, []byte{','})...), '}')
}

// member writes a member of an object, and a comma.
func member(key, value string) []byte {
	return append(append(append(jsonedit.Quote(key), ':'), jsonedit.Compact([]byte(value))...), ',')
}

// value is what a member says: the list that a text of it holds.
func (k *kind) value(v gjson.Result) gjson.Result {
	if k.quoted && v.Type == gjson.String && strings.HasPrefix(strings.TrimSpace(v.Str), "[") && jsonedit.Check([]byte(v.Str)) == nil {
		return gjson.Parse(v.Str)
	}
	return v
}

// empty reports whether a value says nothing.
func empty(v gjson.Result) bool {
	switch {
	case !v.Exists() || v.Type == gjson.Null:
		return true
	case v.Type == gjson.String:
		return strings.TrimSpace(v.Str) == ""
	case v.IsObject() || v.IsArray():
		none := true
		v.ForEach(func(_, _ gjson.Result) bool { none = false; return false })
		return none
	}
	return false
}

// apart are the members of a record that have a place next to its content, or none. Of several that would have the same, the first has it.
func (k *kind) apart(v gjson.Result) map[string]bool {
	out, taken := map[string]bool{}, map[string]bool{}
	v.ForEach(func(key, value gjson.Result) bool {
		name := key.String()
		if k.lifts(name) {
			out[name], taken[name] = true, true
		} else if k.format != Graph && to(k.texts, name) == "" {
			if home, _, why := placed(name, value); home != "" && why == "" && !taken[home] {
				out[name], taken[home] = true, true
			}
		}
		return true
	})
	return out
}

// lifts reports whether a member of a record has a place next to its content, or none.
func (k *kind) lifts(key string) bool {
	if key == k.typed || key == k.tags {
		return key != ""
	}
	bare := strings.TrimSuffix(strings.TrimSuffix(key, "_iso"), "_epoch")
	return slices.Contains(k.created, bare) || slices.Contains(k.updated, bare) || slices.Contains(k.fields, key) || slices.Contains(k.dropped, key) ||
		slices.Contains(k.project, key)
}

// tagsOf reads tags: a list, the text of one, words parted by commas, or words that each begin with #.
func tagsOf(v gjson.Result) (tags []string) {
	if v.Type == gjson.String {
		return splitTags(v.Str)
	}
	for _, t := range v.Array() {
		if t.Type == gjson.String && strings.TrimSpace(t.Str) != "" {
			tags = append(tags, t.Str)
		}
	}
	return tags
}

// splitTags reads the tags of one text.
func splitTags(text string) (tags []string) {
	text = strings.TrimSpace(text)
	if strings.HasPrefix(text, "[") && jsonedit.Check([]byte(text)) == nil {
		return tagsOf(gjson.Parse(text))
	}
	for part := range strings.SplitSeq(text, ",") {
		words := []string{part}
		if hashed(part) {
			words = strings.Fields(part)
		}
		for _, w := range words {
			if w = strings.TrimLeft(strings.TrimSpace(w), "#"); w != "" && !slices.Contains(tags, w) {
				tags = append(tags, w)
			}
		}
	}
	return tags
}

// hashed reports whether a text is nothing but words that begin with #.
func hashed(text string) bool {
	words := strings.Fields(text)
	return len(words) > 0 && !slices.ContainsFunc(words, func(w string) bool { return len(w) < 2 || w[0] != '#' || w[1] == '#' })
}

// own reports whether a value is a record of a workspace: it has a content as those have, and a type or an id. Either it has something else
// that only they have, or nothing by which other tools say when and by whom it was written. It may lack what it has from its file.
func own(v gjson.Result) bool {
	id, kind, content := v.Get("id"), v.Get("type"), v.Get("content")
	typed, named := slices.Contains(types, kind.Str), id.Type == gjson.String && id.Str != ""
	marked := slices.ContainsFunc([]string{"created_by", "scope", "scope_id", "promoted_from", "consolidation_consent"}, func(key string) bool { return v.Get(key).Type == gjson.String || v.Get(key).IsBool() })
	var theirs, unknown bool
	v.ForEach(func(k, _ gjson.Result) bool {
		key := k.String()
		unknown = unknown || !slices.Contains(ownMembers, key)
		theirs = theirs || !slices.Contains(ownMembers, key) && slices.ContainsFunc([][]string{createdFields, updatedFields, authorFields, lifetimes}, func(names []string) bool { return slices.Contains(names, key) })
		return true
	})
	switch {
	case !content.IsObject() && content.Type != gjson.String, id.Exists() && !named:
		return false
	case typed:
		return marked || !theirs
	case v.Get("scope").Type == gjson.String && named:
		return true
	}
	return (named || kind.Type == gjson.String) && !unknown
}

// ownMembers are those of a record of a workspace.
var ownMembers = []string{"id", "type", "subtype", "title", "content", "tags", "priority", "importance", "confidence", "created_by", "created_at", "updated_at",
	"last_accessed", "access_count", "scope", "scope_id", "ttl", "references", "supersedes", "superseded_by", "superseded_kind", "promoted_from", "promoted_to",
	"consolidation_consent", "protected", "pinned", "model", "aliases", "review_on", "origin", Metadata, Key, memory.VariantsKey, memory.ConflictsKey}

// completed gives a record of a workspace what it must have for its type and scope: a type of ours, where one that is none becomes the subtype,
// and a scope in two members where it is written in one. The remark says what that changed.
func completed(own []byte) (record []byte, remark string, err error) {
	v := gjson.ParseBytes(own)
	var edits []jsonedit.Edit
	if scope := v.Get("scope").Str; strings.Contains(scope, ":") {
		if parsed, err := memory.ParseScope(scope); err == nil {
			edits = append(edits, jsonedit.Set(jsonedit.Quote(parsed.Kind), "scope"), jsonedit.Set(jsonedit.Quote(parsed.ID), "scope_id"))
		}
	}
	word, whole := v.Get("type").Str, v.Get("scope").Type == gjson.String && v.Get("id").Exists()
	if !slices.Contains(types, word) && (!whole || word == "") {
		edits = append(edits, jsonedit.Set(jsonedit.Quote(memory.Semantic), "type"))
		switch {
		case word == "":
		case v.Get("subtype").String() == "":
			edits = append(edits, jsonedit.Set(jsonedit.Quote(word), "subtype"))
			remark = unknownType(word)
		default:
			remark = fmt.Sprintf("the type %q is not one of memoryd: left out, the memory is semantic", word)
		}
	}
	record, err = jsonedit.Apply(own, edits...)
	return record, remark, err
}

func unknownType(word string) string {
	return fmt.Sprintf("the type %q is not one of memoryd: the memory is semantic, and has it as its subtype", excerpt(word))
}

// date reads the times of a record: of each list of fields the first that can be read; each may also have _iso or _epoch behind its name.
// A field that is there and can't be read is passed to told.
func (p *part) date(told func(key string) string, created, updated []string) {
	first := func(keys []string) (at time.Time) {
		for _, k := range keys {
			for _, form := range []string{"", "_iso", "_epoch"} {
				text := strings.TrimSpace(told(k + form))
				if at = timestamp.Parse(text); !at.IsZero() {
					return at
				}
				if text != "" {
					p.Undated = append(p.Undated, fmt.Sprintf("%s %.100q", k+form, text))
				}
			}
		}
		return at
	}
	p.CreatedAt, p.UpdatedAt = first(created), first(updated)
}

// rebuilt is an imported value with what was edited of it: the members that differ.
func rebuilt(s *Source, content []byte, tags []string) (text, lost string) {
	is, was := gjson.ParseBytes(content), gjson.Parse(s.Raw)
	if s.Raw == "" || !is.IsObject() || !was.IsObject() {
		return rewritten(s.Format, is, content, tags)
	}
	k := kindOf(s.Format, s.List, was)
	if k == &plainKind && own(was) {
		return rebuiltOwn(s, content, tags)
	}
	apart := k.apart(was)
	var edits []jsonedit.Edit
	has := map[string]bool{}
	is.ForEach(func(key, v gjson.Result) bool {
		theirs := from(k.texts, key.String())
		has[theirs] = true
		had := was.Get(gjson.Escape(theirs))
		switch listed := k.value(had); {
		case had.Exists() && bytes.Equal(jsonedit.Compact([]byte(listed.Raw)), jsonedit.Compact([]byte(v.Raw))):
		case listed.Type != had.Type: // a list that is a text there
			edits = append(edits, jsonedit.Set(jsonedit.Quote(string(jsonedit.Compact([]byte(v.Raw)))), theirs))
		default:
			edits = append(edits, jsonedit.Set([]byte(v.Raw), theirs))
		}
		return true
	})
	was.ForEach(func(key, v gjson.Result) bool {
		if name := key.String(); !has[name] && !apart[name] && (k == &plainKind || k == &graphKind || !empty(k.value(v))) {
			edits = append(edits, jsonedit.Delete(name))
		}
		return true
	})
	if !slices.Equal(tagsOf(k.value(was.Get(gjson.Escape(k.tags)))), tags) {
		switch {
		case k.tags == "topic_key": // one at most
			lost = "tags"
		case k.tags != "":
			value := jsonedit.Strings(tags)
			if k.quoted {
				value = jsonedit.Quote(string(value))
			}
			edits = append(edits, jsonedit.Set(value, k.tags))
		case len(tags) > 0:
			lost = "tags"
		}
	}
	doc, err := jsonedit.Apply([]byte(s.Raw), edits...)
	if err != nil {
		return render(s.Format, content), "what was imported can't be edited, and is written anew: " + err.Error()
	}
	return string(doc), lost
}

// rebuiltOwn is a record of a workspace that was imported without an id, with its content and tags as they are now.
func rebuiltOwn(s *Source, content []byte, tags []string) (text, lost string) {
	edits := []jsonedit.Edit{jsonedit.Set(content, "content")}
	if !slices.Equal(jsonedit.Texts(gjson.Get(s.Raw, "tags")), tags) {
		edits = append(edits, jsonedit.Set(jsonedit.Strings(tags), "tags"))
	}
	doc, err := jsonedit.Apply([]byte(s.Raw), edits...)
	if err != nil {
		return render(s.Format, content), "what was imported can't be edited, and is written anew: " + err.Error()
	}
	return string(doc), ""
}

// rewritten is an imported value of which no member is left where it was.
func rewritten(format Format, is gjson.Result, content []byte, tags []string) (text, lost string) {
	switch {
	case format != Graph:
		if len(tags) > 0 {
			lost = "tags"
		}
		return render(format, content), lost
	case element(gjson.Parse(render(format, content))):
		return render(format, content), ""
	}
	return graphText(is.String()), "no entity any more: written as one"
}
