package main

import (
	"bufio"
	"bytes"
	"encoding/json"
	"time"

	"github.com/memoryd/memoryd/pkg/summary"
)

func summariseTask() *task {
	t := newTask("summarise")
	t.purpose = "shorten a text to its most telling sentences"
	t.detail = `A row has "id" and "text", and may have "title" and "ref", the time of writing,
from which absolute dates are added to relative ones. An answer is a line

  {"id": ..., "summary": ...}

The summary has no sections and at most --words words, counted at white space.`
	t.example = "memeval summarise docs.jsonl.gz > summaries.jsonl"
	words := t.flags.Int("words", 100, "longest summary, in `WORDS`")
	t.check = func() error {
		if *words < 1 {
			return usagef("summarise: --words %d: it must be at least 1", *words)
		}
		return nil
	}
	t.start = func(out *bufio.Writer) (func([]byte) error, func() error) {
		return func(line []byte) error { return summariseRow(line, *words, out) }, out.Flush
	}
	return t
}

func summariseRow(line []byte, words int, out *bufio.Writer) error {
	var row struct {
		ID    *string `json:"id"`
		Text  *string `json:"text"`
		Title string  `json:"title"`
		Ref   string  `json:"ref"`
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
	var answer bytes.Buffer
	enc := json.NewEncoder(&answer) // ends the line itself
	enc.SetEscapeHTML(false)
	if err := enc.Encode(struct {
		ID      string `json:"id"`
		Summary string `json:"summary"`
	}{*row.ID, summary.Flat(*row.Text, row.Title, words, ref)}); err != nil {
		return err
	}
	_, err := out.Write(answer.Bytes())
	return err
}
