package mirror

import (
	"bytes"
	"cmp"
	"context"
	"database/sql"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"slices"
	"strings"

	"github.com/memoryd/memoryd/pkg/merge"
)

// pull brings in what was written at the hub.
func (m *Mirror) pull(ctx context.Context) error {
	p, err := m.state.progress(ctx)
	if err != nil {
		return err
	}
	for tries := 0; tries < Tries; {
		page, err := m.Hub.Page(ctx, p.Cursor)
		if err != nil {
			return err
		}
		m.out.Principal = page.Principal
		m.clock(page.Time)
		if page.Epoch != p.Epoch || page.View != p.View || page.Revision < p.Cursor.Revision {
			if p, err = m.beginWhole(ctx, p, page); err != nil {
				return err
			}
			continue
		}
		next := p
		next.Cursor = page.Next
		incoming, err := m.incoming(ctx, page.Documents)
		if err == nil && p.Whole && !page.More {
			next.Whole = false
			incoming, err = m.withGone(ctx, incoming)
		}
		if err != nil {
			return err
		}
		all, err := m.take(ctx, incoming, next)
		switch {
		case err != nil:
			return err
		case !all: // some were edited while they were taken over
			tries++
			continue
		}
		if p = next; !page.More {
			return nil
		}
	}
	return ErrBusy
}

// beginWhole asks for everything from now on: the mirror is new, or what it may read has changed. Where the workspace is another one, or
// the hub was restored from a backup, nothing that was agreed on counts: what only one side has, both get.
func (m *Mirror) beginWhole(ctx context.Context, was progress, page Page) (progress, error) {
	p, first := progress{Epoch: page.Epoch, View: page.View, Whole: true}, "update agreed set seen = 0"
	if page.Epoch != was.Epoch || page.Revision < was.Cursor.Revision {
		first = "delete from agreed"
	}
	return p, m.state.within(ctx, func(tx *sql.Tx) error {
		if _, err := tx.ExecContext(ctx, first); err != nil {
			return err
		}
		return setProgress(ctx, tx, p)
	})
}

// incoming are the documents of a page that a mirror takes, by path. The hub's word on where they belong is checked.
func (m *Mirror) incoming(ctx context.Context, documents []Document) (all []agreed, err error) {
	done := func(name string) []byte {
		for _, d := range documents {
			if d.Path == name {
				return d.Bytes
			}
		}
		return m.local(name)
	}
	for _, d := range documents {
		a := agreed{Path: d.Path, Bytes: d.Bytes}
		if d.Gone != "" {
			if a.Path, err = m.state.path(ctx, d.Gone); err != nil {
				return nil, err
			}
			a.Bytes = nil
		} else if a.Bytes == nil {
			a.Bytes = []byte{}
		}
		if a.Path == "" || !Shared(a.Path) || a.Bytes == nil && ownFile(a.Path, m.Store.Machine()) || !logged(a.Path, done) {
			continue
		}
		a.Sum = sum(a.Bytes)
		all = append(all, a)
	}
	return all, nil
}

// withGone adds what a whole listing has not named.
func (m *Mirror) withGone(ctx context.Context, incoming []agreed) ([]agreed, error) {
	unseen, err := m.state.unseen(ctx)
	for _, path := range unseen {
		if !ownFile(path, m.Store.Machine()) && !slices.ContainsFunc(incoming, func(a agreed) bool { return a.Path == path }) {
			incoming = append(incoming, agreed{Path: path})
		}
	}
	return incoming, err
}

// take puts documents of the hub in their places, merged with what was changed here. It reports whether it could do so with all
// of them: then the mirror stands where next says.
func (m *Mirror) take(ctx context.Context, incoming []agreed, next progress) (all bool, err error) {
	same, takings, err := m.toTake(ctx, incoming)
	if err != nil {
		return false, err
	}
	inOrder(takings)
	swaps := swapsOf(takings)
	if m.DryRun {
		for _, s := range swaps {
			m.out.Received = append(m.out.Received, s.Name)
		}
		return true, m.agreeAll(ctx, same, true, next)
	}
	if err := m.agreeAll(ctx, same, len(takings) == 0, next); err != nil || len(takings) == 0 {
		return err == nil, err
	}
	made, err := m.Store.Documents().Swap(ctx, slots, swaps, func() error {
		if err := m.dies("stage"); err != nil {
			return err
		}
		if err := m.state.within(ctx, func(tx *sql.Tx) error { return noteTakings(ctx, tx, takings) }); err != nil {
			return err
		}
		return m.dies("staged")
	})
	if err != nil {
		return false, err
	}
	then := &next
	for i, done := range made {
		if !done {
			then = nil
		} else {
			m.out.Received = append(m.out.Received, swaps[i].Name)
		}
	}
	if err := m.settle(ctx, takings, made, then); err != nil {
		return false, err
	}
	return then != nil, m.Store.Documents().EndSwap(slots)
}

// toTake finds what has to be written for documents of the hub, and for which nothing has.
func (m *Mirror) toTake(ctx context.Context, incoming []agreed) (same []agreed, takings []taking, err error) {
	moves, err := m.moves(ctx, incoming)
	if err != nil {
		return nil, nil, err
	}
	followed := map[string]bool{}
	for _, v := range moves {
		more, ok, err := m.follow(ctx, v)
		if err != nil {
			return nil, nil, err
		}
		if ok {
			takings = append(takings, more...)
			followed[v.base.Path], followed[v.theirs.Path] = true, true
		}
	}
	for _, theirs := range incoming {
		if followed[theirs.Path] {
			continue
		}
		ours, result, branches, err := m.merged(ctx, theirs)
		if err != nil {
			return nil, nil, err
		}
		stands := bytes.Equal(ours, result) && (ours == nil) == (result == nil)
		if stands && len(branches) == 0 {
			same = append(same, theirs)
			continue
		}
		beside, err := m.beside(ctx, branches)
		if err != nil {
			return nil, nil, err
		}
		one := taking{theirs, theirs.Path, sum(ours), sum(result), result}
		if stands {
			one.Place = ""
		}
		takings = append(append(takings, beside...), one)
	}
	return same, takings, nil
}

// beside puts the entries of a side that doesn't go on under the name of a log where they stand, each merged with what is there.
func (m *Mirror) beside(ctx context.Context, branches map[string][]byte) (takings []taking, err error) {
	for _, name := range slices.Sorted(maps.Keys(branches)) {
		base, err := m.state.base(ctx, name)
		if err != nil {
			return nil, err
		}
		have, result := m.localAgreed(name), merge.Result{Doc: branches[name]}
		if have.Bytes != nil {
			if result, err = merge.Documents(name, nil, have.Bytes, branches[name]); err != nil {
				return nil, fmt.Errorf("merge %s: %w", name, err)
			}
		}
		more, err := m.beside(ctx, result.Beside)
		if err != nil {
			return nil, err
		}
		takings = append(append(takings, more...), taking{base, name, have.Sum, sum(result.Doc), result.Doc})
	}
	return takings, nil
}

// inOrder has what is removed come last, so that a memory that moves is never absent, and the end of a run before its
// beginning, so that it is never taken for an unfinished one. What nothing is written for comes after all.
func inOrder(takings []taking) {
	rank := func(t taking) int {
		switch {
		case t.Place == "":
			return 2
		case t.After == "":
			return 1
		}
		return 0
	}
	slices.SortStableFunc(takings, func(a, b taking) int { return cmp.Or(cmp.Compare(rank(a), rank(b)), cmp.Compare(a.Place, b.Place)) })
}

// agreeAll notes documents that both sides have, and where the mirror stands then.
func (m *Mirror) agreeAll(ctx context.Context, same []agreed, all bool, next progress) error {
	return m.state.within(ctx, func(tx *sql.Tx) error {
		for _, a := range same {
			if err := agree(ctx, tx, a); err != nil {
				return err
			}
		}
		if all {
			return setProgress(ctx, tx, next)
		}
		return nil
	})
}

func (m *Mirror) fresh(name string, text []byte) bool { return m.Fresh != nil && m.Fresh(name, text) }

// merged is what is to stand here of a document that the hub has so, what does, and what of a log is to stand beside it: a folder that was
// restored from a backup, or copied, has continued the log of its machine apart from what the hub has of it.
func (m *Mirror) merged(ctx context.Context, theirs agreed) (ours, result []byte, beside map[string][]byte, err error) {
	ours, err = m.Store.Read(theirs.Path)
	there := err == nil
	if errors.Is(err, fs.ErrNotExist) {
		ours, err = nil, nil
	}
	if err != nil {
		return nil, nil, nil, err
	}
	if ours == nil && there {
		ours = []byte{}
	}
	base, err := m.state.base(ctx, theirs.Path)
	if err != nil {
		return nil, nil, nil, err
	}
	of, owned := OwnFile(theirs.Path)
	switch {
	case base.Sum == theirs.Sum && base.Sum != "", kept(theirs.Path) && (ours != nil || theirs.Bytes == nil):
		return ours, ours, nil, nil
	case owned && of != m.Store.Machine(): // that one alone writes it
		return ours, theirs.Bytes, nil, nil
	case owned && base.Sum == "":
		base.Bytes = begun(ours, theirs.Bytes)
	case base.Sum == "" && ours != nil && m.fresh(theirs.Path, ours):
		return ours, theirs.Bytes, nil, nil
	}
	merged, err := merge.Documents(theirs.Path, base.Bytes, ours, theirs.Bytes)
	if err != nil {
		if ours == nil {
			return nil, theirs.Bytes, nil, nil
		}
		m.out.Replaced = append(m.out.Replaced, theirs.Path)
		if m.DryRun {
			return ours, theirs.Bytes, nil, nil
		}
		return ours, theirs.Bytes, nil, m.Store.Documents().KeepAside(theirs.Path, ours)
	}
	if sum(ours) != base.Sum && sum(ours) != theirs.Sum && strings.HasSuffix(theirs.Path, ".json") {
		m.out.Merged = append(m.out.Merged, theirs.Path)
	}
	m.out.Conflicts += merged.Conflicts
	return ours, merged.Doc, merged.Beside, nil
}

// begun are the lines that both sides begin with: of a document that only grows, they are what both had.
func begun(ours, theirs []byte) []byte {
	n := 0
	for n < min(len(ours), len(theirs)) && ours[n] == theirs[n] {
		n++
	}
	return ours[:bytes.LastIndexByte(ours[:n], '\n')+1]
}
