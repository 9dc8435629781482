package rules

import (
	"cmp"
	"crypto/sha256"
	"fmt"
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
	kind          byte                                    // in a memo
	block         func(*memory.Memory) (b block, ok bool) // not ok: the memory takes no part
	tags, content float64                                 // similar are those above both
	oldestFirst   bool                                    // the order of visit.pairs; else the freshest first
}

// visit is a memory and those of its block that are similar to it, not fresher, and not
// taken yet: at least one.
type visit struct {
	of    *subject
	pairs []similarTo
}

// similarTo is one memory as seen from a fresher one.
type similarTo struct {
	*subject
	*pair
}

// searchSimilar makes the visits and returns what they found, in the order of all visits.
// Blocks are searched at the same time: look must change nothing that others read.
func searchSimilar[F any](st *state, s search, look func(v *visit) (taken []*subject, found F)) []F {
	type result struct {
		of    *subject
		found F
	}
	blocks := blocksOf(st, s)
	results := make([][]result, len(blocks))
	parallel.Tasks(len(blocks), func(i int) {
		searchBlock(st, s, blocks[i], func(v *visit) []*subject {
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
func blocksOf(st *state, s search) [][]*subject {
	blocks := grouped(st.subjects, func(m *subject) (block, bool) { return s.block(m.Memory) })
	blocks = slices.DeleteFunc(blocks, func(b []*subject) bool { return len(b) < 2 })
	slices.SortStableFunc(blocks, func(a, b []*subject) int { return cmp.Compare(len(b), len(a)) })
	for _, b := range blocks {
		st.progress.expect(len(b))
	}
	return blocks
}

// grouped puts together what has the same key, in the order in which the keys are met. What has none is left out.
func grouped[T any, K comparable](all []T, key func(T) (k K, ok bool)) (groups [][]T) {
	numbers := map[K]int{}
	for _, m := range all {
		k, ok := key(m)
		if !ok {
			continue
		}
		n, known := numbers[k]
		if !known {
			n = len(groups)
			numbers[k] = n
			groups = append(groups, nil)
		}
		groups[n] = append(groups[n], m)
	}
	return groups
}

// largeBlock is how many memories a block has at least whose texts are read on all cores
// before they are compared.
const largeBlock = 64

// searchBlock visits the memories of one block.
func searchBlock(st *state, s search, members []*subject, look func(*visit) []*subject) {
	byTurn := slices.SortedFunc(slices.Values(members), freshestFirst)
	at := make(map[*subject]int, len(byTurn))
	for i, m := range byTurn {
		at[m] = i
	}
	key := s.key(st.Memo, byTurn)
	known := st.Memo.lookUp(key, len(byTurn))
	taken := make([]bool, len(byTurn))
	found, take := known, func(int) {}
	similar := func(i int) []*pair { return known.pairs[i] }
	if known == nil {
		found = &comparison{pairs: make([][]*pair, len(byTurn)), full: st.Memo == nil}
		similar, take = compare(st, s, byTurn, taken, found)
	}
	for i, m := range byTurn {
		if !st.progress.step(1) {
			return
		}
		v := visit{of: m}
		for _, pair := range similar(i) { // also of what is taken: these are kept
			if !taken[pair.other] {
				v.pairs = append(v.pairs, similarTo{byTurn[pair.other], pair})
			}
		}
		if taken[i] || len(v.pairs) == 0 {
			continue
		}
		if s.oldestFirst {
			slices.SortFunc(v.pairs, func(a, b similarTo) int { return cmp.Compare(a.n, b.n) })
		}
		for _, m := range look(&v) {
			taken[at[m]] = true
			take(at[m])
		}
	}
	if !found.full {
		st.Memo.keep(key, found)
	}
}

// compare compares the memories of a block. It returns a function that finds the memories
// that are similar to one and come after it, to be called for each in turn, and one to be told
// what is taken. Until there are too many pairs to be kept, it finds pairs of what is taken, too.
func compare(st *state, s search, byTurn []*subject, taken []bool, found *comparison) (similar func(i int) []*pair, take func(i int)) {
	records := make([]similarity.Record, len(byTurn))
	for i, m := range byTurn {
		records[i] = similarity.Record{Tags: m.Tags, Text: similarity.Later(m)}
	}
	join := similarity.NewJoin(records, s.tags, s.content)
	ahead := similarity.NewAhead(join)
	if len(byTurn) > largeBlock {
		readTexts(st, byTurn, records, join)
	}
	similar = func(i int) (pairs []*pair) {
		if len(byTurn) > largeBlock {
			ahead.Ask(len(byTurn)-i, func(after int) int { return i + after })
		}
		if taken[i] && found.full || join.Alone(i) || !saysAnything(byTurn[i].Memory) {
			return nil
		}
		for _, sim := range join.Similar(i) {
			if other := sim.A + sim.B - i; sim.Content < 1 || saysAnything(byTurn[other].Memory) {
				pairs = append(pairs, &pair{other: other, tags: sim.TagOverlap, content: sim.Content})
			}
		}
		join.Remove(i)
		if found.full {
			return pairs
		}
		found.pairs[i] = pairs
		if found.count += len(pairs); found.count > maxKeptPairs*len(byTurn) {
			found.full, found.pairs = true, nil
			for i, taken := range taken {
				if taken {
					join.Remove(i)
				}
			}
		}
		return pairs
	}
	take = func(i int) {
		if found.full {
			join.Remove(i)
		}
	}
	return similar, take
}

// readTexts reads the texts that the join will ask for, in the order in which they lie in
// files.
func readTexts(st *state, members []*subject, records []similarity.Record, join *similarity.Join) {
	var read []int
	for i := range members {
		if !join.Alone(i) {
			read = append(read, i)
		}
	}
	slices.SortFunc(read, func(i, j int) int { return strings.Compare(members[i].File, members[j].File) })
	parallel.For(len(read), func(i int) {
		if st.progress.step(0) {
			records[read[i]].Text.Read()
		}
	})
}

// key identifies the search in a block, for a memo.
func (s search) key(m *Memo, byTurn []*subject) (key memoKey) {
	if m == nil {
		return key
	}
	h := sha256.New()
	fmt.Fprintf(h, "%g %g ", s.tags, s.content)
	for _, m := range byTurn {
		sum := m.Checksum()
		h.Write(sum[:])
	}
	copy(key[:], h.Sum(nil))
	key[0] = s.kind
	return key
}
