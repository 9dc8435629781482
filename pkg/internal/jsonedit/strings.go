package jsonedit

import (
	"strings"

	"github.com/tidwall/gjson"
)

// PlainStrings reads a list of strings without escapes, as ids are: a large workspace has lists
// of tens of thousands. They share one copy of their text. Not plain is anything else, which is
// left to encoding/json. The list must be valid JSON.
func PlainStrings(v gjson.Result) (list []string, plain bool) {
	if !v.IsArray() || strings.ContainsRune(v.Raw, '\\') {
		return nil, false
	}
	list, plain = make([]string, 0, strings.Count(v.Raw, `"`)/2), true
	text := strings.Clone(v.Raw)
	gjson.Parse(text).ForEach(func(_, element gjson.Result) bool {
		plain = element.Type == gjson.String
		list = append(list, element.Str)
		return plain
	})
	return list, plain
}
