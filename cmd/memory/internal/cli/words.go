package cli

import (
	"cmp"
	"strconv"
	"strings"
	"time"

	"github.com/memoryd/memoryd/cmd/memory/internal/app"
	"github.com/memoryd/memoryd/pkg/oplog"
)

// quoteAll writes words of the user's as they would be typed.
func quoteAll(words []string) string {
	quoted := make([]string, len(words))
	for i, w := range words {
		quoted[i] = strconv.Quote(w)
	}
	return strings.Join(quoted, " ")
}

// when writes a time for people, in the time zone of the workspace; "-" when it isn't known.
func (c *call) when(t time.Time) string { return c.written(t, app.Minute) }

// day writes the day of a time, likewise.
func (c *call) day(t time.Time) string { return c.written(t, time.DateOnly) }

func (c *call) written(t time.Time, layout string) string {
	if t.IsZero() {
		return "-"
	}
	return t.In(cmp.Or(c.zone, time.Local)).Format(layout)
}

// Words that stand in package app, which other surfaces use too.

func quantity(n int, what string) string { return app.Quantity(n, what) }

func thousands(n int) string { return app.Thousands(n) }

func reasonWords(reason string) string { return app.Reason(reason) }

func totals(s oplog.Stats) string { return app.Totals(s) }

func some(words []string, n int) string { return app.First(words, n) }

func closest(word string, options []string) string { return app.Closest(word, options) }

func actionHead(a *oplog.Action) string { return printable(app.DescribeAction(a)) }
