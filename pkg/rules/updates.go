package rules

import (
	"cmp"
	"slices"
	"strings"

	"github.com/memoryd/memoryd/pkg/memory"
	"github.com/memoryd/memoryd/pkg/similarity"
)

// updates finds the memories that a newer one updates, the freshest newer ones first: by
// what they say of others, by what they tell has changed, and by being alike. Working memories take no part: their
// session settles them.
func updates(st *state) (all []update) {
	found := map[[2]int]bool{} // pairs
	for _, u := range slices.Concat(statedUpdates(st), toldUpdates(st), likelyUpdates(st)) {
		if pair := [2]int{min(u.older.n, u.newer.n), max(u.older.n, u.newer.n)}; !found[pair] {
			found[pair] = true
			u.tags = similarity.Tags(u.older.Tags, u.newer.Tags)
			all = append(all, u)
		}
	}
	slices.SortStableFunc(all, func(a, b update) int { return freshestFirst(a.newer, b.newer) })
	return all
}

// Bounds on look-alikes. A memory that seems to update many others belongs to a
// series of notes in one form ("The export wrote 1,217 rows"), of which none updates
// another. A series that is found out takes no further part: its older half, being
// smaller, would pass for updates.
const (
	maxUpdates = 3   // updates by one memory
	maxJudged  = 12  // look-alikes of one memory that are judged, the most alike first
	maxAlike   = 200 // look-alikes of one memory; with more, all of them are a series
)

// likelyUpdates finds those that share much of their wording and tags with a newer one,
// and judges them.
func likelyUpdates(st *state) []update {
	return slices.Concat(searchSimilar(st, search{
		kind: 'u',
		block: func(m *memory.Memory) (block, bool) {
			return block{kind: strings.ToLower(m.Type), scope: m.Scope.Kind, scopeID: m.Scope.ID}, m.Type != memory.Working
		},
		tags: st.Settings.Supersede.TagOverlap, content: st.Settings.Supersede.ContentSimilarity,
	}, func(v *visit) ([]*subject, []update) { return judgeAll(st, v) })...)
}

// judgeAll judges the look-alikes of a memory, and lists those of a series.
func judgeAll(st *state, v *visit) (series []*subject, us []update) {
	pairs := slices.Clone(v.pairs)
	slices.SortStableFunc(pairs, func(a, b similarTo) int { return cmp.Compare(b.content, a.content) })
	var newer *reading
	for _, pair := range pairs[:min(len(pairs), maxJudged)] {
		// A pair for the merge rule is not one for this: that asks about distinct facts itself.
		merges := areDuplicates(st, pair.tags, pair.content) && duplicateBlock(v.of.Memory) == duplicateBlock(pair.Memory)
		if merges || !pair.Newest().Before(v.of.Newest()) {
			continue
		}
		said := pair.judge(func() []string {
			if newer == nil {
				newer = readForJudgement(v.of.Memory)
			}
			j, ok := judgeUpdate(readForJudgement(pair.Memory), newer)
			if !ok {
				return nil
			}
			return verdictOf(j)
		})
		if len(said) > 0 && st.seriesOf(v.of.Memory, pair.Memory) == nil {
			us = append(us, update{older: pair.subject, newer: v.of, content: pair.content, judgement: judgementOf(said)})
		}
	}
	if len(us) <= maxUpdates && len(pairs) <= maxAlike {
		return nil, us
	}
	for _, pair := range pairs {
		if len(pairs) > maxAlike || pair.content >= us[len(us)-1].content {
			series = append(series, pair.subject)
		}
	}
	return series, nil
}
