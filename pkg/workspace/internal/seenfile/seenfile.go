package seenfile

import (
	"bytes"
	"encoding/json"
	"maps"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/memoryd/memoryd/pkg/internal/jsonedit"
)

const (
	head = `{"version":"1.0.0","seen":{`
	tail = "\n}}\n"
)

// Parse reads the file: what is noted, by id. One that is broken says nothing.
func Parse(doc []byte) map[string]string {
	if seen, ok := parseLines(doc); ok {
		return seen
	}
	var f struct {
		Seen map[string]string `json:"seen"`
	}
	if json.Unmarshal(doc, &f) != nil || f.Seen == nil {
		return map[string]string{}
	}
	return f.Seen
}

// parseLines reads a file as [Format] writes it, without escapes: in a large workspace it
// has megabytes, and this takes a tenth of the time. Not ok for any other file.
func parseLines(doc []byte) (seen map[string]string, ok bool) {
	body, begins := bytes.CutPrefix(doc, []byte(head))
	body, ends := bytes.CutSuffix(body, []byte(tail))
	if !begins || !ends || bytes.IndexByte(doc, '\\') >= 0 || !utf8.Valid(doc) {
		return nil, false
	}
	if len(body) == 0 {
		return map[string]string{}, len(doc) == len(head)+len(tail)
	}
	if body[0] != '\n' {
		return nil, false
	}
	text := string(body)
	seen = make(map[string]string, bytes.Count(body, []byte{'\n'}))
	for len(text) > 0 {
		line := text[1:] // without the line feed
		text = ""
		if end := strings.IndexByte(line, '\n'); end >= 0 {
			if end == 0 || line[end-1] != ',' {
				return nil, false
			}
			line, text = line[:end-1], line[end:]
		}
		id, print, ok := pair(line)
		if _, twice := seen[id]; !ok || twice {
			return nil, false
		}
		seen[id] = print
	}
	return seen, true
}

// pair reads "id":"print", both without quotes and control characters.
func pair(line string) (id, print string, ok bool) {
	quotes := [4]int{}
	n := 0
	for i := range len(line) {
		switch {
		case line[i] < ' ', line[i] == '"' && n == len(quotes):
			return "", "", false
		case line[i] == '"':
			quotes[n] = i
			n++
		}
	}
	if n != 4 || quotes[0] != 0 || quotes[2] != quotes[1]+2 || line[quotes[1]+1] != ':' || quotes[3] != len(line)-1 {
		return "", "", false
	}
	return line[1:quotes[1]], line[quotes[2]+1 : quotes[3]], true
}

// Format writes one id per line, sorted, so that the file diffs well.
func Format(seen map[string]string) []byte {
	var b bytes.Buffer
	b.WriteString(head)
	for i, id := range slices.Sorted(maps.Keys(seen)) {
		if i > 0 {
			b.WriteByte(',')
		}
		b.WriteByte('\n')
		b.Write(jsonedit.Quote(id))
		b.WriteByte(':')
		b.Write(jsonedit.Quote(seen[id]))
	}
	b.WriteString(tail)
	return b.Bytes()
}
