package workspace

import (
	"errors"
	"fmt"
	"io/fs"
	"path"
	"runtime"
	"slices"
	"strings"
	"time"

	"github.com/memoryd/memoryd/pkg/indexfile"
	"github.com/memoryd/memoryd/pkg/internal/durable"
	"github.com/memoryd/memoryd/pkg/internal/flatfile"
	"github.com/memoryd/memoryd/pkg/internal/jsonedit"
)

// read reads the files of a batch, but for those that hold what is known.
func (p *part) read(sc *scanner, by *recorder) (err error) {
	defer func() {
		// What leads out of an image was forged: nobody believes the rest of it either.
		if fault := recover(); fault != nil {
			if _, ours := fault.(runtime.Error); !ours && fault != errForged || sc.known == nil {
				panic(fault)
			}
			err = fmt.Errorf("%s: %w", p.dir, flatfile.ErrDamaged)
		}
	}()
	names, find := p.names, func(i int) int { return p.first + i }
	switch {
	case names == nil:
		by.names = sc.known.names(by.names[:0], p.dir, p.first, p.last)
		names = by.names
	case sc.known == nil:
		find = nil
	default:
		known := sc.known.cursor(p.dir, names[0])
		find = func(i int) int { return known.find(names[i]) }
	}
	was := -1      // the row of a file that has changed since
	there := false // the file at hand, by its description
	same := func(i int, info durable.Info) bool {
		row := find(i)
		if row < 0 || !unchanged(sc.known.file(row), info) {
			was, there = row, info.Kind == durable.Regular
			return false
		}
		p.keep(sc, row)
		if p.order == nil {
			p.order = make([]int32, 0, len(names))
			for n := range p.fresh {
				p.order = append(p.order, ^int32(n))
			}
		}
		p.order = append(p.order, int32(row))
		return true
	}
	if find == nil {
		same = nil
	}
	take := func(i int, data []byte, info durable.Info, err error) {
		by.bytes += len(data)
		p.misled = p.misled || p.known && (!there || errors.Is(err, fs.ErrNotExist))
		there = false
		name := names[i]
		if p.names == nil {
			name = strings.Clone(name) // which is a part of the image
		}
		f := fileOf{dir: p.dir, name: name, first: by.count(), identity: unsure}
		ok := false
		if was >= 0 && err == nil {
			by.familiar.of(sc.known, was)
		}
		f.otherwise, ok = p.file(&by.recordParser, inDir(p.dir, f.name), data, info, err)
		if ok && tellable(info, durable.Regular, sc.settled) {
			f.identity = identify(info, sc.settled)
		}
		f.count = by.count() - f.first
		if was >= 0 {
			if bytes := by.familiar.end(); bytes > 0 {
				p.spared = append(p.spared, spared{was, p.fresh, bytes})
			}
			row := sc.known.file(was)
			sc.known.recognise(row, by.rows.records[f.first*recordRow:])
			if f.kind&isIndex != 0 && f.kind == u32(row, fileKind) {
				p.renewed = append(p.renewed, renewal{was, p.fresh})
			}
			was = -1
		}
		by.rows.file(f)
		if p.order != nil {
			p.order = append(p.order, ^int32(p.fresh))
		}
		p.fresh++
	}
	if err = sc.root.ReadFiles(path.Clean(p.dir), names, jsonedit.MaxSize, same, take); err != nil { // the directory went, or was closed, since it was listed
		for i := range names {
			take(i, nil, durable.Info{}, err)
		}
	}
	by.cut(p)
	return nil
}

// inDir is the name of a file in a directory.
func inDir(dir, name string) string {
	if dir == "" {
		return name
	}
	return dir + "/" + name
}

// keep takes in what a file of the image holds.
func (f *finds) keep(sc *scanner, file int) {
	row := sc.known.file(file)
	name := sc.known.path(row)
	first, n := int(u32(row, fileFirst)), int(u32(row, fileCount))
	for i := first; i < first+n; i++ {
		sc.known.records.check(i, file)
		sc.kept[i] = true
	}
	switch kind := u32(row, fileKind); {
	case kind&lacksIDs != 0:
		f.lacksID(name)
	case kind&isIndex != 0:
		f.index(name, kind, readLater(sc.root, name))
	}
	if arrays := sc.known.records.strings.at(u32(row, fileArrays)); arrays != "" {
		f.arrays = append(f.arrays, strings.Split(arrays, "\x00")...)
	}
	if team := sc.known.records.strings.at(u32(row, fileTeam)); team != "" {
		f.team(agentOf(name), team)
	}
}

// file takes in what was read of a file, whose bytes are by's, and so are its memories. One
// that can't be read, or holds no JSON, becomes a problem. It returns what it found besides,
// and whether that will be the same whenever the same bytes are read.
func (f *finds) file(by *recordParser, name string, data []byte, info durable.Info, err error) (rest otherwise, same bool) {
	if errors.Is(err, fs.ErrNotExist) { // gone since the directory was read
		f.moving = true
		return rest, false
	}
	if err != nil {
		f.problem(name, "error", "cannot read: "+cause(err), "check its permissions and size")
		f.problems[len(f.problems)-1].unread = !errors.Is(err, durable.ErrLink) && !errors.Is(err, durable.ErrTooLarge)
		return rest, false
	}
	if path.Base(name) == IndexFile {
		lists, err := indexfile.Lists(data)
		if err != nil {
			f.broken(info)
			f.problem(name, "error", "not valid JSON: "+err.Error(), "mend it, or move it away and run \"memory reindex\"")
			return rest, false
		}
		rest.kind = isIndex
		if !lists {
			rest.kind |= foreignIndex
		}
		text := func() []byte { return data }
		if by.later != nil {
			text = by.later(name)
		}
		f.index(name, rest.kind, text)
		return rest, true
	}
	given := by.given
	arrays, err := by.file(name, data)
	if err != nil {
		f.broken(info)
		f.problem(name, "error", "not valid JSON: "+err.Error(), "mend it in an editor; memoryd reads and writes it again once it parses")
		return rest, false
	}
	if by.given == given && len(arrays) == 0 && lacksID(name, data) {
		rest.kind = lacksIDs
		f.lacksID(name)
	}
	for i, p := range arrays {
		arrays[i] = name + "#" + p
	}
	f.arrays = append(f.arrays, arrays...)
	rest.arrays = strings.Join(arrays, "\x00")
	if path.Base(name) == ProfileFile && strings.HasPrefix(name, "agents/") {
		start, end := jsonedit.Span(data)
		if team := parse(data[start:end]).Get("team"); team.Str != "" {
			rest.team = strings.Clone(team.Str)
			f.team(agentOf(name), rest.team)
		}
	}
	return rest, !slices.ContainsFunc(arrays, func(a string) bool { return strings.Contains(a, "\x00") }) // else they could not be told apart again
}

// index takes in an index, whose text get gives when somebody asks for it.
func (f *finds) index(name string, kind uint32, get func() []byte) {
	f.indexes = append(f.indexes, newIndex(name, kind&foreignIndex != 0, get))
}

func (f *finds) lacksID(name string) {
	f.problem(name, "warning", "looks like a memory but has no id, so it is not read as one", "give it an id, a non-empty string")
}

// agentOf names the agent whose profile a file is.
func agentOf(profile string) string { return strings.ToLower(path.Base(path.Dir(profile))) }

// broken notes a file that doesn't parse: one written just now may be half saved.
func (f *finds) broken(info durable.Info) {
	if time.Since(info.ModTime).Abs() < halfSaved {
		f.moving = true
	}
}

func (f *finds) problem(file, severity, message, hint string) {
	f.problems = append(f.problems, Problem{File: file, Severity: severity, Message: message, Hint: hint})
}
