package secrets

import (
	"strings"

	"github.com/memoryd/memoryd/pkg/internal/lazyregexp"
)

// columns yields the secrets in columns that their heads announce: of tables in Markdown, of lists with commas,
// semicolons or tabs, and of INSERT statements.
func columns(text string, yield func(raw)) {
	inserts(text, yield)
	for at := 0; at < len(text); {
		end, below := lineEnd(text, at), 0
		if sep := separator(text[at:end]); sep != 0 {
			head := cells(text, at, end, sep)
			for i, c := range head {
				if k := heading(text[c.start:c.end]); k != nothing && len(head) > 1 {
					below = max(below, rows(text, end, sep, len(head), i, k, yield))
				}
			}
		}
		at = max(end, below) + 1
	}
}

// mostRows bounds how far below its head a column is read.
const mostRows = 200

// rows yields the secrets in one column of the lines that follow, and returns where the last of them ends.
func rows(text string, at int, sep byte, width, i int, k kind, yield func(raw)) int {
	for range mostRows {
		if at+1 >= len(text) {
			break
		}
		end := lineEnd(text, at+1)
		row := cells(text, at+1, end, sep)
		if len(row) != width {
			break
		}
		c := row[i]
		v := value{start: c.start, end: c.end, sure: true, quoted: true}
		if s := text[c.start:c.end]; v.secret(s, k) && !strings.Contains(s, " ") && !labelled.MatchString(s) {
			yield(v.raw(k))
		}
		at = end
	}
	return at
}

// heading is what the head of a column promises: it is a name and nothing else.
func heading(s string) kind {
	if s == "" || len(s) > 40 || strings.Count(s, " ") > 3 {
		return nothing
	}
	k := nameKind(strings.ReplaceAll(s, " ", "_"))
	if k == nothing && strings.EqualFold(s, "pass") {
		k = aPassword
	}
	if k == maybePassword {
		k = aPassword
	}
	return k
}

func lineEnd(text string, at int) int {
	if i := strings.IndexByte(text[at:], '\n'); i >= 0 {
		return at + i
	}
	return len(text)
}

// separator is what keeps the columns of a line apart, if it is a head of some: 0 if not.
func separator(line string) byte {
	if len(line) > 400 || len(line) < 6 {
		return 0
	}
	switch {
	case strings.Count(line, "|") > 1:
		return '|'
	case strings.Contains(line, "\t"):
		return '\t'
	case strings.ContainsAny(line, " =(){}:") || !strings.ContainsAny(line, ",;"):
		return 0
	case strings.Contains(line, ","):
		return ','
	}
	return ';'
}

// cells are the parts of a line, without the marks around them.
func cells(text string, at, end int, sep byte) (out []candidate) {
	line := text[at:end]
	if sep == '|' {
		line = strings.TrimSuffix(strings.TrimRight(line, " \r"), "|")
		trimmed := strings.TrimPrefix(strings.TrimLeft(line, " "), "|")
		at += len(line) - len(trimmed)
		line = trimmed
	}
	for part := range strings.SplitSeq(line, string(sep)) {
		inner := strings.TrimLeft(part, " \"'`*")
		start := at + len(part) - len(inner)
		out = append(out, candidate{start: start, end: start + len(strings.TrimRight(inner, " \"'`*\r"))})
		at += len(part) + 1
	}
	return out
}

// insert is the head of a statement that writes rows: the names of its columns, and what it writes into them.
var insert = lazyregexp.New(`(?i)\binsert\s{1,4}into\s{1,4}[\w."\x60\[\]]{1,80}\s{0,4}\(([^()]{1,300})\)\s{0,4}values\s{0,4}\(([^()\n]{1,500})\)`)

func inserts(text string, yield func(raw)) {
	if !strings.Contains(text, "INSERT") && !strings.Contains(text, "insert") {
		return
	}
	for _, m := range insert.FindAllStringSubmatchIndex(text, -1) {
		values := cells(text, m[4], m[5], ',')
		for i, c := range cells(text, m[2], m[3], ',') {
			k := heading(text[c.start:c.end])
			if k == nothing || i >= len(values) {
				continue
			}
			v := value{start: values[i].start, end: values[i].end, sure: true, quoted: true}
			if v.secret(text[v.start:v.end], k) {
				yield(v.raw(k))
			}
		}
	}
}
