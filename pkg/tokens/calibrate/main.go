// Command calibrate makes the tables of the token model from a real tokenizer, o200k, and
// holds the model against it. It is a module of its own: what it needs is no dependency
// of the program.
//
//	go run . [-check] CORPUS…   files of text of all kinds
//
// Without -check it learns from the files and writes ../model.bin, and the token counts
// of ../testdata into ../testdata/counts.json. For each file it prints how far off the
// estimate is: in all, and over chunks of a thousand tokens. To see how well it does on
// texts that it hasn't learnt from, learn from some files and check others.
package main

import (
	"encoding/json"
	"flag"
	"fmt"
	"log"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/tiktoken-go/tokenizer"

	"github.com/memoryd/memoryd/pkg/tokens"
	"github.com/memoryd/memoryd/pkg/tokens/internal/model"
)

func main() {
	log.SetFlags(0)
	check := flag.Bool("check", false, "learn nothing")
	flag.Parse()
	enc, err := tokenizer.Get(tokenizer.O200kBase)
	if err != nil {
		log.Fatal(err)
	}
	c := &counter{enc, map[string]int{}}
	m, err := c.model(flag.Args(), *check)
	if err != nil {
		log.Fatal(err)
	}
	for _, name := range flag.Args() {
		if err := c.report(m, name); err != nil {
			log.Fatal(err)
		}
	}
	if *check {
		return
	}
	if err := os.WriteFile("../model.bin", m.Marshal(), 0o644); err != nil {
		log.Fatal(err)
	}
	if err := c.samples(); err != nil {
		log.Fatal(err)
	}
}

// counter counts tokens, each piece once.
type counter struct {
	enc   tokenizer.Codec
	known map[string]int
}

func (c *counter) count(text string) int {
	n, ok := c.known[text]
	if !ok {
		ids, _, err := c.enc.Encode(text)
		if err != nil {
			log.Fatal(err)
		}
		n = len(ids)
		c.known[text] = n
	}
	return n
}

// model is the one in ../model.bin, or one that is learnt.
func (c *counter) model(files []string, check bool) (*model.Model, error) {
	if check {
		data, err := os.ReadFile("../model.bin")
		if err != nil {
			return nil, err
		}
		return model.Unmarshal(data)
	}
	m := &model.Model{}
	if err := c.eastAsian(m); err != nil {
		return nil, err
	}
	return m, c.learn(m, files)
}

// report prints how far off the model is.
func (c *counter) report(m *model.Model, name string) error {
	data, err := os.ReadFile(name)
	if err != nil {
		return err
	}
	var ratios []float64
	all, whole, part, real := 0.0, 0, 0.0, 0
	for text := strings.ToValidUTF8(string(data), ""); text != ""; {
		piece, k := model.Next(text)
		text = text[len(piece):]
		part += m.Cost(piece, k)
		if real += c.count(piece); real >= 1000 {
			ratios = append(ratios, tokens.Margin*part/float64(real))
			all, whole, part, real = all+part, whole+real, 0, 0
		}
	}
	slices.Sort(ratios)
	if len(ratios) > 0 {
		n := len(ratios)
		fmt.Printf("%-28s %7d tokens, estimated %.3f; chunks of 1,000: least %.3f, 5 %% %.3f, median %.3f, 95 %% %.3f, most %.3f\n", filepath.Base(name), whole,
			tokens.Margin*all/float64(whole), ratios[0], ratios[n/20], ratios[n/2], ratios[n-1-n/20], ratios[n-1])
	}
	return nil
}

// samples counts the tokens of the texts in ../testdata.
func (c *counter) samples() error {
	files, err := filepath.Glob("../testdata/*.txt")
	if err != nil {
		return err
	}
	counts := map[string]int{}
	for _, name := range files {
		text, err := os.ReadFile(name)
		if err != nil {
			return err
		}
		counts[filepath.Base(name)] = c.count(string(text))
	}
	doc, err := json.MarshalIndent(counts, "", "  ")
	if err != nil {
		return err
	}
	return os.WriteFile("../testdata/counts.json", append(doc, '\n'), 0o644)
}
