package mcp

import (
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"strings"

	"github.com/memoryd/memoryd/internal/document"
)

// maxChars is how many characters of texts an answer holds: some 4,000 tokens of
// prose, 11,000 of Chinese. Hosts warn from 10,000 tokens on.
const maxChars = 16_000

// page is a part of a list.
type page[T any] struct {
	items []T
	next  string // cursor of the rest; "" for none
	total int
}

// paged returns the part of a list that begins at a cursor ("" for the beginning):
// at most size items, and no more than fit into an answer, but one. A list is named
// by what it is of; a cursor of another list is refused.
func paged[T any](list []T, of, cursor string, size int, chars func(T) int) (page[T], error) {
	p := page[T]{total: len(list)}
	start := 0
	if cursor != "" {
		c, err := readCursor(cursor)
		if err != nil || c.Of != of || c.At < 0 || c.At > len(list) {
			return p, errCursor
		}
		start = c.At
	}
	used, end := 0, start
	for end < len(list) && end-start < size {
		if used += chars(list[end]); used > maxChars && end > start {
			break
		}
		end++
	}
	if p.items = list[start:end:end]; end < len(list) {
		p.next = cursorAt{of, end}.String()
	}
	return p, nil
}

// cursorAt is a place in a list.
type cursorAt struct {
	Of string `json:"of"`
	At int    `json:"at"`
}

var errCursor = refuse("Begin again without a cursor.", "the cursor is not one of this list as it is now")

func (c cursorAt) String() string {
	text, _ := json.Marshal(c) // a string and a number always marshal
	return base64.RawURLEncoding.EncodeToString(text)
}

func readCursor(cursor string) (c cursorAt, err error) {
	text, err := base64.RawURLEncoding.DecodeString(cursor)
	if err != nil || json.Unmarshal(text, &c) != nil {
		return c, errCursor
	}
	return c, nil
}

// hash names a list by what it depends on.
func hash(parts ...any) string {
	sum := sha256.Sum256(fmt.Appendf(nil, "%q", parts))
	return hex.EncodeToString(sum[:6])
}

// more tells how to go on; "" when there is nothing more.
func (p page[T]) more(what string) string {
	if p.next == "" {
		return ""
	}
	return fmt.Sprintf("\n%d of %d %s; for more, call again with cursor %s\n", len(p.items), p.total, what, p.next)
}

// oneLine is a line of an answer: nothing that stands in it begins another.
func oneLine(format string, args ...any) string {
	return document.Short(fmt.Sprintf(format, args...), 4000) + "\n"
}

// quoted marks each line of a memory's text as a quotation, so that it can't be taken for the server's own words.
func quoted(text string) string {
	return "> " + strings.ReplaceAll(text, "\n", "\n> ")
}
