package workspace

import (
	"bytes"
	"slices"

	"github.com/memoryd/memoryd/pkg/indexfile"
	"github.com/memoryd/memoryd/pkg/internal/delta"
	"github.com/memoryd/memoryd/pkg/internal/durable"
	"github.com/memoryd/memoryd/pkg/internal/jsonedit"
	"github.com/memoryd/memoryd/pkg/workspace/internal/journal"
)

// standing is a derived file as a run has last met it, or left it.
type standing struct {
	doc   []byte // nil: there was none
	sum   string
	index *indexfile.File // what doc holds; nil where nobody has asked, or it is no index
}

// standsNow is a derived file as it stands. One that is as it was met is not read into memory
// again: an index may have many bytes.
func (r *run) standsNow(name string) (*standing, durable.Attr, error) {
	if known := r.standing[name]; known != nil && known.doc != nil {
		if sum, err := durable.Hash(r.root, name); err == nil && sum == known.sum {
			if info, err := r.root.Stat(name); err == nil && info.Kind == durable.Regular {
				return known, info.Attr, nil
			}
		}
	}
	doc, attr, err := r.read(name)
	if err != nil {
		return nil, attr, err
	}
	return r.stands(name, doc), attr, nil
}

// stands gives what is known of a derived file that holds doc.
func (r *run) stands(name string, doc []byte) *standing {
	s := r.standing[name]
	if s == nil || (s.doc == nil) != (doc == nil) || !bytes.Equal(s.doc, doc) {
		s = &standing{doc: doc, sum: sumOf(doc)}
		r.standing[name] = s
	}
	return s
}

// step is a patch that has come true: what the file held, told by what it holds since.
type step struct {
	from, to string          // digests
	kept     []jsonedit.Kept // of what it held; nil where that isn't known
	before   []delta.Hunk
}

// found tells what a file held before this attempt has brought it from the content with
// one digest to that with another; not ok when it has not.
func (r *run) found(label, base, next string) (before []delta.Hunk, ok bool) {
	for _, s := range slices.Backward(r.steps[label]) {
		if s.from == base && s.to == next {
			return s.before, true
		}
	}
	return nil, false
}

// noteStep notes a patch that came true, as one with the step before if it goes on from there.
// Neither content need stay for it: an index may have many bytes.
func (r *run) noteStep(label string, p *patching) {
	p.from.index = nil // as little as what was in it
	s := step{from: p.from.sum, to: p.to.sum, kept: p.kept}
	was, all := p.from.doc, r.steps[label]
	if last := len(all) - 1; last >= 0 && all[last].to == s.from {
		first := all[last]
		s.from, was, all = first.from, delta.Apply(was, first.before), all[:last]
		if s.kept != nil && first.kept != nil {
			s.kept = delta.Through(first.kept, s.kept)
		} else {
			s.kept = nil
		}
	}
	switch {
	case s.from == durable.Absent:
	case s.kept == nil:
		s.before = delta.Of(p.to.doc, was)
	default:
		s.before = delta.Back(was, p.to.doc, s.kept)
	}
	r.steps[label] = append(all, s)
}

// met notes an index that a commit has read, into room that the next one will be read into. The
// run will want what it holds, but not all at once: what is too much is read again when its
// turn comes.
func (c *commit) met(name string, doc []byte) (*metIndex, error) {
	s := c.left.of(name, doc)
	switch {
	case s != nil:
	case sizeOf(c.standing)+len(doc) > c.held:
		lists, err := indexfile.Lists(doc)
		if err != nil || !lists {
			return &metIndex{foreign: true}, err
		}
		return &metIndex{sum: durable.Sum(doc)}, nil
	default:
		doc = bytes.Clone(doc)
		index, err := indexfile.Parse(name, doc)
		if err != nil || index.Foreign {
			return &metIndex{foreign: true}, err
		}
		s = &standing{doc: doc, sum: durable.Sum(doc), index: index}
	}
	c.standing[name] = s
	return &metIndex{sum: s.sum}, nil
}

// hold is the usual [FileStore].Hold.
const hold = 16 << 20

func sizeOf(all map[string]*standing) (bytes int) {
	for _, s := range all {
		bytes += len(s.doc)
	}
	return bytes
}

// lighten lets go of what an index is whose turn is over, if the run holds too much: that
// stands in its place.
func (r *run) lighten(name string) {
	if sizeOf(r.standing) > r.held {
		delete(r.standing, name)
	}
}

// left are indexes as the last runs of this process have left them: the next one need
// neither check nor digest them again. Whoever holds the writer's lock may use it.
type left struct {
	indexes map[string]*standing
	size    int
}

// maxLeft is how many bytes of indexes are remembered.
const maxLeft = 8 << 20

// of gives an index that stands as it was left; nil for any other.
func (l *left) of(name string, doc []byte) *standing {
	s := l.indexes[name]
	if s == nil || !bytes.Equal(s.doc, doc) {
		return nil
	}
	if s.index == nil { // an edit of one that has passed the gate
		s.index = indexfile.Open(name, s.doc, nil)
	}
	return s
}

// take remembers the indexes that a run has left.
func (l *left) take(r *run) {
	for k := range r.j.Indexes {
		name := r.j.Indexes[k].Path
		now, steps := r.standing[name], r.steps[journal.IndexLabel(k)]
		if n := len(steps); now != nil && now.index == nil && (n == 0 || steps[n-1].to != now.sum || steps[n-1].kept == nil) {
			now = nil // nobody has checked it
		}
		l.keep(name, now)
	}
}

// keep remembers an index; nil forgets it.
func (l *left) keep(name string, s *standing) {
	if was := l.indexes[name]; was != nil {
		l.size -= len(was.doc)
		delete(l.indexes, name)
	}
	if s == nil || s.doc == nil || len(s.doc) > maxLeft {
		return
	}
	if l.size += len(s.doc); l.indexes == nil || l.size > maxLeft {
		l.indexes, l.size = map[string]*standing{}, len(s.doc)
	}
	l.indexes[name] = s
}
