package workspace

import (
	"crypto/sha256"
	"errors"
	"io/fs"
	"path"
	"slices"
	"strings"
	"time"
	"unique"

	"github.com/memoryd/memoryd/pkg/indexfile"
	"github.com/memoryd/memoryd/pkg/internal/durable"
	"github.com/memoryd/memoryd/pkg/internal/jsonedit"
	"github.com/memoryd/memoryd/pkg/internal/parallel"
	"github.com/memoryd/memoryd/pkg/memory"
	"github.com/memoryd/memoryd/pkg/workspace/internal/catalog"
)

// digest tells contents apart.
type digest [16]byte

func digestOf(data []byte) digest {
	sum := sha256.Sum256(data)
	return digest(sum[:16])
}

// outcome is what reading a file told.
type outcome struct {
	name    string
	gone    bool
	same    bool // it is another file, or may be, with what the last one held
	odd     bool // neither: something else stands there
	unsure  bool // not what it holds
	young   bool // it may be half written
	holding holding
	lines   []indexfile.Line
	kind    indexKind // of an index
	sum     string    // likewise
}

// readAll reads files, several at a time, and takes in what they hold; not those
// that are what they were.
func (l *look) readAll(batches []batch) error {
	all := make([][]outcome, len(batches))
	parallel.Work(l.store.parallel, len(batches), func(_, i int) {
		if l.ctx.Err() == nil {
			all[i] = l.readBatch(batches[i])
		}
	})
	if err := l.ctx.Err(); err != nil {
		return err
	}
	for _, indexes := range []bool{true, false} { // they tell to whom the others belong
		for _, some := range all {
			for i := range some {
				o := &some[i]
				l.odd = l.odd || o.odd
				switch {
				case path.Base(o.name) == memory.IndexFile == !indexes:
				case indexes:
					l.takeIndex(o)
				default:
					l.takeFile(o)
				}
			}
		}
	}
	if l.reown {
		l.reown, l.unread = false, map[string]bool{}
		for dir, x := range l.indexes {
			if x.kind == unread {
				l.unread[dir] = true
			}
		}
		for name, h := range l.files {
			if owner := l.ownerOf(name); owner != h.owner {
				for _, dir := range []string{owner, h.owner} {
					if dir != "" && (len(h.memories) > 0 || h.unsure) {
						l.at(dir).doubt = true
					}
				}
				h.owner = owner
			}
		}
	}
	return nil
}

func (l *look) readBatch(b batch) (out []outcome) {
	settled := time.Now().Add(-l.store.Racy)
	if l.store.network != "" { // whose clock dates the files there, nobody knows
		settled = time.Time{}
	}
	same := func(i int, info durable.Info) bool {
		name := path.Join(b.dir, b.names[i])
		if l.changed[name] {
			return false
		}
		if path.Base(name) == memory.IndexFile {
			x := l.indexes[path.Dir(name)]
			return x != nil && !x.unsure && x.mark.is(info)
		}
		h := l.files[name]
		return h != nil && !h.unsure && h.mark.is(info)
	}
	if !slices.ContainsFunc(b.names, func(base string) bool { return l.knows(path.Join(b.dir, base)) }) {
		same = nil // none needs to be described before it is read
	}
	take := func(i int, data []byte, info durable.Info, err error) {
		out = append(out, l.told(path.Join(b.dir, b.names[i]), data, info, err, settled))
	}
	if err := l.store.root.ReadFiles(path.Clean(b.dir), b.names, jsonedit.MaxSize, same, take); err != nil {
		for i := range b.names { // the directory went, or was closed, since it was listed
			take(i, nil, durable.Info{}, err)
		}
	}
	return out
}

// told is what reading a file gave.
func (l *look) told(name string, data []byte, info durable.Info, err error, settled time.Time) outcome {
	o := outcome{name: name, gone: errors.Is(err, fs.ErrNotExist), odd: errors.Is(err, durable.ErrLink)}
	if o.gone {
		return o
	}
	index := path.Base(name) == memory.IndexFile
	if index && err == nil {
		if x := l.indexes[path.Dir(name)]; x != nil && x.kind == proper && !x.unsure && x.sum != "" && x.sum == durable.Sum(data) {
			o.holding, o.kind, o.sum = holding{mark: identify(info, settled).mark()}, proper, x.sum // as we left it, mostly
			return o
		}
	}
	o.holding = holding{mark: identify(info, settled).mark(), sum: digestOf(data)}
	if h := l.files[name]; h != nil && err == nil && !h.unsure && h.sum == o.holding.sum && !l.wanted[name] {
		o.same = true
		return o
	}
	f := catalog.ReadFile(name, data, info, err)
	for i := range f.Problems {
		if p := f.Problems[i]; p.Severity == memory.Error {
			o.holding.problem, o.unsure = &p, p.Unread
			o.young = err == nil && time.Since(info.ModTime).Abs() < l.Patience
		}
	}
	found := f.Memories
	if index {
		switch f.Kind {
		case catalog.Index:
			o.kind, o.sum = proper, durable.Sum(data)
		case catalog.ForeignIndex:
			o.kind = foreign
		default:
			o.kind = damaged
		}
		return o
	}
	archived := strings.HasPrefix(name, memory.ArchiveDir+"/")
	o.lines, o.holding.memories = make([]indexfile.Line, len(found)), make([]heldMemory, len(found))
	for i, m := range found {
		o.lines[i] = memory.Line(m)
		o.holding.memories[i] = heldMemory{o.lines[i].ID, unique.Make(kind{m.Type, m.Scope.Kind, archived})}
	}
	return o
}

func (l *look) takeIndex(o *outcome) {
	dir := path.Dir(o.name)
	if o.gone {
		l.noIndex(dir)
		return
	}
	x := l.at(dir)
	was := x.kind
	if x.unsure = o.unsure || o.young; x.unsure {
		x.problem = nil
		if o.unsure {
			x.problem = o.holding.problem
		} else {
			l.out.Later = append(l.out.Later, o.name)
		}
		if !x.kind.there() {
			x.kind = unread
		}
	} else {
		x.mark, x.kind, x.problem = o.holding.mark, o.kind, o.holding.problem
		x.doubt = x.doubt || o.sum != x.sum
	}
	l.reown = l.reown || was != x.kind
}

func (l *look) takeFile(o *outcome) {
	if o.gone {
		l.gone(o.name)
		return
	}
	h := l.files[o.name]
	if o.same {
		h.mark = o.holding.mark
		return
	}
	if h == nil {
		h = &holding{owner: l.ownerOf(o.name)}
		l.files[o.name] = h
	}
	if o.unsure || o.young {
		if h.unsure, h.problem = true, nil; o.unsure {
			h.problem = o.holding.problem
		} else {
			l.out.Later = append(l.out.Later, o.name)
		}
		return
	}
	l.read[o.name] = o.lines
	if h.sum != o.holding.sum {
		l.touch(h.owner, h.memories)
		l.touch(h.owner, o.holding.memories)
	}
	owner := h.owner
	*h = o.holding
	h.owner = owner
}
