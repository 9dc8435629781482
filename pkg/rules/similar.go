package rules

import (
	"cmp"
	"slices"
	"strings"

	"github.com/memoryd/memoryd/pkg/internal/parallel"
	"github.com/memoryd/memoryd/pkg/memory"
	"github.com/memoryd/memoryd/pkg/similarity"
)

// block is what two memories have in common that are compared with each other.
type block struct{ kind, subtype, scope, scopeID, author string }

// search finds similar memories. Within each block it visits the memories from the
// freshest to the oldest, each with those that are similar to it. What a visit takes is
// neither visited nor met again.
type search struct {
	block         func(*memory.Memory) (b block, ok bool) // not ok: the memory takes no part
	tags, content float64                                 // similar are those above both
	oldestFirst   bool                                    // the order of visit.pairs; else the freshest first
}

// visit is a memory and those of its block that are similar to it, not fresher, and not
// taken yet: at least one.
type visit struct {
	of    *subject
	text  *similarity.Features
	pairs []similarTo
}

// similarTo is one memory as seen from a fresher one.
type similarTo struct {
	*subject
	text          *similarity.Features
	tags, content float64
}

// searchSimilar makes the visits and returns what they found, in the order of all visits.
// Blocks are searched at the same time: look must change nothing that others read.
func searchSimilar[F any](p *planner, s search, look func(v *visit) (taken []*subject, found F)) []F {
	type result struct {
		of    *subject
		found F
	}
	blocks := p.blocks(s)
	results := make([][]result, len(blocks))
	parallel.Tasks(len(blocks), func(i int) {
		p.searchBlock(s, blocks[i], func(v *visit) []*subject {
			taken, found := look(v)
			results[i] = append(results[i], result{v.of, found})
			return taken
		})
	})
	all := slices.Concat(results...)
	slices.SortFunc(all, func(a, b result) int { return freshestFirst(a.of, b.of) })
	out := make([]F, len(all))
	for i := range all {
		out[i] = all[i].found
	}
	return out
}

// blocks are those with more than one memory, the largest first.
func (p *planner) blocks(s search) (blocks [][]*subject) {
	numbers := map[block]int{}
	for _, m := range p.subjects {
		b, ok := s.block(m.Memory)
		if !ok {
			continue
		}
		n, known := numbers[b]
		if !known {
			n = len(blocks)
			numbers[b] = n
			blocks = append(blocks, nil)
		}
		blocks[n] = append(blocks[n], m)
	}
	blocks = slices.DeleteFunc(blocks, func(b []*subject) bool { return len(b) < 2 })
	slices.SortStableFunc(blocks, func(a, b []*subject) int { return cmp.Compare(len(b), len(a)) })
	for _, b := range blocks {
		p.progress.expect(len(b))
	}
	return blocks
}

// largeBlock is how many memories a block has at least whose texts are read on all cores
// before they are compared.
const largeBlock = 64

// searchBlock visits the memories of one block.
func (p *planner) searchBlock(s search, members []*subject, look func(*visit) []*subject) {
	byTurn := slices.SortedFunc(slices.Values(members), freshestFirst)
	if !s.oldestFirst {
		members = byTurn
	}
	at := make(map[*subject]int, len(members))
	records := make([]similarity.Record, len(members))
	for i, m := range members {
		at[m] = i
		records[i] = similarity.Record{Tags: m.Tags, Text: similarity.Later(m)}
	}
	join := similarity.NewJoin(records, s.tags, s.content)
	ask := func(int) {}
	if len(members) > largeBlock {
		p.readTexts(members, records, join)
		ahead := similarity.NewAhead(join)
		ask = func(n int) {
			ahead.Ask(len(byTurn)-n, func(after int) int { return at[byTurn[n+after]] })
		}
	}
	taken := make([]bool, len(members))
	for n, m := range byTurn {
		i := at[m]
		if !p.progress.step(1) {
			return
		}
		ask(n)
		if taken[i] || join.Alone(i) || !says(m.Memory) {
			continue
		}
		v := visit{of: m, text: records[i].Text}
		for _, pair := range join.Similar(i) {
			j := pair.A + pair.B - i
			if pair.Content < 1 || says(members[j].Memory) {
				v.pairs = append(v.pairs, similarTo{members[j], records[j].Text, pair.TagOverlap, pair.Content})
			}
		}
		join.Remove(i)
		if len(v.pairs) == 0 {
			continue
		}
		for _, m := range look(&v) {
			taken[at[m]] = true
			join.Remove(at[m])
		}
	}
}

// readTexts reads the texts that the join will ask for, in the order in which they lie in
// files.
func (p *planner) readTexts(members []*subject, records []similarity.Record, join *similarity.Join) {
	var read []int
	for i := range members {
		if !join.Alone(i) {
			read = append(read, i)
		}
	}
	slices.SortFunc(read, func(i, j int) int { return strings.Compare(members[i].File, members[j].File) })
	parallel.For(len(read), func(i int) {
		if p.progress.step(0) {
			records[read[i]].Text.Read()
		}
	})
}
