package schemas

import (
	"encoding/json"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/tidwall/gjson"
)

// A plain document is one that certainly has no finding: seen in one pass over its
// bytes, without decoding it. Nearly all are. What isn't certain, an escape in a name
// say, counts as not plain, and the schema decides.

// plainMemory reports whether raw is a memory as memoryd itself would write it.
func plainMemory(raw []byte) bool {
	if !utf8.Valid(raw) || !json.Valid(raw) {
		return false
	}
	id, plain := "", true
	var seen keySet
	var replaces []string
	gjson.ParseBytes(raw).ForEach(func(key, v gjson.Result) bool {
		plain = key.Type == gjson.String && seen.add(key) && plainMember(key.Str, v)
		switch key.Str {
		case "id":
			id = v.Str
		case "supersedes", "superseded_by":
			replaces = append(replaces, v.Str)
			v.ForEach(func(_, e gjson.Result) bool {
				replaces = append(replaces, e.Str)
				return true
			})
		}
		return plain
	})
	return plain && id != "" && !slices.Contains(replaces, id)
}

func plainMember(key string, v gjson.Result) bool {
	switch key {
	case "id":
		return v.Type == gjson.String && simple(v) && !strings.ContainsFunc(v.Str, func(r rune) bool { return r <= ' ' || r > '~' || r == '/' })
	case "type":
		return oneOf(v, "factual", "procedural", "episodic", "semantic", "working")
	case "subtype", "created_by", "scope_id":
		return textOrNull(v)
	case "created_at":
		return timeText(v)
	case "updated_at", "last_accessed":
		return v.Type == gjson.Null || timeText(v)
	case "scope":
		return v.Type == gjson.Null || oneOf(v, "global", "team", "agent", "project", "session")
	case "priority":
		return v.Type == gjson.Null || oneOf(v, "critical", "high", "medium", "normal", "low")
	case "tags":
		return texts(v)
	case "ttl":
		return v.Type == gjson.Null || oneOf(v, "permanent")
	case "content":
		return v.Type == gjson.String || v.IsObject() && plainContent(v)
	case "references":
		return v.Type == gjson.Null || texts(v)
	case "confidence", "importance":
		return v.Type == gjson.Null || v.Type == gjson.Number && v.Num >= 0 && v.Num <= 1 && len(v.Raw) < 16 && !strings.ContainsAny(v.Raw, "eE")
	case "access_count":
		return count(v)
	case "supersedes", "superseded_by", "promoted_to", "promoted_from":
		return v.Type == gjson.Null || simple(v) && (v.Type == gjson.String || texts(v))
	case "consolidation_consent", "protected":
		return v.Type == gjson.Null || v.IsBool()
	}
	return knownKeys()[bare(key)] == ""
}

// plainContent leaves to the schema every member that some type of memory asks
// something of, unless its value is right for all.
func plainContent(content gjson.Result) bool {
	var seen keySet
	plain := true
	content.ForEach(func(key, v gjson.Result) bool {
		if plain = seen.add(key); !plain {
			return false
		}
		switch key.Str {
		case "details":
			plain = textOrNull(v) || v.IsObject()
		case "timeline":
			plain = v.Type == gjson.Null
		case "title", "summary", "subject", "predicate", "steps", "prerequisites", "participants", "outcome",
			"lessons", "concept", "definition", "status", "notes", "pending_items":
			plain = textOrNull(v)
		}
		return plain
	})
	return plain
}

// plainIndex reports whether raw is an index as memoryd itself would write it.
func plainIndex(raw []byte) bool {
	if !utf8.Valid(raw) || !json.Valid(raw) {
		return false
	}
	root := gjson.ParseBytes(raw)
	plain := root.IsObject()
	var seen keySet
	root.ForEach(func(key, v gjson.Result) bool {
		if plain = plain && seen.add(key); !plain {
			return false
		}
		switch key.Str {
		case "version":
			plain = v.Type == gjson.String
		case "last_updated":
			plain = v.Type == gjson.Null || timeText(v)
		case "entry_count", "memory_count":
			plain = count(v)
		case "entries", "memories":
			plain = v.IsArray() && every(v, plainEntry)
		case "tag_index", "type_index":
			plain = v.Type == gjson.Null || v.IsObject() && every(v, texts)
		}
		return plain
	})
	return plain
}

func plainEntry(entry gjson.Result) bool {
	var seen keySet
	id, plain := false, entry.IsObject()
	entry.ForEach(func(key, v gjson.Result) bool {
		if plain = plain && seen.add(key); !plain {
			return false
		}
		switch key.Str {
		case "id":
			id = v.Type == gjson.String && v.Str != ""
		case "type", "subtype", "summary", "priority", "json_path":
			plain = textOrNull(v)
		case "tags":
			plain = v.Type == gjson.Null || texts(v)
		case "created_at", "updated_at":
			plain = v.Type == gjson.Null || timeText(v)
		case "file_path", "file", "path":
			plain = v.Type == gjson.String && simple(v) && v.Str != "" && v.Str[0] != '/' && !strings.Contains(v.Str, "..") && !strings.Contains(v.Str, ":")
		}
		return plain
	})
	return id && plain
}

// keySet finds keys that repeat. Few objects have many keys.
type keySet struct {
	few  [24]string
	n    int
	many map[string]bool
}

// add reports whether the key is new, and written as it is meant.
func (s *keySet) add(key gjson.Result) bool {
	if !simple(key) || slices.Contains(s.few[:s.n], key.Str) || s.many[key.Str] {
		return false
	}
	if s.n < len(s.few) {
		s.few[s.n] = key.Str
		s.n++
		return true
	}
	if s.many == nil {
		s.many = map[string]bool{}
	}
	s.many[key.Str] = true
	return true
}

// simple reports whether nothing in the value is escaped.
func simple(v gjson.Result) bool { return strings.IndexByte(v.Raw, '\\') < 0 }

func textOrNull(v gjson.Result) bool { return v.Type == gjson.String || v.Type == gjson.Null }

func oneOf(v gjson.Result, words ...string) bool {
	return v.Type == gjson.String && slices.Contains(words, v.Str)
}

func timeText(v gjson.Result) bool {
	if v.Type != gjson.String {
		return false
	}
	_, err := time.Parse(time.RFC3339Nano, v.Str)
	return err == nil
}

// count reports whether the value is a whole number, written so.
func count(v gjson.Result) bool {
	if v.Type != gjson.Number || len(v.Raw) > 18 {
		return false
	}
	for _, c := range []byte(v.Raw) {
		if c < '0' || c > '9' {
			return false
		}
	}
	return true
}

// texts reports whether the value is a list of texts.
func texts(v gjson.Result) bool {
	return v.IsArray() && every(v, func(e gjson.Result) bool { return e.Type == gjson.String })
}

// every reports whether all elements, or members, are so.
func every(v gjson.Result, so func(gjson.Result) bool) bool {
	all := true
	v.ForEach(func(_, e gjson.Result) bool {
		all = so(e)
		return all
	})
	return all
}
