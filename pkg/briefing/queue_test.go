package briefing

import (
	"cmp"
	"fmt"
	"slices"
	"testing"
	"time"

	gocmp "github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/memoryd/memoryd/pkg/retention"
	"github.com/memoryd/memoryd/pkg/workspace"
)

// made gives memories, and counts those that were asked for.
type made struct {
	all   []*workspace.Memory
	asked map[int]bool
}

func (m made) ID(i int) string { return m.all[i].ID }

func (m made) Memory(i int) *workspace.Memory {
	m.asked[i] = true
	return m.all[i]
}

// plainly picks as [Pick] does, by looking at all candidates in their order.
func plainly(from Memories, all []Candidate, r Request) Block {
	wanted := slices.DeleteFunc(slices.Clone(all), func(c Candidate) bool { return !r.wants(&c) })
	slices.SortFunc(wanted, func(a, b Candidate) int {
		relevance, score, tier := cmp.Compare(b.Relevance, a.Relevance), cmp.Compare(b.Score, a.Score), cmp.Compare(a.Tier, b.Tier)
		c := cmp.Or(relevance, tier, score)
		if (a.Tier == retention.Hot || b.Tier == retention.Hot) && !r.OnlyRelevant {
			c = cmp.Or(tier, score, relevance)
		}
		return cmp.Or(c, cmp.Compare(from.ID(a.Place), from.ID(b.Place)), cmp.Compare(from.Memory(a.Place).Ref.String(), from.Memory(b.Place).Ref.String()))
	})
	p := page{Request: r, room: frameRoom(r)}
	taken, silent := map[string]int{}, 0
	for _, c := range wanted {
		e := newEntry(from.Memory(c.Place), &c, r.Format)
		switch {
		case p.misses >= enough:
			p.cut = append(p.cut, Cut{e.id, NoRoom})
		case r.MaxPerGroup > 0 && taken[c.Group] >= r.MaxPerGroup:
			p.cut = append(p.cut, Cut{e.id, GroupFull})
		case e.text == "":
			silent++
		case p.add(e):
			taken[c.Group]++
		default:
			p.cut = append(p.cut, Cut{e.id, NoRoom})
		}
	}
	b := p.block()
	b.CutAll = len(b.Cut)
	b.Cut = b.Cut[:min(len(b.Cut), mostCut)]
	return b
}

// Looking at few candidates gives what looking at all of them does.
func TestPickIsExact(t *testing.T) {
	at := time.Date(2026, 3, 1, 9, 0, 0, 0, time.UTC)
	rapid.Check(t, func(t *rapid.T) {
		from := made{asked: map[int]bool{}}
		var all []Candidate
		for i := range rapid.IntRange(0, 200).Draw(t, "n") {
			text := rapid.SampledFrom([]string{"", "short", "a longer text of several words, " + fmt.Sprint(i), fmt.Sprintf("%0600d", i)}).Draw(t, "text")
			ms, err := workspace.ParseRecords(fmt.Sprintf("global/m%d.json", i), fmt.Appendf(nil, `{"id":"m%d","type":"semantic","created_at":"2026-01-01T00:00:00Z","content":%q}`, rapid.IntRange(0, 150).Draw(t, "id"), text))
			if err != nil {
				t.Fatal(err)
			}
			from.all = append(from.all, ms[0])
			all = append(all, Candidate{
				Place: i, Group: rapid.SampledFrom([]string{"semantic", "episodic", "procedural", "odd"}).Draw(t, "group"),
				Score: float64(rapid.IntRange(0, 3).Draw(t, "score")) / 3, Tier: rapid.SampledFrom([]retention.Tier{retention.Hot, retention.Warm}).Draw(t, "tier"),
				Relevance: float64(rapid.IntRange(0, 3).Draw(t, "relevance")) / 3,
			})
		}
		r := Request{Format: rapid.SampledFrom(Formats()).Draw(t, "format"), At: at, Tokens: rapid.SampledFrom([]int{0, 60, 300, 4000, 100_000}).Draw(t, "tokens"), MaxPerGroup: rapid.IntRange(0, 60).Draw(t, "per group"),
			Asked: rapid.Bool().Draw(t, "asked"), OnlyRelevant: rapid.Bool().Draw(t, "only"), MinRelevance: 0.3}
		if diff := gocmp.Diff(plainly(from, all, r), Pick(from, all, r)); diff != "" {
			t.Fatal(diff)
		}
	})
}

// Of many candidates few are made.
func TestPickMakesFew(t *testing.T) {
	const n = 5000
	var all []Candidate
	from := made{asked: map[int]bool{}}
	for i := range n {
		ms, err := workspace.ParseRecords(fmt.Sprintf("global/m%d.json", i), fmt.Appendf(nil, `{"id":"m%d","type":"semantic","content":"Note %d on the gateway."}`, i, i))
		if err != nil {
			t.Fatal(err)
		}
		from.all = append(from.all, ms[0])
		all = append(all, Candidate{Place: i, Group: "semantic", Score: float64(i%7) / 7})
	}
	for _, perGroup := range []int{10, 0} {
		clear(from.asked)
		b := Pick(from, all, Request{Format: XML, Tokens: 2000, MaxPerGroup: perGroup})
		if b.CutAll != n-len(b.Given) || len(b.Cut) != mostCut || len(from.asked) > len(b.Given)+enough+1 {
			t.Errorf("%d given, %d cut, %d named, %d made", len(b.Given), b.CutAll, len(b.Cut), len(from.asked))
		}
	}
}
