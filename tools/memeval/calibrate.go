package main

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"

	"github.com/memoryd/memoryd/pkg/similarity"
)

// calibration collects labelled pairs and tries every threshold on all of them.
type calibration struct {
	out     *bufio.Writer
	pairs   []similarity.Labelled
	same    int
	ignored int
}

func (c *calibration) add(line []byte) error {
	var row pairRow
	if err := row.decode(line); err != nil {
		return err
	}
	same, counts, err := label(line)
	switch {
	case err != nil:
		return err
	case !counts:
		c.ignored++
		return nil
	case same:
		c.same++
	}
	c.pairs = append(c.pairs, similarity.Labelled{A: similarity.Prepare(*row.A), B: similarity.Prepare(*row.B), Same: same})
	return nil
}

// label reads the label of a row; null means that the row doesn't count.
func label(line []byte) (same, counts bool, err error) {
	var row map[string]json.RawMessage
	if err := json.Unmarshal(line, &row); err != nil {
		return false, false, err
	}
	switch raw, ok := row["label"]; {
	case !ok:
		return false, false, errors.New(`the field "label" is missing`)
	case bytes.Equal(raw, []byte("null")):
		return false, false, nil
	case bytes.Equal(raw, []byte("1")), bytes.Equal(raw, []byte("true")):
		return true, true, nil
	case bytes.Equal(raw, []byte("0")), bytes.Equal(raw, []byte("false")):
		return false, true, nil
	default:
		return false, false, fmt.Errorf(`the field "label" is %.40q: it must be 1, 0, true, false or null`, raw)
	}
}

func (c *calibration) print() error {
	if c.same == 0 || c.same == len(c.pairs) {
		return fmt.Errorf("calibrate: %d of %d pairs are the same: a threshold needs pairs of both kinds", c.same, len(c.pairs))
	}
	scores, best := similarity.Calibrate(c.pairs, nil)
	fmt.Fprintf(c.out, "%d pairs, %d of them the same; %d without a label\n\n", len(c.pairs), c.same, c.ignored)
	fmt.Fprintf(c.out, "threshold  precision  recall     F1  merged  wrongly  review\n")
	row := func(s similarity.Score) {
		fmt.Fprintf(c.out, "%9.2f  %9.3f  %6.3f  %5.3f  %6d  %7d  %6d\n", s.Threshold, s.Precision, s.Recall, s.F1, s.TruePositives+s.FalsePositives, s.FalsePositives, s.Reviewed)
	}
	for _, s := range scores {
		row(s)
	}
	fmt.Fprintf(c.out, "\nbest\n")
	row(best)
	return nil
}
