package main

import (
	"bufio"
	"encoding/json"
	"fmt"
	"strings"
	"time"

	"github.com/memoryd/memoryd/pkg/memory"
	"github.com/memoryd/memoryd/pkg/recall"
	"github.com/memoryd/memoryd/pkg/supersession"
)

func recallTask() *task {
	t := newTask("recall")
	t.purpose = "find the memories that answer a question"
	t.detail = recallDetail
	t.example = "memeval recall memories.jsonl questions.jsonl > run.tsv"
	t.start = startRecall
	return t
}

func currentTask() *task {
	t := newTask("current")
	t.purpose = "find the value that holds now, where an older one is kept too"
	t.detail = recallDetail
	t.example = "memeval current memories.jsonl questions.jsonl > run.tsv"
	t.start = startRecall
	return t
}

const recallDetail = `Rows with a "question" are questions. They have "id", and optionally "corpus" (which
memories to search) and "question_date". All other rows are memories. They have "id",
"text" or "turns" (a list of {"role", "text"}), and optionally "corpus", "timestamp",
"speaker", "session" and "image_caption". Memories come before the questions about them.
An answer has a line for each of the first 100 hits:

  question_id TAB rank TAB memory_id TAB score`

// corpus holds the memories that a question is asked about.
type corpus struct {
	index  *recall.Index
	byID   map[string]*memory.Memory
	added  []recall.Document // since the last question
	latest time.Time
}

func startRecall(out *bufio.Writer) (func([]byte) error, func() error) {
	corpora := map[string]*corpus{}
	row := func(line []byte) error {
		var r recallRow
		if err := decode(line, &r); err != nil {
			return err
		}
		if err := rowID(r.ID); err != nil {
			return err
		}
		c := corpora[r.Corpus]
		if c == nil {
			c = &corpus{index: recall.New(), byID: map[string]*memory.Memory{}}
			corpora[r.Corpus] = c
		}
		if r.Question != nil {
			return c.answer(&r, out)
		}
		return c.add(&r)
	}
	return row, out.Flush
}

// recallRow is a memory or a question.
type recallRow struct {
	ID           *string         `json:"id"`
	Corpus       string          `json:"corpus"`
	Question     *string         `json:"question"`
	QuestionDate string          `json:"question_date"`
	Timestamp    string          `json:"timestamp"`
	Session      json.RawMessage `json:"session"`
	Speaker      string          `json:"speaker"`
	Text         *string         `json:"text"`
	ImageCaption string          `json:"image_caption"`
	Turns        []struct {
		Text string `json:"text"`
	} `json:"turns"`
}

// add makes a record from a row, as an agent would have saved it.
func (c *corpus) add(r *recallRow) error {
	content := map[string]any{}
	switch {
	case r.Text != nil:
		content["text"] = *r.Text
	case r.Turns != nil:
		var turns []string
		for _, t := range r.Turns {
			turns = append(turns, t.Text)
		}
		content["turns"] = turns
	default:
		return fmt.Errorf("the row has no \"question\", \"text\" or \"turns\"")
	}
	if r.ImageCaption != "" {
		content["image_caption"] = r.ImageCaption
	}
	record := map[string]any{
		"id": *r.ID, "type": memory.Episodic, "created_by": r.Speaker, "created_at": r.Timestamp, "content": content,
	}
	if s := strings.Trim(string(r.Session), `"`); s != "" && s != "null" {
		record["scope"], record["scope_id"] = "session", s
	}
	text, err := json.Marshal(record)
	if err != nil {
		return err
	}
	ms, err := memory.ParseRecords("memory.json", text)
	if err != nil {
		return err
	}
	for _, m := range ms {
		if _, ok := c.byID[m.ID]; ok {
			return fmt.Errorf("the id %q is there already", m.ID)
		}
		c.byID[m.ID] = m
		c.added = append(c.added, recall.Of(m))
		if m.CreatedAt.After(c.latest) {
			c.latest = m.CreatedAt
		}
	}
	return nil
}

// answer asks a question at its date, or when the last memory was saved.
func (c *corpus) answer(r *recallRow, out *bufio.Writer) error {
	c.index.Add(c.added...)
	c.added = nil
	at := c.latest
	if r.QuestionDate != "" {
		var err error
		if at, err = parseRef(r.QuestionDate); err != nil {
			return fmt.Errorf("the field \"question_date\" is %q: no time such as 2026-03-01T09:00:00Z", r.QuestionDate)
		}
	}
	found, err := c.index.Search(recall.Query{
		Text: *r.Question, At: at, Limit: 100,
		Note: func(id string) (supersession.Note, bool) {
			m := c.byID[id]
			return recall.NoteOf(m), true
		},
	})
	if err != nil {
		return err
	}
	for i, h := range found.Hits {
		if _, err := fmt.Fprintf(out, "%s\t%d\t%s\t%.6f\n", *r.ID, i+1, cell(h.ID), h.Score); err != nil {
			return err
		}
	}
	return nil
}
