package main

import (
	"bufio"
	"context"
	"flag"
	"fmt"
	"slices"
	"time"

	"github.com/memoryd/memoryd/pkg/config"
	"github.com/memoryd/memoryd/pkg/provider"
	"github.com/memoryd/memoryd/pkg/similarity"
)

// encoder asks a server of embeddings, as the program does.
type encoder struct {
	url, model string
	client     *provider.Embedder
}

// addFlags lets a task compare meanings.
func (e *encoder) addFlags(flags *flag.FlagSet) {
	flags.StringVar(&e.url, "embed", "", "compare meanings by the server at `URL`, such as http://127.0.0.1:8089/v1")
	flags.StringVar(&e.model, "embed-model", "use-lite", "the `MODEL` that it does this with")
}

// unkept is a journal of which nobody reads anything.
type unkept struct{}

func (unkept) Update(_ context.Context, add func([]byte) ([]byte, error)) error {
	_, err := add(nil)
	return err
}

// embed returns unit vectors of texts.
func (e *encoder) embed(texts []string) (vectors [][]float32, err error) {
	if e.client == nil {
		e.client = &provider.Embedder{
			Endpoint: provider.Endpoint{Name: "embed", Kind: provider.OpenAI, BaseURL: e.url, Model: e.model, Local: true, Timeout: time.Minute, LoadTimeout: time.Minute},
			Ledger:   &provider.Ledger{Journal: unkept{}, Now: time.Now},
		}
	}
	for batch := range slices.Chunk(texts, 32) {
		found, err := e.client.Embed(context.Background(), batch)
		if err != nil {
			return nil, fmt.Errorf("embed %d texts by %s: %w", len(batch), e.url, err)
		}
		for _, v := range found {
			vectors = append(vectors, similarity.Unit(v))
		}
	}
	return vectors, nil
}

func candidatesTask() *task {
	t := newTask("candidates")
	t.purpose = "which pairs would be put to a model: by words, and by meaning?"
	t.detail = `A row has "id", "a", "b" and "label" as with neardup --calibrate, and optionally "kind".
A table is printed: for each threshold how many of the pairs with label 1 are found
(recall), how many of those found have it (precision), and how many traps are among
them: rows of the kinds "number" and "negation" with label 0. By words that is the
similarity of contents. By meaning, with --embed, it is the cosine of the vectors, of
pairs of which not each states a number, date, name or other fact that the other lacks,
and none turns round what the other says.`
	t.example = "memeval candidates --embed http://127.0.0.1:8089/v1 pairs.jsonl"
	var e encoder
	e.addFlags(t.flags)
	t.start = func(out *bufio.Writer) (func([]byte) error, func() error) {
		c := &candidates{out: out, encoder: &e}
		return c.add, c.print
	}
	return t
}

// candidates collects labelled pairs.
type candidates struct {
	*encoder
	out   *bufio.Writer
	pairs []candidatePair
	same  int
	traps int
}

type candidatePair struct {
	a, b       string
	same, trap bool
	words      float64
	cosine     float64
	apart      bool // they state different facts
}

func (c *candidates) add(line []byte) error {
	var row struct {
		pairRow
		Kind string `json:"kind"`
	}
	if err := row.pairRow.decode(line); err != nil {
		return err
	}
	same, counts, err := label(line)
	if err != nil || !counts {
		return err
	}
	if err := decode(line, &row); err != nil {
		return err
	}
	p := candidatePair{a: *row.A, b: *row.B, same: same, trap: !same && (row.Kind == "number" || row.Kind == "negation")}
	if same {
		c.same++
	}
	if p.trap {
		c.traps++
	}
	p.words = similarity.Content(similarity.Prepare(p.a), similarity.Prepare(p.b))
	c.pairs = append(c.pairs, p)
	return nil
}

func (c *candidates) print() error {
	fmt.Fprintf(c.out, "%d pairs, %d the same, %d traps\n\n%-22s %7s %9s %6s\n", len(c.pairs), c.same, c.traps, "by", "recall", "precision", "traps")
	for _, least := range []float64{config.Default().Deep.Similarity, 0.70, config.Default().Merge.ContentSimilarity, 0.90, 0.95} {
		c.line(fmt.Sprintf("words ≥ %.2f", least), func(p *candidatePair) bool { return p.words >= least })
	}
	if c.url == "" {
		fmt.Fprintln(c.out, "\nNOT MEASURED: meaning. Name a server of embeddings with --embed; bench/models has a small one.")
		return c.out.Flush()
	}
	if err := c.compare(); err != nil {
		return err
	}
	for _, least := range []float64{0.70, 0.75, 0.80, config.Default().Cluster.Cosine, 0.90, 0.95} {
		c.line(fmt.Sprintf("cosine ≥ %.2f", least), func(p *candidatePair) bool { return p.cosine >= least })
		c.line("  and no distinct fact", func(p *candidatePair) bool { return p.cosine >= least && !p.apart })
	}
	return c.out.Flush()
}

// compare finds the cosines, and what facts keep apart.
func (c *candidates) compare() error {
	var texts []string
	for i := range c.pairs {
		texts = append(texts, c.pairs[i].a, c.pairs[i].b)
	}
	vectors, err := c.embed(texts)
	if err != nil {
		return err
	}
	for i := range c.pairs {
		p := &c.pairs[i]
		p.cosine, p.apart = similarity.Dot(vectors[2*i], vectors[2*i+1]), distinct(p.a, p.b)
	}
	return nil
}

// distinct reports whether each of two texts states a fact that the other doesn't, or one turns round what the other says.
func distinct(a, b string) bool {
	x, y := similarity.Facts(a), similarity.Facts(b)
	return lacks(x, y) && lacks(y, x) ||
		slices.ContainsFunc(similarity.Differences(a, b), func(d similarity.Difference) bool { return d.Kind == "negation" })
}

// lacks reports whether some facts are not among others.
func lacks(facts, among []similarity.Fact) bool {
	return slices.ContainsFunc(facts, func(f similarity.Fact) bool { return !slices.ContainsFunc(among, f.Same) })
}

// line prints one row of the table.
func (c *candidates) line(name string, found func(*candidatePair) bool) {
	right, all, traps := 0, 0, 0
	for i := range c.pairs {
		if p := &c.pairs[i]; found(p) {
			all++
			right += count(p.same)
			traps += count(p.trap)
		}
	}
	fmt.Fprintf(c.out, "%-22s %7s %9s %3d/%d\n", name, part(right, c.same), part(right, all), traps, c.traps)
}

func part(n, of int) string {
	if of == 0 {
		return "-"
	}
	return fmt.Sprintf("%.3f", float64(n)/float64(of))
}

func count(yes bool) int {
	if yes {
		return 1
	}
	return 0
}
