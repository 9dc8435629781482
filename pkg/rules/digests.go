package rules

import (
	"encoding/hex"
	"maps"
	"slices"

	"github.com/memoryd/memoryd/pkg/internal/parallel"
	"github.com/memoryd/memoryd/pkg/workspace"
)

// sign notes with each action the digests of its memories, so that a plan in a file can be
// held against the workspace. To take a digest a memory is read: those that an earlier plan
// took of what still says the same are among its findings.
func (p *planner) sign(choices ...choice) (actions []workspace.Action) {
	var about [][]int32
	for _, c := range choices {
		if len(actions) == 0 { // which is so for all but a few plans
			actions, about = c.taken, c.about
			continue
		}
		actions, about = append(actions, c.taken...), append(about, c.about...)
	}
	n := 0
	starts := make([]int, len(actions))
	for i := range actions {
		starts[i] = n
		n += len(about[i])
	}
	all := make([]workspace.Digest, n)
	taken := func(i int) []workspace.Digest { return all[starts[i] : starts[i]+len(about[i])] }
	parallel.For(len(actions), func(i int) {
		a, taken := &actions[i], taken(i)
		noted := a.Digests
		if p.repeats || len(noted) != len(about[i]) { // else it holds them all
			a.Digests = make(map[string]string, len(about[i]))
		}
		for n, k := range about[i] {
			id := p.id(k)
			digest, ok := noted[id]
			if taken[n] = workspace.Digest(digest); !ok || p.repeats {
				taken[n] = p.digest(k)
			}
			if !p.repeats || p.Live(id) != nil {
				a.Digests[id] = string(taken[n])
			}
		}
	})
	p.digests = make(map[int32]workspace.Digest, n)
	for i := range actions {
		taken := taken(i)
		for n, k := range about[i] {
			if p.digests[k] = taken[n]; p.knownDigests()[k] == "" {
				p.taken++
			}
		}
	}
	return actions
}

// digest is that of the memory at k. It takes no look at the bytes that an earlier plan took.
func (p *planner) digest(k int32) workspace.Digest {
	if digest, ok := p.knownDigests()[k]; ok {
		return digest
	}
	return p.at(k).Digest()
}

// digestSize is that of a digest as bytes.
const digestSize = 32

// digests are those that were found out, by the positions of the memories.
func (f *findings) digests() map[int32]workspace.Digest {
	if f == nil {
		return nil
	}
	known := make(map[int32]workspace.Digest, len(f.parts[partDigests])/(4+digestSize))
	for r := (reader{rest: f.parts[partDigests]}); len(r.rest) > 0; {
		k, digest := f.memory(&r), r.take(digestSize)
		if k >= 0 && digest != nil {
			known[k] = workspace.Digest(hex.EncodeToString(digest))
		}
	}
	return known
}

// appendDigests writes the digests of the memories that actions are about.
func (p *planner) appendDigests() (out []byte) {
	for _, k := range slices.SortedFunc(maps.Keys(p.digests), func(a, b int32) int { return int(p.places[a] - p.places[b]) }) {
		if digest, err := hex.DecodeString(string(p.digests[k])); err == nil && len(digest) == digestSize {
			out = append(appendU32(out, p.places[k]), digest...)
		}
	}
	return out
}
