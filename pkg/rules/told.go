package rules

import (
	"slices"

	"github.com/memoryd/memoryd/pkg/internal/parallel"
	"github.com/memoryd/memoryd/pkg/memory"
	"github.com/memoryd/memoryd/pkg/similarity"
	"github.com/memoryd/memoryd/pkg/supersession"
)

// toldUpdates finds the memories that tell of a change from what an older one of their scope says: "switched from … to …".
func toldUpdates(st *state) []update {
	s := byScope('t')
	blocks := blocksOf(st, s)
	found := make([][]update, len(blocks))
	parallel.Tasks(len(blocks), func(i int) {
		members := slices.SortedFunc(slices.Values(blocks[i]), freshestFirst)
		if st.progress.step(len(members)) {
			found[i] = toldIn(st, s, members)
		}
	})
	return slices.Concat(found...)
}

// toldIn looks at the memories of one scope, from the freshest to the oldest.
func toldIn(st *state, s search, members []*subject) (us []update) {
	var marked []int
	for i, m := range members {
		if derivedOf(m.Memory).changes {
			marked = append(marked, i)
		}
	}
	if len(marked) == 0 {
		return nil
	}
	key := s.key(st.Memo, members)
	known := st.Memo.lookUp(key, len(members))
	if known == nil {
		known = &comparison{pairs: make([][]*pair, len(members))}
		for _, c := range supersession.Corrections(len(members), marked, func(i int) supersession.Note { return note(members[i].Memory) }) {
			a, b := members[c.Newer].Memory, members[c.Older].Memory
			known.pairs[c.Newer] = append(known.pairs[c.Newer], &pair{
				other: c.Older, content: similarity.Content(similarity.Prepare(a.Text()), similarity.Prepare(b.Text())),
				judged: true, verdict: verdictOf(c.Judgement),
			})
		}
	}
	if st.progress.err == nil {
		st.Memo.keep(key, known)
	}
	for newer, pairs := range known.pairs {
		for _, c := range pairs {
			u := update{older: members[c.other], newer: members[newer], content: c.content, judgement: judgementOf(c.verdict)}
			if u.older.Type != memory.Episodic && u.older.Newest().Before(u.newer.Newest()) && !decided(u.older.Memory, u.newer.Memory) {
				us = append(us, u)
			}
		}
	}
	return us
}
