package rules

import (
	"slices"

	"github.com/memoryd/memoryd/pkg/internal/parallel"
	"github.com/memoryd/memoryd/pkg/memory"
	"github.com/memoryd/memoryd/pkg/similarity"
	"github.com/memoryd/memoryd/pkg/supersession"
)

// name is what a memory is called in the scope in which others may cite it: a hash of it.
type name struct {
	scope memory.Scope
	hash  uint64
}

// statedUpdates finds the memories that say which other one they replace, or by which they
// are replaced: by its id, or by the number of a document in its title.
func (p *planner) statedUpdates() (all []update) {
	var citing []*subject
	cites := map[*subject][]uint64{}
	wanted := map[uint64]bool{}
	for _, m := range p.subjects {
		if !citable(m) {
			continue
		}
		if hashes := citedBy(m.Memory); len(hashes) > 0 {
			citing, cites[m] = append(citing, m), hashes
			for _, hash := range hashes {
				wanted[hash] = true
			}
		}
	}
	if len(citing) == 0 {
		return nil
	}
	slices.SortFunc(citing, freshestFirst)
	called := p.called(wanted)
	for _, m := range citing {
		for _, hash := range cites[m] {
			// Where several go by that name nobody knows which is meant.
			if same := called[name{m.Scope, hash}]; len(same) == 1 && same[0] != m {
				if u, ok := stated(same[0], m); ok {
					all = append(all, u)
				}
			}
		}
	}
	return all
}

// citable reports whether a memory takes part.
func citable(m *subject) bool { return m.Type != memory.Working && says(m.Memory) }

// called lists the memories that go by the wanted names.
func (p *planner) called(wanted map[uint64]bool) map[name][]*subject {
	names := make([][]uint64, len(p.subjects))
	parallel.For(len(names), func(i int) {
		m := p.subjects[i]
		if !citable(m) {
			return
		}
		n := supersession.Note{Name: m.ID}
		if !derivedOf(m.Memory).plain {
			n.Title = title(m.Memory)
		}
		names[i] = nameHashes(n.Keys())
	})
	by := map[name][]*subject{}
	for i, m := range p.subjects {
		for _, hash := range names[i] {
			if wanted[hash] {
				n := name{m.Scope, hash}
				by[n] = append(by[n], m)
			}
		}
	}
	return by
}

// stated finds the update that one of two memories states, whichever is the newer: the
// text says which one replaces the other.
func stated(a, b *subject) (update, bool) {
	both := [2]*reading{read(a.Memory), read(b.Memory)}
	for way, pair := range [2][2]*subject{{a, b}, {b, a}} {
		if j, ok := judge(both[way], both[1-way]); ok && j.Cue == supersession.CueStated {
			content := similarity.Content(similarity.Prepare(a.Text()), similarity.Prepare(b.Text()))
			return update{older: pair[0], newer: pair[1], content: content, judgement: j}, true
		}
	}
	return update{}, false
}
