package rules

import (
	"strconv"
	"strings"
	"time"

	"github.com/memoryd/memoryd/pkg/text"
)

// quantity names a number of things.
func quantity(n int, what string) string {
	return strconv.Itoa(n) + " " + text.Plural(n, what)
}

// age is how long ago t was, in words.
func age(now, t time.Time) string {
	d := now.Sub(t)
	switch {
	case d < 0:
		return "created in the future"
	case d < 48*time.Hour:
		return strconv.Itoa(int(d.Hours())) + " h"
	}
	return strconv.Itoa(int(d.Hours()/24)) + " days"
}

// ago is how long ago something happened, in words; a zero time is never.
func ago(now, t time.Time) string {
	if t.IsZero() {
		return "never"
	}
	return age(now, t) + " ago"
}

// or gives text, or instead where it names nothing.
func or(text, instead string) string {
	if strings.Trim(text, "/ ") == "" {
		return instead
	}
	return text
}
