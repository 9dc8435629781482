package main

import (
	"bufio"
	"fmt"

	"github.com/memoryd/memoryd/pkg/config"
	"github.com/memoryd/memoryd/pkg/similarity"
)

func neardupTask() *task {
	t := newTask("neardup")
	t.purpose = "decide about two texts: merge, review or separate"
	t.detail = `A row has "id", "a" and "b". An answer is a line

  id TAB 1|0.5|0

1: the two are merged. 0.5: they share their wording but differ in a fact, so a
person decides. 0: they are not duplicates.

With --calibrate a row also has "label": 1 or true if both say the same, 0 or false
if not, null if the pair doesn't count. Instead of answers, a table is printed. It
compares, for each threshold, what would be merged with the labels. Then follows the
threshold with the best F1, for merge.content_similarity in memory.toml.`
	t.example = "memeval neardup pairs.jsonl > decisions.tsv\nmemeval neardup --calibrate pairs.jsonl more.jsonl.gz"
	threshold := t.flags.Float64("threshold", config.Default().Merge.ContentSimilarity, "duplicates are more alike than `SHARE`, 0 to 1")
	calibrate := t.flags.Bool("calibrate", false, "compare thresholds with the labels")
	t.check = func() error {
		if !(*threshold >= 0 && *threshold <= 1) {
			return usagef("neardup: --threshold %v: it must be from 0 to 1", *threshold)
		}
		return nil
	}
	t.start = func(out *bufio.Writer) (func([]byte) error, func() error) {
		if *calibrate {
			c := &calibration{out: out}
			return c.add, c.print
		}
		return func(line []byte) error { return judgeRow(line, *threshold, out) }, out.Flush
	}
	return t
}

// pairRow is a pair of texts; label is for calibration.
type pairRow struct {
	ID *string `json:"id"`
	A  *string `json:"a"`
	B  *string `json:"b"`
}

func (r *pairRow) decode(line []byte) error {
	if err := decode(line, r); err != nil {
		return err
	}
	if err := rowID(r.ID); err != nil {
		return err
	}
	return need(field{"a", r.A}, field{"b", r.B})
}

func judgeRow(line []byte, threshold float64, out *bufio.Writer) error {
	var row pairRow
	if err := row.decode(line); err != nil {
		return err
	}
	answer := map[similarity.Decision]string{similarity.Merge: "1", similarity.Review: "0.5", similarity.Separate: "0"}
	v := similarity.Judge(similarity.Prepare(*row.A), similarity.Prepare(*row.B), threshold)
	_, err := fmt.Fprintf(out, "%s\t%s\n", *row.ID, answer[v.Decision])
	return err
}
