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

	"github.com/memoryd/memoryd/pkg/internal/durable"
	"github.com/memoryd/memoryd/pkg/internal/flatfile"
	"github.com/memoryd/memoryd/pkg/internal/jsonedit"
)

// read reads the files of a batch, but for those that hold what is known.
func (p *part) read(sc *scanner, by *recordParser) (err error) {
	defer func() {
		// What leads out of an image was forged: nobody believes the rest of it either.
		if fault := recover(); fault != nil {
			if _, ours := fault.(runtime.Error); !ours && fault != errForged || sc.known == nil {
				panic(fault)
			}
			err = fmt.Errorf("%s: %w", p.dir, flatfile.ErrDamaged)
		}
	}()
	known := sc.known.cursor(p.dir, p.names[0])
	p.files = make([]string, 0, len(p.names))
	was := -1 // the row of a file that has changed since
	same := func(i int, info durable.Info) bool {
		row := known.find(p.names[i])
		if row < 0 || !unchanged(sc.known.file(row), info) {
			was = row
			return false
		}
		p.keep(sc, row)
		if sc.learn {
			p.order = append(p.order, int32(row))
		}
		return true
	}
	if known.im == nil {
		same = nil
	}
	err = sc.root.ReadFiles(path.Clean(p.dir), p.names, jsonedit.MaxSize, same, func(i int, data []byte, info durable.Info, err error) {
		if p.live == nil {
			p.live = make([]*Memory, 0, len(p.names)-i)
		}
		fresh := p.file(by, by.path(p.dir, p.names[i]), data, info, err)
		if was >= 0 {
			sc.known.recognise(sc.known.file(was), fresh.memories)
			was = -1
		}
		if sc.learn && fresh.path != "" && tellable(info, sc.settled) {
			if p.fresh == nil {
				p.fresh = make([]learnedFile, 0, len(p.names)-i)
			}
			p.order = append(p.order, ^int32(len(p.fresh)))
			p.fresh = append(p.fresh, fresh.learn(identify(info, sc.settled)))
		}
	})
	if err != nil { // the directory went, or was closed, since it was listed
		for _, name := range p.names {
			p.file(by, by.path(p.dir, name), nil, durable.Info{}, err)
		}
	}
	return nil
}

// keep takes in what a file of the image holds.
func (f *finds) keep(sc *scanner, file int) {
	row := sc.known.file(file)
	name := sc.known.path(row)
	f.files = append(f.files, name)
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
	if arrays := sc.known.strings.at(u32(row, fileArrays)); arrays != "" {
		f.arrays = append(f.arrays, strings.Split(arrays, "\x00")...)
	}
	if team := sc.known.strings.at(u32(row, fileTeam)); team != "" {
		f.team(agentOf(name), team)
	}
}

// file takes in what was read of a file, whose bytes are by's to use until it returns,
// and memories of its own after that. One that can't be read, or holds no JSON, becomes a
// problem. It returns what it found, without a path unless that will be the
// same whenever the same bytes are read.
func (f *finds) file(by *recordParser, name string, data []byte, info durable.Info, err error) (fresh freshFile) {
	f.files = append(f.files, name)
	if errors.Is(err, fs.ErrNotExist) { // gone since the directory was read
		f.moving = true
		return fresh
	}
	if err != nil {
		f.problem(name, "error", "cannot read: "+cause(err), "check its permissions and size")
		f.problems[len(f.problems)-1].unread = !errors.Is(err, durable.ErrLink) && !errors.Is(err, durable.ErrTooLarge)
		return fresh
	}
	if path.Base(name) == IndexFile {
		if err := jsonedit.Check(data); err != nil {
			f.broken(info)
			f.problem(name, "error", "not valid JSON: "+err.Error(), "mend it, or move it away and run \"memory reindex\"")
			return fresh
		}
		kind := uint32(isIndex)
		if _, list, _ := listOf(data); list == "" {
			kind |= foreignIndex
		}
		f.index(name, kind, by.index(name, data))
		return freshFile{path: name, rest: &otherwise{kind: kind}}
	}
	records, arrays, err := by.file(name, data)
	if err != nil {
		f.broken(info)
		f.problem(name, "error", "not valid JSON: "+err.Error(), "mend it in an editor; memoryd reads and writes it again once it parses")
		return fresh
	}
	rest := &nothing
	other := func() *otherwise {
		if rest == &nothing {
			rest = &otherwise{}
		}
		return rest
	}
	if len(records) == 0 && len(arrays) == 0 && lacksID(name, data) {
		other().kind = lacksIDs
		f.lacksID(name)
	}
	if len(arrays) > 0 {
		for i, p := range arrays {
			arrays[i] = name + "#" + p
		}
		f.arrays = append(f.arrays, arrays...)
		other().arrays = strings.Join(arrays, "\x00")
	}
	if path.Base(name) == ProfileFile && strings.HasPrefix(name, "agents/") {
		start, end := jsonedit.Span(data)
		if team := parse(data[start:end]).Get("team"); team.Str != "" {
			other().team = strings.Clone(team.Str)
			f.team(agentOf(name), rest.team)
		}
	}
	if strings.HasPrefix(name, ArchiveDir+"/") {
		for _, m := range records {
			m.Archived = true
		}
		f.archived = append(f.archived, records...)
		records = f.archived[len(f.archived)-len(records):]
	} else {
		f.live = append(f.live, records...)
		records = f.live[len(f.live)-len(records):]
	}
	fresh = freshFile{path: name, memories: records, rest: rest}
	if slices.ContainsFunc(arrays, func(a string) bool { return strings.Contains(a, "\x00") }) {
		fresh.path = "" // they could not be told apart again
	}
	return fresh
}

// learn is what is kept of f.
func (f *freshFile) learn(id identity) learnedFile {
	l := learnedFile{identity: id, count: int32(len(f.memories)), rest: f.rest}
	if len(f.memories) > 0 {
		l.first = f.memories[0]
	} else {
		rest := *f.rest
		rest.path = f.path
		l.rest = &rest
	}
	return l
}

// index takes in an index, whose text get gives when somebody asks for it.
func (f *finds) index(name string, kind uint32, get func() []byte) {
	f.indexes = append(f.indexes, &Index{File: name, Foreign: kind&foreignIndex != 0, load: get})
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
