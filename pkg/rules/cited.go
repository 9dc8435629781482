package rules

import (
	"encoding/binary"
	"maps"
	"slices"

	"github.com/memoryd/memoryd/pkg/internal/parallel"
	"github.com/memoryd/memoryd/pkg/memory"
	"github.com/memoryd/memoryd/pkg/similarity"
	"github.com/memoryd/memoryd/pkg/supersession"
)

// citedName is what a memory is called in the scope in which others may cite it: a hash of it.
type citedName struct {
	scope memory.Scope
	hash  uint64
}

// statedUpdates finds the memories that say which other one they replace, or by which they
// are replaced: by its id, or by the number of a document in its title.
func statedUpdates(st *state) (all []update) {
	cites := cites(st)
	var citing []*subject
	wanted := map[uint64]bool{}
	for m, hashes := range cites {
		citing = append(citing, m)
		for _, hash := range hashes {
			wanted[hash] = true
		}
	}
	if len(citing) == 0 {
		return nil
	}
	slices.SortFunc(citing, freshestFirst)
	called := called(st, wanted)
	for _, m := range citing {
		for _, hash := range cites[m] {
			// Where several go by that name nobody knows which is meant.
			if same := called[citedName{m.Scope, hash}]; len(same) == 1 && same[0] != m {
				if u, ok := statedUpdate(same[0], m); ok {
					all = append(all, u)
				}
			}
		}
	}
	return all
}

// cites finds the names that memories cite, as hashes: of those that cite any. A memory that
// is alone in its scope has none to cite.
func cites(st *state) map[*subject][]uint64 {
	s := byScope('c')
	all := map[*subject][]uint64{}
	for _, members := range blocksOf(st, s) {
		key := s.key(st.Memo, members)
		if value, ok := st.Memo.get(key); ok && readCites(value, members, all) {
			st.Memo.put(key, value)
			st.progress.step(len(members))
			continue
		}
		hashes := make([][]uint64, len(members))
		parallel.For(len(members), func(i int) {
			if st.progress.step(1) && derivedOf(members[i].Memory).replaces {
				hashes[i] = nameHashes(supersession.Cited(members[i].Text()))
			}
		})
		var value []byte
		for i, m := range members {
			for _, hash := range hashes[i] {
				value = binary.LittleEndian.AppendUint64(binary.AppendUvarint(value, uint64(i)), hash)
				all[m] = append(all[m], hash)
			}
		}
		if st.progress.err == nil {
			st.Memo.put(key, value)
		}
	}
	return all
}

// readCites reads the names that a memo knows: each as the place of the citing memory and a
// hash. It reports whether all could be read.
func readCites(value []byte, members []*subject, all map[*subject][]uint64) bool {
	found := map[*subject][]uint64{}
	for r := (memoReader{rest: value}); len(r.rest) > 0; {
		i, hash := r.count(), r.take(8)
		if r.broken || i >= len(members) {
			return false
		}
		found[members[i]] = append(found[members[i]], binary.LittleEndian.Uint64(hash))
	}
	maps.Copy(all, found)
	return true
}

// citable reports whether a memory takes part.
func citable(m *subject) bool { return m.Type != memory.Working && saysAnything(m.Memory) }

// called lists the memories that go by the wanted names.
func called(st *state, wanted map[uint64]bool) map[citedName][]*subject {
	names := make([][]uint64, len(st.subjects))
	parallel.For(len(names), func(i int) {
		m := st.subjects[i]
		if !citable(m) {
			return
		}
		n := supersession.Note{Name: m.ID}
		if !derivedOf(m.Memory).plain {
			n.Title = title(m.Memory)
		}
		names[i] = nameHashes(n.Keys())
	})
	by := map[citedName][]*subject{}
	for i, m := range st.subjects {
		for _, hash := range names[i] {
			if wanted[hash] {
				n := citedName{m.Scope, hash}
				by[n] = append(by[n], m)
			}
		}
	}
	return by
}

// statedUpdate finds the update that one of two memories states, whichever is the newer: the
// text says which one replaces the other.
func statedUpdate(a, b *subject) (update, bool) {
	both := [2]*reading{readForJudgement(a.Memory), readForJudgement(b.Memory)}
	for way, pair := range [2][2]*subject{{a, b}, {b, a}} {
		if j, ok := judgeUpdate(both[way], both[1-way]); ok && j.Cue == supersession.CueStated {
			content := similarity.Content(similarity.Prepare(a.Text()), similarity.Prepare(b.Text()))
			return update{older: pair[0], newer: pair[1], content: content, judgement: j}, true
		}
	}
	return update{}, false
}
