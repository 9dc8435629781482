package main

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/memoryd/memoryd/pkg/summary"
)

func summariseTask() *task {
	t := newTask("summarise")
	t.purpose = "shorten a text to its most telling sentences"
	t.detail = `A row has "id" and "text", and may have "title" and "ref", the time of writing,
from which absolute dates are added to relative ones. An answer is a line

  {"id": ..., "summary": ...}

The summary has no sections and at most --words words, counted at white space. With
--chars it is the one that a run writes into an old episode, with its sections. A row may
have "facts" too, strings that a summary should keep: the answer then has "missing", those
that it lacks (case and white space aside), and the last line counts what they hold.`
	t.example = "memeval summarise docs.jsonl.gz > summaries.jsonl"
	words := t.flags.Int("words", 100, "longest summary, in `WORDS`")
	chars := t.flags.Int("chars", 0, "longest summary, in `CHARACTERS`, as a run writes it")
	t.check = func() error {
		if *words < 1 {
			return usagef("summarise: --words %d: it must be at least 1", *words)
		}
		return nil
	}
	t.start = func(out *bufio.Writer) (func([]byte) error, func() error) {
		count := factCount{}
		return func(line []byte) error { return summariseRow(line, *words, *chars, &count, out) }, func() error {
			if count.all > 0 {
				fmt.Fprintf(out, "{\"facts\": %d, \"held\": %d, \"share\": %.3f}\n", count.all, count.held, float64(count.held)/float64(count.all))
			}
			return out.Flush()
		}
	}
	return t
}

// factCount is how many facts the rows have, and how many their summaries hold.
type factCount struct{ all, held int }

func summariseRow(line []byte, words, chars int, count *factCount, out *bufio.Writer) error {
	var row struct {
		ID    *string  `json:"id"`
		Text  *string  `json:"text"`
		Title string   `json:"title"`
		Ref   string   `json:"ref"`
		Facts []string `json:"facts"`
	}
	if err := decode(line, &row); err != nil {
		return err
	}
	if err := need(field{"id", row.ID}, field{"text", row.Text}); err != nil {
		return err
	}
	var ref time.Time
	if row.Ref != "" {
		var err error
		if ref, err = parseRef(row.Ref); err != nil {
			return err
		}
	}
	short := ""
	if chars == 0 {
		short = summary.Flat(*row.Text, row.Title, words, ref)
	} else if s, err := summary.Summarise(*row.Text, summary.Options{Title: row.Title, MaxChars: chars, Ref: ref}); err == nil {
		short = s.Text()
	}
	squeeze := func(s string) string { return strings.Join(strings.Fields(strings.ToLower(s)), "") }
	squeezed := squeeze(short)
	missing := slices.DeleteFunc(slices.Clone(row.Facts), func(fact string) bool { return strings.Contains(squeezed, squeeze(fact)) })
	count.all += len(row.Facts)
	count.held += len(row.Facts) - len(missing)
	var answer bytes.Buffer
	enc := json.NewEncoder(&answer) // ends the line itself
	enc.SetEscapeHTML(false)
	if err := enc.Encode(struct {
		ID      string   `json:"id"`
		Summary string   `json:"summary"`
		Missing []string `json:"missing,omitempty"`
	}{*row.ID, short, missing}); err != nil {
		return err
	}
	_, err := out.Write(answer.Bytes())
	return err
}
