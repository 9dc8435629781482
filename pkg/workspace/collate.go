package workspace

import (
	"encoding/binary"
	"slices"
	"strings"

	"github.com/memoryd/memoryd/pkg/internal/parallel"
)

// collate makes an image of what parts have read, in the order of a snapshot. What rows point
// to is taken over as it lies, part by part, and the rows of memories are put in order: each
// part's own are gone then.
func collate(t *tables, parts []*part) *image {
	sheets := make([]*sheet, len(parts))
	for i, p := range parts {
		sheets[i] = &p.sheet
	}
	c := newCollation(t, slices.Values(sheets))
	for _, p := range parts {
		c.takeOver(p)
	}
	all, at := c.spans(parts), 0
	slices.SortStableFunc(all, func(a, b span) int { return archivedLast(a.part, b.part) })
	for i := range all {
		s := &all[i]
		s.at = at
		s.part.spans.Add(1)
		if at += s.records(); !s.part.archived() {
			c.live = at
		}
	}
	c.records = c.records[:at*recordRow]
	for _, p := range parts {
		if p.spans.Load() == 0 {
			p.sheet = sheet{}
		}
	}
	parallel.Tasks(len(all), func(i int) { c.span(all[i]) })
	return c.image()
}

func archivedLast(a, b *part) int {
	switch {
	case a.archived() == b.archived():
		return 0
	case a.archived():
		return 1
	}
	return -1
}

// moved is where what rows of a part point to lies now, by how much further behind.
type moved struct {
	text         uint64
	tags, extras uint32
}

// takeOver adds the files of a part, and all that rows point to.
func (c *collation) takeOver(p *part) {
	p.firstFile = len(c.files) / fileRow
	p.moved = moved{uint64(len(c.text)), uint32(len(c.tags) / 4), uint32(len(c.extras) / 4)}
	c.text, c.tags, c.extras = append(c.text, p.text...), append(c.tags, p.tags...), append(c.extras, p.extras...)
	p.text, p.tags, p.extras = nil, nil, nil
	for file := range p.fresh {
		was := p.files[file*fileRow:][:fileRow]
		at := p.moved.text + u64(was, filePath)
		binary.LittleEndian.PutUint64(c.fileRow(p.dir, at, was)[filePath:], at)
	}
}

// files of a part that follow each other in the order of a snapshot.
type span struct {
	part        *part
	from, to    int
	first, last string // names of the files
	at          int    // the row of the first memory
}

// records is how many memories a span has.
func (s *span) records() (n int) {
	for file := s.from; file < s.to; file++ {
		n += int(u32(s.part.files[file*fileRow:], fileCount))
	}
	return n
}

func (c *collation) spanOf(p *part, from, to int) span {
	name := func(file int) string { return c.path(c.files[(p.firstFile+file)*fileRow:][:fileRow]) }
	return span{part: p, from: from, to: to, first: name(from), last: name(to - 1)}
}

// spans are the files of parts that hold memories, in the order of their names: mostly
// all of a part.
func (c *collation) spans(parts []*part) []span {
	var out []span
	for _, p := range parts {
		from, to := 0, 0
		for i := range p.fresh {
			if u32(p.files[i*fileRow:], fileCount) > 0 {
				if to == 0 {
					from = i
				}
				to = i + 1
			}
		}
		if to > 0 {
			out = append(out, c.spanOf(p, from, to))
		}
	}
	byName := func(a, b span) int { return strings.Compare(a.first, b.first) }
	slices.SortFunc(out, byName)
	for i := range len(out) - 1 {
		if out[i].last > out[i+1].first { // files and directories by turns
			var each []span
			for _, s := range out {
				for file := s.from; file < s.to; file++ {
					each = append(each, c.spanOf(s.part, file, file+1))
				}
			}
			slices.SortFunc(each, byName)
			return each
		}
	}
	return out
}

// span copies the memories of files to where they belong. Others are copied at the same time.
func (c *collation) span(s span) {
	p, to := s.part, s.at
	for file := s.from; file < s.to; file++ {
		number := p.firstFile + file
		row := c.files[number*fileRow:][:fileRow]
		first, n := int(u32(row, fileFirst)), int(u32(row, fileCount))
		binary.LittleEndian.PutUint32(row[fileFirst:], uint32(to))
		for i := range n {
			r := c.records[to*recordRow:][:recordRow]
			copy(r, p.row(first+i))
			binary.LittleEndian.PutUint64(r[rowText:], u64(r, rowText)+p.moved.text)
			binary.LittleEndian.PutUint32(r[rowTags:], u32(r, rowTags)+p.moved.tags)
			binary.LittleEndian.PutUint32(r[rowExtras:], u32(r, rowExtras)+p.moved.extras)
			binary.LittleEndian.PutUint32(r[rowFile:], uint32(number))
			to++
		}
	}
	if p.spans.Add(-1) == 0 {
		p.sheet = sheet{}
	}
}
