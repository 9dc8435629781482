package main

import (
	"bufio"
	"fmt"
	"time"

	"github.com/memoryd/memoryd/pkg/temporal"
)

func temporalTask() *task {
	t := newTask("temporal")
	t.purpose = "resolve the expressions of time in a text"
	t.detail = `A row has "id", "text" and "ref", the time that "yesterday" is counted from:
2026-03-01T09:00:00Z, 2026-03-01T09:00:00 or 2026-03-01. An answer is a line

  id TAB start TAB end TAB grain TAB matched

for each expression, in the order of the text: the interval [start, end) on the
clock of "ref", without its offset. A text without expressions gives no line.`
	t.example = "memeval temporal items.jsonl > spans.tsv"
	t.start = func(out *bufio.Writer) (func([]byte) error, func() error) {
		return func(line []byte) error { return resolveRow(line, out) }, out.Flush
	}
	return t
}

func resolveRow(line []byte, out *bufio.Writer) error {
	var row struct {
		ID   *string `json:"id"`
		Text *string `json:"text"`
		Ref  *string `json:"ref"`
	}
	if err := decode(line, &row); err != nil {
		return err
	}
	if err := rowID(row.ID); err != nil {
		return err
	}
	if err := need(field{"text", row.Text}, field{"ref", row.Ref}); err != nil {
		return err
	}
	ref, err := parseRef(*row.Ref)
	if err != nil {
		return err
	}
	const clock = "2006-01-02T15:04:05"
	for _, s := range temporal.Resolve(*row.Text, ref) {
		if _, err := fmt.Fprintf(out, "%s\t%s\t%s\t%s\t%s\n", *row.ID, s.From.Format(clock), s.To.Format(clock), s.Grain, cell(s.Text)); err != nil {
			return err
		}
	}
	return nil
}

// parseRef reads a time, with its offset or without one.
func parseRef(text string) (time.Time, error) {
	for _, layout := range []string{time.RFC3339, "2006-01-02T15:04:05", "2006-01-02T15:04", "2006-01-02 15:04:05", "2006-01-02 15:04", "2006-01-02"} {
		if ref, err := time.Parse(layout, text); err == nil {
			return ref, nil
		}
	}
	return time.Time{}, fmt.Errorf("the field \"ref\" is %q: no time such as 2026-03-01T09:00:00Z", text)
}
