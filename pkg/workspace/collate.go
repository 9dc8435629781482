package workspace

import (
	"encoding/binary"
	"slices"
	"strings"

	"github.com/memoryd/memoryd/pkg/internal/parallel"
)

// collate makes an image of what parts have read, and of the directories, if any, of which they have read all, in the order of a snapshot. What rows point
// to is taken over as it lies, part by part, and the rows of memories are put in order: each
// part's own are gone then.
func collate(t *tables, parts []*part, folders []folder) *image {
	sheets := make([]*sheet, len(parts))
	for i, p := range parts {
		sheets[i] = &p.sheet
	}
	c := newCollation(t, slices.Values(sheets))
	c.takeOver(parts)
	all, at := c.spans(parts), 0
	slices.SortStableFunc(all, func(a, b span) int { return archivedLast(a.part, b.part) })
	for i := range all {
		s := &all[i]
		s.at = at
		s.part.spans.Add(1)
		if at += s.records; !s.part.archived() {
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
	return c.image(folders)
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

// takeOver adds the files of parts, and all that rows point to.
func (c *collation) takeOver(parts []*part) {
	var files, text, tags, extras int
	for _, p := range parts {
		p.firstFile, p.moved = files, moved{uint64(text), uint32(tags / 4), uint32(extras / 4)}
		files, text, tags, extras = files+p.fresh, text+len(p.text), tags+len(p.tags), extras+len(p.extras)
		if p.fresh > 0 {
			c.directory(p.dir, p.firstFile, p.fresh)
		}
	}
	c.files, c.text, c.tags, c.extras = c.files[:files*fileRow], c.text[:text], c.tags[:tags], c.extras[:extras]
	parallel.Tasks(len(parts), func(i int) {
		p := parts[i]
		copy(c.text[p.moved.text:], p.text)
		copy(c.tags[4*p.moved.tags:], p.tags)
		copy(c.extras[4*p.moved.extras:], p.extras)
		p.text, p.tags, p.extras = nil, nil, nil
		for file := range p.fresh {
			row := c.files[(p.firstFile+file)*fileRow:][:fileRow]
			copy(row, p.files[file*fileRow:])
			binary.LittleEndian.PutUint64(row[filePath:], p.moved.text+u64(row, filePath))
		}
	})
}

// files of a part that follow each other in the order of a snapshot.
type span struct {
	part        *part
	from, to    int
	records     int    // how many memories they have
	first, last string // names of the files
	at          int    // the row of the first memory
}

func (c *collation) spanOf(p *part, from, to, records int) span {
	name := func(file int) string { return c.path(c.files[(p.firstFile+file)*fileRow:][:fileRow]) }
	return span{part: p, from: from, to: to, records: records, first: name(from), last: name(to - 1)}
}

// held is how many memories a file of a part has.
func (p *part) held(file int) int { return int(u32(p.files[file*fileRow:], fileCount)) }

// spans are the files of parts that hold memories, in the order of their names: mostly
// all of a part.
func (c *collation) spans(parts []*part) []span {
	var out []span
	for _, p := range parts {
		from, to := 0, p.fresh
		for from < to && p.held(from) == 0 {
			from++
		}
		for from < to && p.held(to-1) == 0 {
			to--
		}
		if from < to {
			out = append(out, c.spanOf(p, from, to, len(p.records)/recordRow))
		}
	}
	byName := func(a, b span) int { return strings.Compare(a.first, b.first) }
	slices.SortFunc(out, byName)
	for i := range len(out) - 1 {
		if out[i].last > out[i+1].first { // files and directories by turns
			var each []span
			for _, s := range out {
				for file := s.from; file < s.to; file++ {
					each = append(each, c.spanOf(s.part, file, file+1, s.part.held(file)))
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
