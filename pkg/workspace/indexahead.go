package workspace

import (
	"bytes"

	"github.com/memoryd/memoryd/pkg/indexfile"
	"github.com/memoryd/memoryd/pkg/internal/durable"
)

// updatedIndex is what an index is to become.
type updatedIndex struct {
	indexfile.Updated
	to *standing // nil where no more is known of it
}

// foresight is what an index becomes of what it is when all happens as it is planned. It is
// computed while the slots are written, which is waiting for the disk mostly, and serves only
// if the index and the files are then as they were foreseen.
type foresight struct {
	from *standing // nil: nothing is foreseen
	updatedIndex
}

// foresee gives what computes the foresights. They touch no file, and may be computed at the
// same time.
func (r *run) foresee() (all []func() error) {
	if len(r.j.Exact) > 0 {
		return nil // an undo knows already
	}
	r.foreseen = make([]map[bool]foresight, len(r.j.Indexes))
	for k := range r.j.Indexes {
		stands := r.standing[r.j.Indexes[k].Path]
		if stands == nil || stands.index == nil || stands.index.Foreign || len(stands.doc) > maxLeft { // that would stay in memory meanwhile
			continue
		}
		r.foreseen[k] = map[bool]foresight{}
		all = append(all, func() error {
			for _, adding := range r.turns.of[k] {
				next, err := r.foreseeOne(k, stands, adding)
				if err != nil {
					return nil //nolint:nilerr // it will be told when the turn comes
				}
				r.foreseen[k][adding] = foresight{stands, next}
				stands = next.to
			}
			return nil
		})
	}
	return all
}

// foreseeOne is the index numbered k after it was brought along once more.
func (r *run) foreseeOne(k int, stands *standing, adding bool) (next updatedIndex, err error) {
	name, changes := r.j.Indexes[k].Path, r.concerning(k, adding)
	contents := make([][]byte, len(changes))
	for i, c := range changes {
		contents[i] = c.After
	}
	if next, err = r.updated(stands.index, changes, contents); err != nil || bytes.Equal(next.Doc, stands.doc) {
		next.to = stands
		return next, err
	}
	next.to = &standing{doc: next.Doc, sum: durable.Sum(next.Doc), index: indexfile.Open(name, next.Doc, nil)} // as the next run will want it
	return next, nil
}
