package main

import (
	"bufio"
	"fmt"

	"github.com/memoryd/memoryd/pkg/supersession"
)

func supersessionTask() *task {
	t := newTask("supersession")
	t.purpose = "tell whether a newer text updates an older one"
	t.detail = `A row has "id", "old" and "new", each an object with "text" and, for documents,
"title". "refs" may name the two documents as others cite them, the older one first:
["ADR-12", "ADR-19"]. An answer is a line

  id TAB updates|duplicate|unrelated

With --evidence three columns follow: the cue, and the old and the new value.`
	t.example = "memeval supersession pairs.jsonl > relations.tsv"
	evidence := t.flags.Bool("evidence", false, "also print what the answer is based on")
	t.start = func(out *bufio.Writer) (func([]byte) error, func() error) {
		return func(line []byte) error { return relateRow(line, *evidence, out) }, out.Flush
	}
	return t
}

// statement is one side of a pair.
type statement struct {
	Title string  `json:"title"`
	Text  *string `json:"text"`
}

func relateRow(line []byte, evidence bool, out *bufio.Writer) error {
	var row struct {
		ID   *string    `json:"id"`
		Old  *statement `json:"old"`
		New  *statement `json:"new"`
		Refs []string   `json:"refs"`
	}
	if err := decode(line, &row); err != nil {
		return err
	}
	if err := rowID(row.ID); err != nil {
		return err
	}
	var sides [2]supersession.Note
	for i, s := range []struct {
		name string
		*statement
	}{{"old", row.Old}, {"new", row.New}} {
		if s.statement == nil {
			return fmt.Errorf("the field %q is missing", s.name)
		}
		if err := need(field{s.name + ".text", s.Text}); err != nil {
			return err
		}
		sides[i] = supersession.Note{Title: s.Title, Text: *s.Text}
		if i < len(row.Refs) {
			sides[i].Name = row.Refs[i]
		}
	}
	j := supersession.Judge(sides[0], sides[1])
	if _, err := fmt.Fprintf(out, "%s\t%s", *row.ID, j.Relation); err != nil {
		return err
	}
	if evidence {
		if _, err := fmt.Fprintf(out, "\t%s\t%s\t%s", cell(j.Cue), cell(j.Old), cell(j.New)); err != nil {
			return err
		}
	}
	_, err := fmt.Fprintln(out)
	return err
}
