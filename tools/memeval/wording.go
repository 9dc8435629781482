package main

import (
	"bufio"
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/tidwall/gjson"
	"golang.org/x/text/unicode/norm"

	"github.com/memoryd/memoryd/internal/app"
	"github.com/memoryd/memoryd/internal/op/saving"
	"github.com/memoryd/memoryd/pkg/config"
	"github.com/memoryd/memoryd/pkg/memory"
	"github.com/memoryd/memoryd/pkg/rules"
	"github.com/memoryd/memoryd/pkg/text"
	"github.com/memoryd/memoryd/pkg/workspace"
	"github.com/memoryd/memoryd/pkg/workspace/memdisk"
)

func wordingTask() *task {
	t := newTask("wording")
	t.purpose = "merge two memories, and look for each sentence of theirs afterwards"
	t.detail = `A row has "id", "a" and "b", or "a_content" and "b_content" for objects; "kind"; and
"label": 1 if both say the same, 0 if not, null if the pair doesn't count. Each pair is
put into a workspace of its own, twice: a is an older memory and b a newer one, and a
run follows; and a is a memory over which b is saved.

A table says for each label and kind how many pairs there are, and, for the run and the
save, how many were merged, how many a person reviews, and of how many a sentence
stands in no live memory any more.`
	t.example = "memeval wording distinct.jsonl same.jsonl"
	each := t.flags.Bool("each", false, "print a line for each pair, too")
	t.start = func(out *bufio.Writer) (func([]byte) error, func() error) {
		s := &wordingScore{out: out, each: *each, counts: map[wordingKind]*wordingCount{}}
		return s.add, s.print
	}
	return t
}

// wordingRow is a pair of texts, or of contents.
type wordingRow struct {
	pairRow
	Kind     string          `json:"kind"`
	Label    *json.Number    `json:"label"`
	AContent json.RawMessage `json:"a_content"`
	BContent json.RawMessage `json:"b_content"`
}

type wordingKind struct{ label, kind string }

// wordingCount counts pairs; the outcomes are those of a run and of a save.
type wordingCount struct {
	pairs int
	modes [2]struct{ merged, review, lost int }
}

type wordingScore struct {
	out    *bufio.Writer
	each   bool
	counts map[wordingKind]*wordingCount
}

// outcome is what became of two memories.
type outcome struct {
	merged, review bool
	lost           []string // sentences
	differences    []string
}

func (o outcome) String() string {
	is := "apart"
	if o.merged {
		is = "merged"
	} else if o.review {
		is = "review"
	}
	if len(o.lost) > 0 {
		is += " lost " + fmt.Sprintf("%q", o.lost)
	}
	return is
}

func (s *wordingScore) add(line []byte) error {
	var row wordingRow
	if err := row.decode(line); err != nil {
		return err
	}
	if err := decode(line, &row); err != nil {
		return err
	}
	a, err := contentOf(*row.A, row.AContent)
	if err != nil {
		return err
	}
	b, err := contentOf(*row.B, row.BContent)
	if err != nil {
		return err
	}
	label := "-"
	if row.Label != nil {
		label = row.Label.String()
	}
	var all [2]outcome
	for i, mode := range []func(a, b []byte) (outcome, error){runOver, saveOver} {
		if all[i], err = mode(a, b); err != nil {
			return fmt.Errorf("%s: %w", *row.ID, err)
		}
	}
	for _, kind := range []string{row.Kind, "all"} {
		k := wordingKind{label, kind}
		c := s.counts[k]
		if c == nil {
			c = &wordingCount{}
			s.counts[k] = c
		}
		c.pairs++
		for i, o := range all {
			switch m := &c.modes[i]; {
			case o.merged:
				m.merged++
			case o.review:
				m.review++
			}
			if len(o.lost) > 0 {
				c.modes[i].lost++
			}
		}
	}
	if s.each {
		fmt.Fprintf(s.out, "%s\t%s\t%s\t%s\t%s\t%s\n", *row.ID, label, cell(row.Kind), cell(all[0].String()), cell(all[1].String()), cell(strings.Join(all[0].differences, "; ")))
	}
	return nil
}

func (s *wordingScore) print() error {
	fmt.Fprintf(s.out, "%-5s  %-24s  %5s  %6s %5s %4s  %6s %5s %4s\n", "label", "kind", "pairs", "merged", "review", "lost", "saved", "review", "lost")
	kinds := slices.SortedFunc(maps.Keys(s.counts), func(a, b wordingKind) int {
		return cmp.Or(cmp.Compare(a.label, b.label), cmp.Compare(s.counts[a].pairs, s.counts[b].pairs), cmp.Compare(a.kind, b.kind))
	})
	for _, k := range kinds {
		c := s.counts[k]
		run, save := c.modes[0], c.modes[1]
		fmt.Fprintf(s.out, "%-5s  %-24s  %5d  %6d %5d %4d  %6d %5d %4d\n", k.label, cell(k.kind), c.pairs, run.merged, run.review, run.lost, save.merged, save.review, save.lost)
	}
	return nil
}

// contentOf is the content of a memory that says a text, unless the row has one.
func contentOf(text string, content json.RawMessage) ([]byte, error) {
	if len(content) > 0 && string(content) != "null" {
		return content, nil
	}
	return app.TextContent(text)
}

// wordingAt is when pairs are merged: the older memory is 60 days old then, the newer one 30.
var wordingAt = time.Date(2026, 6, 1, 12, 0, 0, 0, time.UTC)

// recordOf is a memory that no rule but merging changes.
func recordOf(id string, content []byte, days int) ([]byte, error) {
	at := wordingAt.AddDate(0, 0, -days).Format(time.RFC3339)
	return json.Marshal(map[string]any{
		"id": id, "type": "semantic", "scope": "agent", "scope_id": "AGENT-001", "created_by": "AGENT-001", "created_at": at, "updated_at": at,
		"last_accessed": wordingAt.AddDate(0, 0, -1).Format(time.RFC3339), "access_count": 1, "tags": []string{"wording"}, "content": json.RawMessage(content),
	})
}

const wordingDir = "agents/AGENT-001/"

// openPair makes a workspace of contents, the oldest first.
func openPair(contents ...[]byte) (*workspace.FileStore, error) {
	disk := memdisk.New()
	for i, content := range contents {
		id := fmt.Sprintf("mem-%d", i+1)
		raw, err := recordOf(id, content, 60-30*i)
		if err != nil {
			return nil, err
		}
		if err := disk.Put(wordingDir+id+".json", raw); err != nil {
			return nil, err
		}
	}
	store := workspace.OpenOn(disk)
	store.Now = func() time.Time { return wordingAt }
	return store, nil
}

// runOver merges in a run.
func runOver(a, b []byte) (o outcome, err error) {
	store, err := openPair(a, b)
	if err != nil {
		return o, err
	}
	snap, err := store.Load(wordingAt)
	if err != nil {
		return o, err
	}
	plan := rules.Plan(snap, rules.Request{Settings: config.Default(), LogHead: store.Log().Head()})
	for _, act := range plan.Actions {
		o.merged = o.merged || act.Type == "merge"
		o.review = o.review || act.Type == "review"
		o.differences = append(o.differences, act.Differences...)
	}
	if _, err = store.Commit(context.Background(), &workspace.Tx{Plan: plan, Snapshot: snap}); err != nil {
		return o, err
	}
	o.lost, err = lostOf(store, a, b)
	return o, err
}

// saveOver saves b where a stands.
func saveOver(a, b []byte) (o outcome, err error) {
	store, err := openPair(a)
	if err != nil {
		return o, err
	}
	out, err := saving.Save(context.Background(), store, config.Default(), memory.Draft{
		Type: "semantic", Scope: memory.Scope{Kind: "agent", ID: "AGENT-001"}, Tags: []string{"wording"}, CreatedBy: "AGENT-001", Content: b,
	}, saving.Options{At: wordingAt, AllowSecret: true})
	if err != nil {
		return o, err
	}
	o.merged, o.review = out.Status == saving.Merged, out.Status == saving.Flagged
	o.lost, err = lostOf(store, a, b)
	return o, err
}

// lostOf lists the sentences and values of contents that stand in no live memory, word for word but for white space.
func lostOf(store *workspace.FileStore, contents ...[]byte) (lost []string, err error) {
	snap, err := store.Load(wordingAt)
	if err != nil {
		return nil, err
	}
	live := map[string]bool{}
	var all strings.Builder
	for _, m := range snap.Memories() {
		eachLeaf(gjson.ParseBytes(m.Raw()), func(words string) {
			live[plainWords(words)] = true
			all.WriteString("\n" + plainWords(words))
		})
	}
	for _, content := range contents {
		eachLeaf(gjson.ParseBytes(content), func(words string) {
			if live[plainWords(words)] {
				return
			}
			for _, s := range sentencesOf(words) {
				if !strings.Contains(all.String(), s) {
					lost = append(lost, s)
				}
			}
		})
	}
	return lost, nil
}

func plainWords(s string) string { return strings.Join(strings.Fields(norm.NFC.String(s)), " ") }

// eachLeaf gives the values of a JSON value that hold no others, as text.
func eachLeaf(v gjson.Result, each func(string)) {
	if v.IsObject() || v.IsArray() {
		v.ForEach(func(_, child gjson.Result) bool {
			eachLeaf(child, each)
			return true
		})
		return
	}
	each(v.String())
}

// sentencesOf splits a text at its lines, and these where sentences end.
func sentencesOf(s string) (list []string) {
	for line := range strings.SplitSeq(s, "\n") {
		from := 0
		for _, end := range append(text.SentenceEnds(line, 0, false), len(line)) {
			if words := plainWords(line[from:end]); words != "" {
				list = append(list, words)
			}
			from = end
		}
	}
	return list
}
