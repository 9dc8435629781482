package main

import (
	"bufio"
	"errors"
	"fmt"
	"slices"

	"github.com/memoryd/memoryd/pkg/similarity"
)

// scored is how many hits count.
const scored = 10

// near compares questions with the memories of a corpus. It is a [recall.Meaning].
type near struct {
	*encoder
	ids     []string
	vectors [][]float32
}

// Near implements [recall.Meaning].
func (n *near) Near(text string) (map[string]float64, error) {
	asked, err := n.embed([]string{text})
	if err != nil {
		return nil, err
	}
	found := make(map[string]float64, len(n.ids))
	for i, id := range n.ids {
		found[id] = similarity.Dot(asked[0], n.vectors[i])
	}
	return found, nil
}

// learn asks for the vectors of memories that have none.
func (n *near) learn(c *corpus) error {
	var texts []string
	for _, id := range c.order[len(n.ids):] {
		n.ids, texts = append(n.ids, id), append(texts, c.byID[id].Text())
	}
	vectors, err := n.embed(texts)
	n.vectors = append(n.vectors, vectors...)
	return err
}

// startScore compares hits with the evidence of questions.
func startScore(out *bufio.Writer, kind string, e *encoder) (func([]byte) error, func() error) {
	corpora, meanings := map[string]*corpus{}, map[*corpus]*near{}
	questions, words, meaning := 0, 0.0, 0.0
	ask := func(c *corpus, r *recallRow) error {
		if len(r.Evidence) == 0 {
			return errors.New(`the field "evidence" is missing`)
		}
		hits, err := c.search(r, scored, nil)
		if err != nil {
			return err
		}
		questions, words = questions+1, words+r.found(idsOf(hits))
		if e.url == "" {
			return nil
		}
		n := meanings[c]
		if n == nil {
			n = &near{encoder: e}
			meanings[c] = n
		}
		if err := n.learn(c); err != nil {
			return err
		}
		if hits, err = c.search(r, scored, n); err != nil {
			return err
		}
		meaning += r.found(idsOf(hits))
		return nil
	}
	finish := func() error {
		fmt.Fprintf(out, "%d questions, recall@%d\nwords              %s\n", questions, scored, mean(words, questions))
		if e.url == "" {
			fmt.Fprintln(out, "NOT MEASURED: meaning. Name a server of embeddings with --embed; bench/models has a small one.")
		} else {
			fmt.Fprintf(out, "words and meaning  %s\n", mean(meaning, questions))
		}
		return out.Flush()
	}
	return func(line []byte) error { return eachOf(corpora, kind, line, ask) }, finish
}

// found is the share of the evidence that is among ids.
func (r *recallRow) found(ids []string) float64 {
	n := 0
	for _, id := range r.Evidence {
		n += count(slices.Contains(ids, id))
	}
	return float64(n) / float64(len(r.Evidence))
}

func mean(sum float64, of int) string {
	if of == 0 {
		return "-"
	}
	return fmt.Sprintf("%.4f", sum/float64(of))
}
