// Command peers measures memoryd and other tools that store an agent's memories, on the
// same work and the same data, and prints a table in Markdown:
//
//	go run . [-n 1000,10000] [-seed 1]
//
// It needs Go, and for the peers from npm also Node.js and a registry. It builds memoryd
// from this repository, works in the temporary directory and leaves nothing there. What a
// peer doesn't offer is left blank. What could not be run says why.
//
// The data comes from tools/bench, with duplicates planted in it: see makeData. Each tool
// is measured through its public interface: a process, a tool over MCP, a library call. A
// call within a process costs less than one over a pipe, so the table names the interface.
package main

import (
	"errors"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"time"
)

// repository is the root of memoryd's module, from the directory of this one.
var repository = filepath.Join("..", "..")

// saves and searches are how many of each are measured, one after the other.
const (
	saves    = 200
	searches = 200
)

// A store is a peer with all memories in it.
type store interface {
	save(m memory) error
	search(query string) (answer string, err error) // with the ids of what it has found
	close() error
}

// A peer is one way to keep memories.
type peer struct {
	name    string
	version func() string
	way     string // how it is called
	checks  string // what it does about duplicates when it saves
	durable string // what a loss of power leaves of a save that was reported

	duplicates func(d *dataset) (found map[pair]bool, took time.Duration, err error) // nil: not offered
	most       int                                                                   // memories that it is asked for duplicates of; 0: any number
	open       func(d *dataset, dir string) (store, error)                           // nil: keeps nothing
	few        bool                                                                  // each call takes long: a tenth of them is measured
}

func main() {
	sizes := flag.String("n", "1000,10000", "numbers of memories")
	seed := flag.Uint64("seed", 1, "of the data")
	only := flag.String("only", "", "peers whose names contain this")
	flag.Parse()
	if err := run(*sizes, *seed, *only); err != nil {
		fmt.Fprintln(os.Stderr, "peers:", err)
		os.Exit(1)
	}
}

func run(sizes string, seed uint64, only string) (err error) {
	dir, err := os.MkdirTemp("", "peers-")
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(dir)) }()
	program := filepath.Join(dir, "memory")
	build := exec.Command("go", "build", "-o", program, "./cmd/memory")
	build.Dir = repository
	if out, err := build.CombinedOutput(); err != nil {
		return fmt.Errorf("build memoryd: %w: %s", err, out)
	}
	node := installNode(dir)
	fmt.Printf("%s/%s, %d cores, %s\n", runtime.GOOS, runtime.GOARCH, runtime.NumCPU(), runtime.Version())
	for _, size := range strings.Split(sizes, ",") {
		n, err := strconv.Atoi(size)
		if err != nil || n < 100 {
			return fmt.Errorf("-n %s: numbers from 100", size)
		}
		d, err := makeData(filepath.Join(dir, "data-"+size), n, seed)
		if err != nil {
			return err
		}
		time.Sleep(3 * time.Second) // until the files are old enough for a cache, as in life
		fmt.Printf("\n%d memories; planted: %d that say the same, %d with another number\n\n", len(d.memories), len(d.same), len(d.traps))
		fmt.Println("| | called as | near-duplicates: time | found | traps taken for the same | others | save p50 / p99 | checks before saving | durable | search p50 / p99 | right one among the first 10 |")
		fmt.Println("|---|---|--:|--:|--:|--:|--:|---|---|--:|--:|")
		for _, p := range slices.Concat(memorydPeers(program), goPeers(), node.peers()) {
			if strings.Contains(p.name, only) {
				p.row(d, dir)
			}
		}
	}
	return nil
}

// row measures a peer and prints its line.
func (p *peer) row(d *dataset, dir string) {
	cells := []string{p.name + " " + p.version(), p.way, "", "", "", "", "", p.checks, p.durable, "", ""}
	if p.duplicates != nil && (p.most == 0 || len(d.memories) <= p.most) {
		found, took, err := p.duplicates(d)
		if err != nil {
			cells[2] = "could not run: " + oneLine(err)
		} else {
			same, traps, others := 0, 0, 0
			for at := range found {
				switch {
				case d.same[at]:
					same++
				case d.traps[at]:
					traps++
				default:
					others++
				}
			}
			cells[2] = milliseconds(took) + " ms"
			cells[3], cells[4], cells[5] = fmt.Sprintf("%d of %d", same, len(d.same)), fmt.Sprint(traps), fmt.Sprint(others)
		}
	} else if p.duplicates != nil {
		cells[2] = fmt.Sprintf("not run beyond %d", p.most)
	}
	if p.open != nil {
		if err := p.measure(d, dir, cells); err != nil {
			cells[6] = "could not run: " + oneLine(err)
		}
	}
	fmt.Println("| " + strings.Join(cells, " | ") + " |")
}

func (p *peer) measure(d *dataset, dir string, cells []string) (err error) {
	own, err := os.MkdirTemp(dir, "store-")
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(own)) }()
	s, err := p.open(d, own)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, s.close()) }()
	share := 1
	if p.few {
		share = 10
	}
	if _, err := s.search("warm"); err != nil {
		return err
	}
	var took []time.Duration
	right := 0
	for i := range searches / share {
		m := d.memories[i*len(d.memories)/searches*share]
		started := time.Now()
		answer, err := s.search(m.Title)
		took = append(took, time.Since(started))
		if err != nil {
			return err
		}
		if strings.Contains(answer, m.ID) {
			right++
		}
	}
	cells[9], cells[10] = quantiles(took), fmt.Sprintf("%d of %d", right, len(took))
	took = nil
	for _, m := range d.fresh[:saves/share] {
		started := time.Now()
		if err := s.save(m); err != nil {
			return err
		}
		took = append(took, time.Since(started))
	}
	cells[6] = quantiles(took)
	return nil
}

func quantiles(took []time.Duration) string {
	slices.Sort(took)
	return milliseconds(took[len(took)/2]) + " / " + milliseconds(took[len(took)*99/100])
}

func milliseconds(d time.Duration) string {
	ms := float64(d) / float64(time.Millisecond)
	switch {
	case ms < 10:
		return strconv.FormatFloat(ms, 'f', 2, 64)
	case ms < 100:
		return strconv.FormatFloat(ms, 'f', 1, 64)
	}
	return strconv.FormatFloat(ms, 'f', 0, 64)
}

func oneLine(err error) string {
	text := strings.Join(strings.Fields(err.Error()), " ")
	return strings.ReplaceAll(text[:min(len(text), 160)], "|", "/")
}

// copyTree gives a peer a data set of its own.
func copyTree(from, to string) error { return os.CopyFS(to, os.DirFS(from)) }
