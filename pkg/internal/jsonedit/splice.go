package jsonedit

import "github.com/tidwall/gjson"

// container is an object or array in a document, taken apart into items.
// Between the brackets stand a lead, the items with seams between them, and a
// tail; lead and tail are white space, a seam is white space and a comma.
type container struct {
	doc       []byte
	open, end int // offsets of the opening bracket and after the closing one
	object    bool
	items     []item
}

// item is a member with its key, or an element.
type item struct {
	key                     string // decoded
	start, keyEnd, val, end int    // an element has start == val
}

func newContainer(doc []byte, r gjson.Result) container {
	c := container{doc: doc, open: r.Index, end: r.Index + len(r.Raw), object: r.IsObject()}
	r.ForEach(func(k, v gjson.Result) bool {
		it := item{start: v.Index, val: v.Index, end: v.Index + len(v.Raw)}
		if c.object {
			it.key, it.start, it.keyEnd = exact(k).Str, k.Index, k.Index+len(k.Raw)
		}
		c.items = append(c.items, it)
		return true
	})
	return c
}

// keys returns the decoded keys of an object, none of an array.
func (c *container) keys() (keys []string) {
	if c.object {
		for _, it := range c.items {
			keys = append(keys, it.key)
		}
	}
	return keys
}

// find returns which item a path name means, -1 if none.
func (c *container) find(name string) int {
	if !c.object {
		if i, ok := index(name); ok && i < len(c.items) {
			return i
		}
		return -1
	}
	for i, it := range c.items {
		if it.key == name {
			return i
		}
	}
	return -1
}

// changes to the items of a container; insertions are sorted by before.
type changes struct {
	set    map[int][]byte // values
	remove map[int]bool
	insert []insertion
}

type insertion struct {
	before int    // up to the number of items
	key    []byte // literal, of a member
	raw    []byte
}

// Kept is a part of a document that stands in the edited one as it was.
type Kept struct {
	Old, New, Len int // where it stood, where it stands, how many bytes
}

// edited is a document while it becomes another one.
type edited struct {
	doc, out []byte
	parts    []Kept
}

// keep takes over the bytes from start to end.
func (e *edited) keep(start, end int) {
	if start == end {
		return
	}
	if last := len(e.parts) - 1; last >= 0 && e.parts[last].Old+e.parts[last].Len == start && e.parts[last].New+e.parts[last].Len == len(e.out) {
		e.parts[last].Len += end - start
	} else {
		e.parts = append(e.parts, Kept{start, len(e.out), end - start})
	}
	e.out = append(e.out, e.doc[start:end]...)
}

// add adds what did not stand there.
func (e *edited) add(text []byte) { e.out = append(e.out, text...) }

// whole is a document to which nothing happens.
func whole(doc []byte) edited {
	e := edited{doc: doc}
	e.keep(0, len(doc))
	return e
}

// rebuild returns the document with the changes made.
func (c *container) rebuild(ch changes) edited {
	e := edited{doc: c.doc, out: make([]byte, 0, len(c.doc)+ch.size())}
	e.keep(0, c.open)
	c.write(&e, ch)
	e.keep(c.end, len(c.doc))
	return e
}

// size is how much a container grows by the changes, at most, as far as that can be
// told before they are laid out.
func (ch *changes) size() (n int) {
	for _, raw := range ch.set {
		n += len(raw)
	}
	for _, in := range ch.insert {
		n += 2*len(in.raw) + 64
	}
	return n
}

// write adds the container to a document, with the changes made.
//
// A kept item keeps the seam before it, and the first item standing gets the
// lead. Taking an item away thus takes the seam before it, or after it if it
// was first, and an insertion puts that seam back: among equal seams the two
// are exact inverses.
func (c *container) write(e *edited, ch changes) {
	e.keep(c.open, c.open+1)
	var l *layouter
	if len(ch.insert) > 0 {
		l = newLayouter(c, ch.insert[0].raw)
	}
	empty := true
	for i := 0; i <= len(c.items); i++ {
		for ; len(ch.insert) > 0 && ch.insert[0].before == i; ch.insert = ch.insert[1:] {
			before := l.lead
			if !empty {
				before = l.seam(i)
			}
			e.add(before)
			e.out = l.item(e.out, before, ch.insert[0])
			empty = false
		}
		if i == len(c.items) || ch.remove[i] {
			continue
		}
		it := c.items[i]
		switch {
		case empty:
			e.keep(c.open+1, c.items[0].start)
		case i == 0:
			e.add(l.seam(0))
		default:
			e.keep(c.items[i-1].end, it.start)
		}
		if raw, ok := ch.set[i]; ok {
			e.keep(it.start, it.val)
			e.add(raw)
		} else {
			e.keep(it.start, it.end)
		}
		empty = false
	}
	switch {
	case empty:
	case len(c.items) == 0:
		e.add(l.tail)
	default:
		e.keep(c.items[len(c.items)-1].end, c.end-1)
	}
	e.keep(c.end-1, c.end)
}
