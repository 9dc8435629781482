package app

import (
	"errors"
	"strings"
	"unicode/utf8"
)

// ErrEmptyText refuses a text that says nothing.
var ErrEmptyText = errors.New("the text is empty")

// summaryLength is how long the summary of a text gets, in characters; a longer
// text, or one of several lines, has details as well.
const summaryLength = 140

// TextContent is the content of a memory that says a text.
func TextContent(text string) ([]byte, error) {
	text = strings.TrimSpace(text)
	if text == "" {
		return nil, ErrEmptyText
	}
	if !utf8.ValidString(text) {
		return nil, errors.New("the text is not UTF-8")
	}
	content := struct {
		Summary string `json:"summary"`
		Details string `json:"details,omitempty"`
	}{Summary: headline(text)}
	if content.Summary != text {
		content.Details = text
	}
	return Marshal(content)
}

// headline is the first sentence of a text, or as much of its first line as fits.
func headline(text string) string {
	line, _, _ := strings.Cut(text, "\n")
	line = strings.TrimSpace(line)
	if utf8.RuneCountInString(line) <= summaryLength {
		return line
	}
	head := string([]rune(line)[:summaryLength])
	if end := strings.LastIndexAny(head, ".!?"); end > 0 && strings.HasPrefix(line[end+1:], " ") {
		return head[:end+1]
	}
	head = string([]rune(head)[:summaryLength-1])
	if end := strings.LastIndexByte(head, ' '); end > len(head)/2 {
		head = head[:end]
	}
	return strings.TrimRight(head, " ,;:") + "…"
}
