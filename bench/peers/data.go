package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"time"
)

// memory is one memory of the data set. Every peer is given its texts.
type memory struct {
	ID    string `json:"id"`
	Title string `json:"title"`
	Text  string `json:"text"` // the title, the summary and the details

	file   string
	record map[string]any
}

// pair is two memories, the lesser id first.
type pair [2]string

func pairOf(a, b string) pair {
	if b < a {
		a, b = b, a
	}
	return pair{a, b}
}

// dataset is what all peers work on.
type dataset struct {
	dir      string // as a workspace
	memories []memory
	same     map[pair]bool // planted: say the same
	traps    map[pair]bool // planted: alike, but a number is another
	fresh    []memory      // that nobody has yet, to be saved
}

// at is the moment that tools/bench makes its memories for.
var at = time.Date(2026, 3, 1, 9, 0, 0, 0, time.UTC)

// makeData takes the memories that tools/bench generates, without those whose title has
// occurred before, and plants known duplicates. One in twenty is repeated: a third of these
// word for word, a third with one word replaced, a third with words added at the start. One
// in fifty is repeated with another number.
func makeData(dir string, n int, seed uint64) (*dataset, error) {
	made := n + n/4 + 2*saves + 50
	generate := exec.Command("go", "run", "./tools/bench", "-make", dir, "-n", strconv.Itoa(made), "-seed", fmt.Sprint(seed))
	generate.Dir = repository
	if out, err := generate.CombinedOutput(); err != nil {
		return nil, fmt.Errorf("make memories: %w: %s", err, out)
	}
	all, err := readMemories(dir)
	if err != nil {
		return nil, err
	}
	d := &dataset{dir: dir, same: map[pair]bool{}, traps: map[pair]bool{}}
	r := rand.New(rand.NewPCG(seed, 0x70656572))
	r.Shuffle(len(all), func(i, j int) { all[i], all[j] = all[j], all[i] })
	repeats, traps := n/20, n/50
	titles := map[string]bool{}
	for _, m := range all {
		switch unique := !titles[m.Title]; {
		case unique && len(d.memories) < n-repeats-traps:
			d.memories = append(d.memories, m)
		case unique && len(d.fresh) < saves:
			d.fresh = append(d.fresh, m)
			fallthrough
		default:
			if err := os.Remove(m.file); err != nil {
				return nil, err
			}
		}
		titles[m.Title] = true
	}
	if len(d.memories) < n-repeats-traps || len(d.fresh) < saves {
		return nil, fmt.Errorf("only %d memories have a title of their own", len(titles))
	}
	for i, m := range d.memories {
		if repeats+traps == 0 {
			break
		}
		created, err := time.Parse(time.RFC3339, m.record["created_at"].(string))
		if err != nil {
			return nil, err
		}
		if created.After(at.AddDate(0, 0, -10)) {
			continue // too young for any rule
		}
		kind, of := repeats%3, d.same
		if repeats == 0 {
			kind, of = 3, d.traps
		}
		copied, ok, err := m.again(fmt.Sprintf("dup_%07d", i), kind)
		if err != nil {
			return nil, err
		}
		if !ok {
			continue
		}
		if d.memories = append(d.memories, copied); repeats > 0 {
			repeats--
		} else {
			traps--
		}
		of[pairOf(m.ID, copied.ID)] = true
	}
	return d, nil
}

func readMemories(dir string) (all []memory, err error) {
	err = filepath.WalkDir(dir, func(name string, e fs.DirEntry, err error) error {
		if err != nil || e.IsDir() || filepath.Ext(name) != ".json" {
			return err
		}
		text, err := os.ReadFile(name)
		if err != nil {
			return err
		}
		m := memory{file: name}
		if err := json.Unmarshal(text, &m.record); err != nil {
			return fmt.Errorf("%s: %w", name, err)
		}
		m.fill()
		all = append(all, m)
		return nil
	})
	return all, err
}

func (m *memory) fill() {
	content := m.record["content"].(map[string]any)
	m.ID, m.Title = m.record["id"].(string), content["title"].(string)
	m.Text = m.Title + "\n" + content["summary"].(string) + "\n" + content["details"].(string)
}

var number = regexp.MustCompile(`\b[1-9][0-9]{1,3}\b`)

// again writes a memory once more, in other words or with another number. It reports false
// if the memory lacks the words for that.
func (m memory) again(id string, kind int) (memory, bool, error) {
	doc, err := os.ReadFile(m.file)
	if err != nil {
		return m, false, err
	}
	copied := memory{file: filepath.Join(filepath.Dir(m.file), id+".json")}
	was := m.record["content"].(map[string]any)["details"].(string)
	details := was
	switch kind {
	case 1:
		details = strings.Replace(was, " the ", " that ", 1)
	case 2:
		details = "By the way: " + was
	case 3:
		if at := number.FindStringIndex(was); at != nil {
			n, err := strconv.Atoi(was[at[0]:at[1]])
			if err != nil {
				return m, false, err
			}
			details = was[:at[0]] + strconv.Itoa(n-1) + was[at[1]:] // which leaves a date a date
		}
	}
	if kind > 0 && details == was {
		return m, false, nil
	}
	// In the text of the file, so that all else, the order of the fields too, is the same.
	for _, change := range [][2]string{{m.ID, id}, {was, details}} {
		old, err := json.Marshal(change[0])
		if err != nil {
			return m, false, err
		}
		next, err := json.Marshal(change[1])
		if err != nil {
			return m, false, err
		}
		doc = bytes.Replace(doc, old, next, 1)
	}
	if err := json.Unmarshal(doc, &copied.record); err != nil {
		return m, false, err
	}
	copied.fill()
	if content := copied.record["content"].(map[string]any); copied.ID != id || content["details"] != details {
		return m, false, fmt.Errorf("%s could not be repeated", m.file)
	}
	err = os.WriteFile(copied.file, doc, 0o644)
	return copied, true, err
}
