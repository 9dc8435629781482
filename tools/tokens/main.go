// Command tokens compares the estimates of package tokens with the counts of two encoders. It
// is a module of its own: what it needs is no dependency of the program.
//
//	go run .               writes the counts in testdata of pkg/tokens
//	go run . -check FILE…  prints how far the estimates of files are above the counts
//
// A check takes each file in chunks of 50, 200, 1000 and 8000 bytes, and whole.
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
	"unicode/utf8"

	"github.com/tiktoken-go/tokenizer"

	"github.com/memoryd/memoryd/pkg/tokens"
)

func main() {
	log.SetFlags(0)
	check := flag.Bool("check", false, "write nothing")
	flag.Parse()
	o200k, err := encoder(tokenizer.O200kBase)
	if err != nil {
		log.Fatal(err)
	}
	if *check {
		err = report(o200k, flag.Args())
	} else {
		err = write(o200k)
	}
	if err != nil {
		log.Fatal(err)
	}
}

type counter struct{ tokenizer.Codec }

func encoder(name tokenizer.Encoding) (counter, error) {
	codec, err := tokenizer.Get(name)
	return counter{codec}, err
}

func (c counter) count(text string) (int, error) {
	ids, _, err := c.Encode(text)
	return len(ids), err
}

func write(c counter) error {
	files, err := filepath.Glob("../../pkg/tokens/testdata/*.txt")
	if err != nil {
		return err
	}
	counts := map[string]map[int][]int{}
	for _, name := range files {
		text, err := os.ReadFile(name)
		if err != nil {
			return err
		}
		counts[filepath.Base(name)] = map[int][]int{}
		for _, length := range []int{0, 1000, 200, 50} {
			var all []int
			for _, chunk := range chunks(string(text), length) {
				n, err := c.count(chunk)
				if err != nil {
					return err
				}
				all = append(all, n)
			}
			counts[filepath.Base(name)][length] = all
		}
	}
	doc, err := json.Marshal(counts)
	if err != nil {
		return err
	}
	return os.WriteFile("../../pkg/tokens/testdata/counts.json", append(doc, '\n'), 0o644)
}

// chunks cuts a text at characters, into chunks of at most so many bytes; 0: not at all.
func chunks(text string, length int) (all []string) {
	for length > 0 && len(text) > length {
		n := length
		for !utf8.RuneStart(text[n]) {
			n--
		}
		all = append(all, text[:n])
		text = text[n:]
	}
	return append(all, text)
}

// report prints for each length of chunks the quotients of estimate and count.
func report(o200k counter, files []string) error {
	cl100k, err := encoder(tokenizer.Cl100kBase)
	if err != nil {
		return err
	}
	for _, length := range []int{50, 200, 1000, 8000, 0} {
		var above [2][]float64
		below := 0
		for _, name := range files {
			data, err := os.ReadFile(name)
			if err != nil {
				return err
			}
			for _, chunk := range chunks(strings.ToValidUTF8(string(data), ""), length) {
				if chunk == "" || len(chunk) < length-3 {
					continue // what is left at the end of a file is of another length
				}
				for i, c := range []counter{o200k, cl100k} {
					n, err := c.count(chunk)
					if err != nil {
						return fmt.Errorf("%s: %w", name, err)
					}
					above[i] = append(above[i], float64(tokens.Estimate(chunk))/float64(n))
					if i == 0 && tokens.Estimate(chunk) < n {
						below++
					}
				}
			}
		}
		if len(above[0]) == 0 {
			continue
		}
		fmt.Printf("%5d bytes, %6d chunks, %d below; estimate/", length, len(above[0]), below)
		for i, name := range []string{"o200k", "cl100k"} {
			slices.Sort(above[i])
			n := len(above[i])
			fmt.Printf(" %s: least %.3f, 1 %% %.3f, median %.3f, 99 %% %.3f, most %.3f;", name, above[i][0], above[i][n/100], above[i][n/2], above[i][n-1-n/100], above[i][n-1])
		}
		fmt.Println()
	}
	return nil
}
