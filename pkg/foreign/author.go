package foreign

import (
	"strings"
	"unicode/utf8"
)

// longestAuthor is how long a name may be, in characters, that is taken for an author's.
const longestAuthor = 64

// authorFields are the members by which records of unknown tools name who wrote them.
var authorFields = []string{"created_by", "createdBy", "author", "agent", "agent_id", "agentId"}

// Author is who writes the memories of a format: the tool or the agent, as it names itself where it saves memories here (Claude
// Code is claude-code to an MCP server), so that the same memory from both ways is one. [AuthorUnknown] where any tool may have written them.
func (f Format) Author() string {
	switch f {
	case Claude:
		return "claude-code"
	case Lines, Document, Markdown:
		return AuthorUnknown
	}
	return string(f)
}

// AuthorUnknown is the author of memories of which neither the record nor the format tells one.
const AuthorUnknown = "import"

// author is the first of some members that names an author; "" for none.
func author(told func(key string) string, keys []string) string {
	for _, key := range keys {
		name := strings.Join(strings.Fields(told(key)), " ")
		if name != "" && utf8.RuneCountInString(name) <= longestAuthor && !strings.ContainsAny(name, "{}[]") {
			return name
		}
	}
	return ""
}
