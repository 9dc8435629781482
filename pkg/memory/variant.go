package memory

import (
	"strings"

	"github.com/tidwall/gjson"
)

// Line is a variant as people read it: its text; before a value the names that lead to it in the content.
func (v Variant) Line() string {
	if v.Text != "" {
		return v.Text
	}
	name := strings.TrimPrefix(strings.TrimPrefix(v.Path, contentPath), "/")
	if name = strings.NewReplacer("/", ".", "~1", "/", "~0", "~").Replace(name); name == "" {
		return v.Words()
	}
	if gjson.Parse(v.Value).IsObject() {
		return name + ":\n" + v.Words()
	}
	return name + ": " + v.Words()
}
