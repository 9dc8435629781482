package rules

import (
	"slices"

	"github.com/memoryd/memoryd/pkg/internal/parallel"
	"github.com/memoryd/memoryd/pkg/memory"
	"github.com/memoryd/memoryd/pkg/similarity"
	"github.com/memoryd/memoryd/pkg/supersession"
)

// byScope compares the memories of a scope with each other, whatever their type, as texts that name each other are.
func byScope(kind byte) search {
	return search{kind: kind, block: func(m *memory.Memory) (block, bool) {
		return block{scope: m.Scope.Kind, scopeID: m.Scope.ID}, m.Type != memory.Working
	}}
}

// toldUpdates finds the memories that tell of a change from what an older one of their scope says: "switched from … to …".
func (p *planner) toldUpdates() []update {
	s := byScope('t')
	blocks := p.blocks(s)
	found := make([][]update, len(blocks))
	parallel.Tasks(len(blocks), func(i int) {
		members := slices.SortedFunc(slices.Values(blocks[i]), freshestFirst)
		if p.progress.step(len(members)) {
			found[i] = p.toldIn(s, members)
		}
	})
	return slices.Concat(found...)
}

// toldIn looks at the memories of one scope, from the freshest to the oldest.
func (p *planner) toldIn(s search, members []*subject) (us []update) {
	var marked []int
	for i, m := range members {
		if derivedOf(m.Memory).changes {
			marked = append(marked, i)
		}
	}
	if len(marked) == 0 {
		return nil
	}
	var key memoKey
	var known *comparison
	if p.Memo != nil {
		key = s.key(members)
		known = p.Memo.lookUp(key, len(members))
	}
	if known == nil {
		known = &comparison{pairs: make([][]*pair, len(members))}
		for _, c := range supersession.Corrections(len(members), marked, func(i int) supersession.Note { return note(members[i].Memory) }) {
			a, b := members[c.Newer].Memory, members[c.Older].Memory
			known.pairs[c.Newer] = append(known.pairs[c.Newer], &pair{
				other: c.Older, content: similarity.Content(similarity.Prepare(a.Text()), similarity.Prepare(b.Text())),
				judged: true, verdict: verdict(c.Judgement),
			})
		}
		if p.Memo != nil && p.progress.err == nil {
			p.Memo.keep(key, known)
		}
	} else {
		p.Memo.keep(key, known)
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
