package memory

import (
	"slices"
	"strings"
	"time"

	"github.com/tidwall/gjson"

	"github.com/memoryd/memoryd/pkg/internal/jsonedit"
	"github.com/memoryd/memoryd/pkg/text"
	"github.com/memoryd/memoryd/pkg/timestamp"
)

// Members of a record that say how it is to be found, and when it is to be looked at again.
const (
	AliasesKey  = "aliases"
	ReviewOnKey = "review_on"
)

// How many aliases a memory has at most, and how many characters one has.
const (
	MaxAliases = 20
	MaxAlias   = 100
)

// Aliases are the words by which somebody would search for a memory and which it does not say itself. They are indexed for search, and say
// nothing: no block and no list shows them.
func Aliases(m *Memory) (list []string) {
	raw := m.Raw()
	if !strings.Contains(string(raw), `"`+AliasesKey+`"`) {
		return nil
	}
	add := func(v gjson.Result) {
		if word := strings.Join(strings.Fields(v.Str), " "); v.Type == gjson.String && word != "" && len(list) < MaxAliases {
			list = append(list, text.Truncate(word, MaxAlias))
		}
	}
	switch v := gjson.GetBytes(raw, AliasesKey); {
	case v.IsArray():
		v.ForEach(func(_, e gjson.Result) bool { add(e); return true })
	default:
		add(v)
	}
	return list
}

// WithAliases is the list of aliases of a memory with more of them, and how many are new: each is trimmed, and one that is there in any case is not
// taken twice.
func WithAliases(have, more []string) (all []string, added int) {
	all = slices.Clone(have)
	for _, word := range more {
		word = strings.Join(strings.Fields(word), " ")
		if word == "" || slices.ContainsFunc(all, func(is string) bool { return text.SameName(is, word) }) {
			continue
		}
		all, added = append(all, word), added+1
	}
	return all, added
}

// AddAliases is the record of a memory with more aliases.
func AddAliases(record []byte, have, more []string) ([]byte, error) {
	all, added := WithAliases(have, more)
	if added == 0 {
		return record, nil
	}
	return jsonedit.Apply(record, jsonedit.Set(jsonedit.Strings(all), AliasesKey))
}

// DueForReview reports whether the day on which somebody wanted to look at a memory again has come, in the zone of a time. A day that can't be read never comes.
func (m *Memory) DueForReview(at time.Time) bool {
	day := strings.TrimSpace(m.ReviewOn)
	if date, err := time.ParseInLocation(time.DateOnly, day, at.Location()); err == nil {
		return !at.Before(date)
	}
	moment := timestamp.Parse(day)
	return !moment.IsZero() && !at.Before(moment)
}

// Supersede is the record of a memory that points to one more memory that holds in its place.
func Supersede(m *Memory, id string) ([]byte, error) {
	edits := []jsonedit.Edit{jsonedit.Set(OneMore(m, "superseded_by", Stated(m).SupersededBy, id), "superseded_by")}
	if _, part := ReplacedBy(m); len(part) > 0 {
		edits = append(edits, jsonedit.Delete("superseded_kind")) // not only a part any more
	}
	return m.Edit(edits...)
}

// SupersedePartly is the record of a memory of which another one replaces a part. It still holds, and its times stay, so that the
// newer one is the newer.
func SupersedePartly(m *Memory, id string) ([]byte, error) {
	return m.Edit(jsonedit.Set(OneMore(m, "superseded_by", Stated(m).SupersededBy, id), "superseded_by"), jsonedit.Set(jsonedit.Quote(partial), "superseded_kind"))
}

// partial is the superseded_kind of a memory of which only a part was replaced.
const partial = "partial"

// ReplacedBy lists the memories that hold instead of a memory, and those that replace only a part of it, as its record says.
func ReplacedBy(m *Memory) (all, part []string) {
	if len(m.SupersededBy) > 0 && gjson.GetBytes(m.Raw(), "superseded_kind").Str == partial {
		part = Stated(m).SupersededBy
		return slices.DeleteFunc(slices.Clone(m.SupersededBy), func(id string) bool { return slices.Contains(part, id) }), part
	}
	return m.SupersededBy, nil
}

// OneMore is the value of a member that points to other memories, with one more id: a lone id stays a string, several are an array.
func OneMore(m *Memory, key string, have []string, id string) []byte {
	if slices.Contains(have, id) {
		return []byte(gjson.GetBytes(m.Raw(), key).Raw)
	}
	if len(have) == 0 && !gjson.GetBytes(m.Raw(), key).IsArray() {
		return jsonedit.Quote(id)
	}
	return jsonedit.Strings(append(slices.Clone(have), id))
}
