package foreign

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/tidwall/gjson"

	"github.com/memoryd/memoryd/pkg/internal/jsonedit"
	"github.com/memoryd/memoryd/pkg/memory"
	"github.com/memoryd/memoryd/pkg/rules"
	"github.com/memoryd/memoryd/pkg/text"
	"github.com/memoryd/memoryd/pkg/timestamp"
)

// Metadata is the member of a memory for those of a record that have no place of their own.
const Metadata = "metadata"

// lifetimes are the names under which programs say until when a record is of use.
var lifetimes = []string{"expires", "expires_at", "expiresAt", "expiry", "expiration", "valid_until"}

// priorities are those that a memory may have.
var priorities = []string{"critical", "high", "medium", "normal", "low"}

// placed is what a member of a record is in a memory: the name of a member of that, and its value. The name is "" for a member that a memory
// has none for; why says why the value is not one that the member of a memory may have.
func placed(key string, v gjson.Result) (name string, value json.RawMessage, why string) {
	text := strings.TrimSpace(jsonedit.Text(v))
	lower := strings.ToLower(text)
	quoted := func(text string) json.RawMessage { return json.RawMessage(jsonedit.Quote(text)) }
	switch {
	case empty(v):
		return "", nil, ""
	case slices.Contains(lifetimes, key):
		if ttl, ok := until(text); ok {
			return "ttl", quoted(ttl), ""
		}
		return "", nil, "is not a date"
	}
	switch key {
	case "priority":
		if v.Type == gjson.String && slices.Contains(priorities, lower) {
			return key, quoted(lower), ""
		}
		return "", nil, "is not critical, high, medium or low"
	case "ttl":
		if _, err := rules.ParseTTL(text, time.UTC); v.Type == gjson.String && err == nil {
			return key, quoted(text), ""
		}
		return "", nil, "is not a duration, a date or permanent"
	case "protected", "pinned":
		if truth, ok := truths[lower]; ok && (v.Type == gjson.String || v.IsBool()) {
			return key, json.RawMessage(truth), ""
		}
		return "", nil, "is not true or false"
	case "importance", "confidence":
		if n := gjson.Parse(text); n.Type == gjson.Number && n.Num >= 0 && n.Num <= 1 && jsonedit.Check([]byte(text)) == nil {
			return key, json.RawMessage(text), ""
		}
		return "", nil, "is not a number from 0 to 1"
	case "model": // of other words most are the model that wrote the record
		if lower == memory.ModelNever || lower == memory.ModelLocal {
			return key, quoted(lower), ""
		}
	case "review_on":
		if at := timestamp.Parse(text); !at.IsZero() {
			return key, quoted(text), ""
		}
		return "", nil, "is not a date"
	case "aliases":
		if words := textsOf(v); words != nil {
			return key, jsonedit.Strings(words), ""
		}
		return "", nil, "is not a list of words"
	case "references":
		if v.IsArray() && !slices.ContainsFunc(v.Array(), func(e gjson.Result) bool { return e.Type != gjson.String && !e.IsObject() }) {
			return key, json.RawMessage(v.Raw), ""
		}
		if v.Type == gjson.String {
			return key, jsonedit.Strings([]string{text}), ""
		}
		return "", nil, "is not a list of references"
	case supersedes, supersededBy:
		if ids := textsOf(v); ids != nil {
			return key, jsonedit.Strings(ids), ""
		}
		return "", nil, "is not a list of ids"
	}
	return "", nil, ""
}

// truths are how people and programs write true and false.
var truths = map[string]string{"true": "true", "yes": "true", "on": "true", "false": "false", "no": "false", "off": "false"}

// until is a ttl that ends when a text says: on that day, or at that time.
func until(text string) (ttl string, ok bool) {
	if _, err := time.Parse(time.DateOnly, text); err == nil {
		return text, true
	}
	at := timestamp.Parse(text)
	return timestamp.Format(at), !at.IsZero()
}

// textsOf are the texts of a list, or a lone one; nil for anything else.
func textsOf(v gjson.Result) (texts []string) {
	for _, e := range v.Array() {
		if inner := e.Array(); e.IsArray() && len(inner) == 1 { // [[Name]] without quotes
			e = inner[0]
		}
		if e.Type != gjson.String && e.Type != gjson.Number || strings.TrimSpace(e.String()) == "" {
			return nil
		}
		texts = append(texts, e.String())
	}
	return texts
}

// has reports whether a member was read already.
func (p *part) has(name string) bool {
	return name == "priority" && p.Priority != "" || slices.ContainsFunc(p.Fields, func(f Field) bool { return f.Key == name })
}

// place gives a member of a record its place in the memory, and reports whether it has one. What a memory has such a member for, but not with
// that value, is reported.
func (p *part) place(key string, v gjson.Result, keptIn string) bool {
	name, value, why := placed(key, v)
	if why == "" && name != "" && p.has(name) {
		why = "stands beside another " + name
	}
	if why != "" {
		p.notes = append(p.notes, fmt.Sprintf("%s %s %s: kept in %s", key, excerpt(v.Raw), why, keptIn))
		return false
	}
	switch name {
	case "":
		return false
	case "priority":
		p.Priority = gjson.ParseBytes(value).Str
	case supersedes, supersededBy:
		for _, id := range gjson.ParseBytes(value).Array() {
			p.links = append(p.links, relation{name, target(strings.Trim(id.Str, "[]")), true})
		}
	default:
		p.Fields = append(p.Fields, Field{name, value})
	}
	return true
}

// excerpt is how a value begins, for people.
func excerpt(value string) string { return text.Truncate(value, 61) }
