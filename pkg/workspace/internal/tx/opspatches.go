package tx

import (
	"bytes"
	"maps"
	"path"
	"slices"
	"strings"

	"github.com/memoryd/memoryd/pkg/memory"
	"github.com/memoryd/memoryd/pkg/review"
	"github.com/memoryd/memoryd/pkg/workspace/internal/journal"
	"github.com/memoryd/memoryd/pkg/workspace/internal/seenfile"
)

// opsPatches are the patches of the documents that go with the run: judged edges, and below ops/ the review
// queue, the fingerprints seen, the access log, and the log, which comes last.
func (r *run) opsPatches() []*patch {
	return slices.DeleteFunc(append(r.edges(), r.review(), r.seen(), r.fold(), r.log()), func(p *patch) bool { return p == nil })
}

// review updates the review queue.
func (r *run) review() *patch {
	var add, take []review.Pair
	var decide, undecide []review.Decision
	for _, a := range r.j.Actions {
		if _, dead := r.dead[a.Group]; !dead {
			add, take = append(add, a.Pairs...), append(take, a.Unpair...)
			decide, undecide = append(decide, a.Decisions...), append(undecide, a.Undecide...)
		}
	}
	if len(add)+len(take)+len(decide)+len(undecide) == 0 {
		return nil
	}
	return &patch{label: journal.LabelReview, name: memory.ReviewFile, of: func(doc []byte) ([]byte, error) {
		if exact, ok := r.exact(memory.ReviewFile, doc); ok {
			return exact, nil
		}
		next, err := review.Take(doc, take, undecide)
		if err == nil {
			next, err = review.Patch(next, add, decide)
		}
		if err != nil && doc != nil { // broken by hand a moment ago: begun anew
			if err := r.keepBroken(memory.ReviewFile, doc); err != nil {
				return nil, err
			}
			return review.Patch(nil, add, decide)
		}
		return next, err
	}}
}

// seen notes the fingerprints that the run leaves.
func (r *run) seen() *patch {
	if len(r.j.Seen) == 0 && !slices.ContainsFunc(r.j.Exact, func(e journal.Exact) bool { return e.Path == memory.SeenFile }) {
		return nil
	}
	skip := map[string]bool{}
	for _, a := range r.j.Actions {
		if _, dead := r.dead[a.Group]; dead {
			for _, op := range a.Ops {
				skip[op.ID] = true
			}
		}
	}
	return &patch{label: journal.LabelSeen, name: memory.SeenFile, of: func(doc []byte) ([]byte, error) {
		if exact, ok := r.exact(memory.SeenFile, doc); ok {
			return exact, nil
		}
		if len(r.j.Seen) == 0 {
			return doc, nil
		}
		seen := seenfile.Parse(doc)
		if doc != nil && !bytes.Equal(seenfile.Format(seen), doc) { // not as we write it
			if err := r.keepBroken(memory.SeenFile, doc); err != nil {
				return nil, err
			}
		}
		for id, print := range r.j.Seen {
			if !skip[id] {
				seen[id] = print
			}
		}
		maps.DeleteFunc(seen, func(_, print string) bool { return print == "" })
		return seenfile.Format(seen), nil
	}}
}

// keepBroken keeps a copy of a document of ours that can't be read any more in
// ops/conflicts.
func (r *run) keepBroken(name string, doc []byte) error {
	kept, _, err := r.read(path.Join(journal.ConflictsDir, path.Base(r.dir), name))
	if err != nil || bytes.Equal(kept, doc) { // by an earlier attempt
		return err
	}
	_, attr, err := r.read(name)
	if err != nil {
		return err
	}
	copied := r.dir + "/" + strings.ReplaceAll(name, "/", "_")
	if err := r.fill(copied, doc, attr); err != nil {
		return err
	}
	return r.aside(copied, name)
}
