package edit

import (
	"strconv"
	"strings"

	"github.com/tidwall/gjson"

	"github.com/memoryd/memoryd/internal/document"
	"github.com/memoryd/memoryd/internal/fail"
)

// ParseSet reads key=value: the path of the key, in which \. is a dot of its own,
// and the value, JSON where it is valid JSON and a text otherwise.
func ParseSet(text string) (path []string, value []byte, err error) {
	key, raw, ok := strings.Cut(text, "=")
	if !ok {
		return nil, nil, fail.Usagef("--set %s: write KEY=VALUE, such as content.summary=…", strconv.Quote(text))
	}
	part := ""
	for rest := key; ; {
		i := strings.IndexAny(rest, `.\`)
		switch {
		case i < 0:
			path = append(path, part+rest)
		case rest[i] == '\\' && i+1 < len(rest):
			part += rest[:i] + rest[i+1:i+2]
			rest = rest[i+2:]
			continue
		case rest[i] == '\\':
			return nil, nil, fail.Usagef("--set %s: a backslash ends the key", strconv.Quote(text))
		default:
			path, part, rest = append(path, part+rest[:i]), "", rest[i+1:]
			continue
		}
		break
	}
	for _, p := range path {
		if p == "" {
			return nil, nil, fail.Usagef("--set %s: a part of the key is empty", strconv.Quote(text))
		}
	}
	if trimmed := strings.TrimSpace(raw); trimmed != "" && gjson.Valid(trimmed) {
		return path, []byte(trimmed), nil
	}
	value, err = document.Marshal(raw)
	return path, value, err
}
