package main

import (
	"bufio"
	"encoding/json"
	"fmt"
	"strings"
	"time"

	"github.com/memoryd/memoryd/pkg/config"
	"github.com/memoryd/memoryd/pkg/memory"
	"github.com/memoryd/memoryd/pkg/recall"
	"github.com/memoryd/memoryd/pkg/supersession"
)

func recallTask() *task {
	t := newTask("recall")
	t.purpose = "find the memories that answer a question"
	t.detail = recallDetail
	t.example = "memeval recall memories.jsonl questions.jsonl > run.tsv"
	t.detail += `

With --score a question also has "evidence", a list of ids. Instead of answers, a line
says what share of the evidence is among the first 10 hits, on average. With --embed
another one says the same where meanings are compared too.`
	score := t.flags.Bool("score", false, "compare the hits with the evidence")
	kind := kindFlag(t, memory.Episodic)
	var e encoder
	e.addFlags(t.flags)
	t.check = func() error {
		if e.url != "" && !*score {
			return usagef("recall: --embed goes with --score")
		}
		return nil
	}
	t.start = func(out *bufio.Writer) (func([]byte) error, func() error) {
		if *score {
			return startScore(out, *kind, &e)
		}
		return startAsking(out, *kind)
	}
	return t
}

func currentTask() *task {
	t := newTask("current")
	t.purpose = "find the value that holds now, where an older one is kept too"
	t.detail = recallDetail
	t.example = "memeval current memories.jsonl questions.jsonl > run.tsv"
	kind := kindFlag(t, memory.Factual)
	t.start = func(out *bufio.Writer) (func([]byte) error, func() error) { return startAsking(out, *kind) }
	return t
}

// kindFlag gives a task the type of the memories that it makes. A value that changes is a fact, a turn of a conversation an event; two events never replace each other.
func kindFlag(t *task, kind string) *string {
	return t.flags.String("type", kind, "make memories of this `TYPE`; two of type episodic never replace each other")
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
	kind   string // the type of its memories
	byID   map[string]*memory.Memory
	order  []string          // the ids in the order of the rows
	added  []recall.Document // since the last question
	latest time.Time
}

func startAsking(out *bufio.Writer, kind string) (func([]byte) error, func() error) {
	corpora := map[string]*corpus{}
	row := func(line []byte) error {
		return eachOf(corpora, kind, line, func(c *corpus, r *recallRow) error { return c.answer(r, out) })
	}
	return row, out.Flush
}

// eachOf adds the memory of a row to its corpus, or asks its question.
func eachOf(corpora map[string]*corpus, kind string, line []byte, ask func(*corpus, *recallRow) error) error {
	var r recallRow
	if err := decode(line, &r); err != nil {
		return err
	}
	if err := rowID(r.ID); err != nil {
		return err
	}
	c := corpora[r.Corpus]
	if c == nil {
		c = &corpus{index: recall.New(), kind: kind, byID: map[string]*memory.Memory{}}
		corpora[r.Corpus] = c
	}
	if r.Question != nil {
		return ask(c, &r)
	}
	return c.add(&r)
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
	Evidence     []string        `json:"evidence"`
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
		"id": *r.ID, "type": c.kind, "created_by": r.Speaker, "created_at": r.Timestamp, "content": content,
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
		c.byID[m.ID], c.order = m, append(c.order, m.ID)
		c.added = append(c.added, recall.Of(m))
		if m.CreatedAt.After(c.latest) {
			c.latest = m.CreatedAt
		}
	}
	return nil
}

// answer prints the hits of a question.
func (c *corpus) answer(r *recallRow, out *bufio.Writer) error {
	hits, err := c.search(r, 100, nil)
	if err != nil {
		return err
	}
	for i, h := range hits {
		if _, err := fmt.Fprintf(out, "%s\t%d\t%s\t%.6f\n", *r.ID, i+1, cell(h.ID), h.Score); err != nil {
			return err
		}
	}
	return nil
}

// search asks a question at its date, or when the last memory was saved. Meanings are compared if meaning isn't nil.
func (c *corpus) search(r *recallRow, most int, meaning recall.Meaning) ([]recall.Hit, error) {
	c.index.Add(c.added...)
	c.added = nil
	at := c.latest
	if r.QuestionDate != "" {
		var err error
		if at, err = parseRef(r.QuestionDate); err != nil {
			return nil, fmt.Errorf("the field \"question_date\" is %q: no time such as 2026-03-01T09:00:00Z", r.QuestionDate)
		}
	}
	found, err := c.index.Search(recall.Query{
		Text: *r.Question, At: at, Limit: most, Meaning: meaning, MeaningWeight: config.Default().Embed.Weight,
		Note: func(id string) (supersession.Note, bool) {
			m := c.byID[id]
			return recall.NoteOf(m), true
		},
	})
	return found.Hits, err
}

func idsOf(hits []recall.Hit) []string {
	ids := make([]string, len(hits))
	for i, h := range hits {
		ids[i] = h.ID
	}
	return ids
}
