package note

import (
	"path"
	"strings"

	"github.com/memoryd/memoryd/pkg/internal/mdedit"
)

// Body is the text of a note below its front matter, without blank lines around it: what makes two notes copies of each other.
func Body(data []byte) string { return strings.TrimSpace(string(data[mdedit.BodyAt(data):])) }

// titleOf is what a note is called: by its front matter, its first heading or its file.
func titleOf(name string, front *mdedit.Front, data []byte) string {
	if t := front.Value("title", "name"); t != "" {
		return t
	}
	if heads := mdedit.Headings(data); len(heads) > 0 && heads[0].Title != "" {
		return heads[0].Title
	}
	return strings.TrimSuffix(path.Base(name), ".md")
}

// Entry is what the entry of a note in an index is made of: its title; its hook, which is what it says in a sentence, by its description
// or, where it has none, its first line of text; and its group, the host's word for its kind, "" for none.
func Entry(name string, data []byte) (title, hook, group string) {
	front := mdedit.FrontOf(data)
	return titleOf(name, front, data), hookOf(front, data), groupOf(front)
}

func hookOf(front *mdedit.Front, data []byte) string {
	if d := front.Value("description", "summary"); d != "" {
		return firstSentence(d)
	}
	for _, l := range mdedit.Plain(data) {
		if line := strings.TrimSpace(l.Text(data)); line != "" && line[0] != '#' {
			return firstSentence(strings.TrimLeft(line, "-*+> "))
		}
	}
	return ""
}

func groupOf(front *mdedit.Front) string { return strings.ToLower(front.Value("type")) }

func firstSentence(s string) string {
	for i := range s {
		if strings.IndexByte(".!?", s[i]) >= 0 && i > 20 && strings.HasPrefix(s[i+1:], " ") {
			return s[:i+1]
		}
	}
	return s
}

// Group is the host's word for the kind of a note; "" for none.
func Group(data []byte) string { return groupOf(mdedit.FrontOf(data)) }

// Nested reports whether the type of a note stands below "metadata:".
func Nested(data []byte) bool { return mdedit.FrontOf(data).Key("metadata", "type") != nil }
