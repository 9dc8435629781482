package web

import (
	"bytes"
	"slices"
	"strings"

	"github.com/memoryd/memoryd/pkg/memory"
	"github.com/memoryd/memoryd/pkg/secrets"
	"github.com/memoryd/memoryd/pkg/text"
)

// shown is a text of a memory as a page shows it: without secrets, without characters that change how what follows is
// displayed, and of some length at most.
func shown(text string) string {
	const most = 60_000 // bytes; a page has 300 KB at most
	if len(text) > most {
		text = strings.ToValidUTF8(text[:most], "") + " … (cut: the record has the rest)"
	}
	text, _ = secrets.Default().Redact(text)
	return strings.Map(plain, text)
}

// named is a text that names something, such as a tag or an author: one line of a page at most.
func named(s string) string { return text.TruncateWords(shown(s), 120) }

// plain replaces a character that changes how what follows is displayed.
func plain(r rune) rune {
	switch {
	case r == '\n' || r == '\t':
		return r
	case r < ' ', r >= 0x7f && r < 0xa0, r >= 0x200e && r <= 0x200f, r >= 0x202a && r <= 0x202e, r >= 0x2066 && r <= 0x2069, r == 0x61c:
		return '\uFFFD'
	}
	return r
}

// visible is a page without such characters, whatever member of a record they stand in; but in a field in which a record is edited, which is
// sent back as it is.
func visible(page []byte) []byte {
	before, rest, edits := bytes.Cut(page, []byte("<textarea"))
	out := bytes.Map(plain, before)
	if !edits {
		return out
	}
	field, after, _ := bytes.Cut(rest, []byte("</textarea>")) // in a text both would be escaped
	return slices.Concat(out, []byte("<textarea"), field, []byte("</textarea>"), visible(after))
}

// summaryOf is the line that stands for a memory.
func summaryOf(m *memory.Memory) string {
	if m == nil {
		return ""
	}
	line, _ := m.Summary()
	return shown(line)
}
