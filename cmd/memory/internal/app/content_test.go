package app

import (
	"errors"
	"strings"
	"testing"
)

func TestText(t *testing.T) {
	for text, want := range map[string]string{
		" a <b> & c\n": `{"summary":"a <b> & c"}`,
		"one\ntwo":     `{"summary":"one","details":"one\ntwo"}`,
	} {
		if got, err := TextContent(text); err != nil || string(got) != want {
			t.Errorf("%q: %s, %v", text, got, err)
		}
	}
	if _, err := TextContent(" \n"); !errors.Is(err, ErrEmptyText) {
		t.Error(err)
	}
	if got, err := TextContent("\xff"); err == nil {
		t.Errorf("%q", got)
	}
}

func TestHeadline(t *testing.T) {
	long := strings.Repeat("word ", 60)
	for text, want := range map[string]string{
		"short":                  "short",
		"first line\nsecond":     "first line",
		"One. " + long:           "One.",
		"v1.2 and " + long:       "v1.2 and " + strings.TrimSpace(strings.Repeat("word ", 26)) + "…",
		strings.Repeat("日", 200): strings.Repeat("日", 139) + "…",
	} {
		if got := headline(text); got != want {
			t.Errorf("%.20q…: %q, want %q", text, got, want)
		}
	}
}
