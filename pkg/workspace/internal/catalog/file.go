package catalog

import (
	"errors"
	"fmt"
	"io/fs"
	"path"
	"strings"
	"time"

	"github.com/memoryd/memoryd/pkg/edgefile"
	"github.com/memoryd/memoryd/pkg/indexfile"
	"github.com/memoryd/memoryd/pkg/internal/durable"
	"github.com/memoryd/memoryd/pkg/internal/jsonedit"
	"github.com/memoryd/memoryd/pkg/memory"
	"github.com/memoryd/memoryd/pkg/text"
)

// Stamp tells a file from its later versions: a file with the same one is unchanged, since no
// program can set the time of change. The zero Stamp is that of no file: what has it is read
// again.
type Stamp struct {
	Device, Number    uint64
	Size              int64
	Modified, Changed int64 // in nanoseconds since 1970
}

// stampOf is the stamp of a file that was described by info; the zero one if a later change
// might leave the same: it was changed after settled, or its times can't be kept exactly.
func stampOf(info durable.Info, settled time.Time) Stamp {
	exact := func(t time.Time) bool { return !t.IsZero() && time.Unix(0, t.UnixNano()).Equal(t) && t.Before(settled) }
	if info.Kind != durable.Regular || !exact(info.ModTime) || !exact(info.ChangeTime) {
		return Stamp{}
	}
	return StampOf(info)
}

// StampOf is the stamp of a file that was described by info, whenever it was changed.
func StampOf(info durable.Info) Stamp {
	return Stamp{info.ID.Device, info.ID.Number, info.Size, info.ModTime.UnixNano(), info.ChangeTime.UnixNano()}
}

// same reports whether a file with this stamp is unchanged, as info describes it.
func (s Stamp) same(info durable.Info) bool {
	return s != Stamp{} && info.Kind == durable.Regular && s == StampOf(info)
}

// Kind says what a file is by its content.
type Kind uint8

// Kinds of files.
const (
	Records      Kind = iota // it holds memories, or none
	Index                    // an _index.json that lists memories
	ForeignIndex             // an _index.json that lists something else
	Broken                   // not valid JSON
	Unreadable               // the disk did not give it, or it is too large
)

// File is what one reading of a file told. It is immutable.
type File struct {
	Name     string // relative to the workspace, with slashes
	Stamp    Stamp
	Kind     Kind
	Memories []*memory.Memory // in the order of the file
	Arrays   []string         // JSON Pointers of its arrays for memories
	Team     string           // that an agent's profile names
	Problems []memory.Problem
	Sum      memory.Checksum // of its bytes, if it is an index
	Saved    time.Time       // when it was last written, if it doesn't parse: it may be half saved
}

// HalfSaved is how young a file may be that somebody is just writing.
const HalfSaved = 2 * time.Second

// Young reports whether the file doesn't parse and was written no longer ago than that.
func (f *File) Young(than time.Duration) bool {
	return f.Kind == Broken && time.Since(f.Saved).Abs() < than
}

// Unread reports whether the disk did not give the file.
func (f *File) Unread() bool { return f.Kind == Unreadable && f.Problems[0].Unread }

// readFile is what reading a file gave: data, or err. A file that is gone gives nil.
func readFile(p *memory.Parser, name string, data []byte, info durable.Info, err error, settled time.Time) *File {
	f := &File{Name: name}
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		f.Kind = Unreadable
		f.problem("error", "cannot read: "+durable.Cause(err), "check its permissions and size")
		f.Problems[0].Unread = !errors.Is(err, durable.ErrLink) && !errors.Is(err, durable.ErrTooLarge)
		return f
	}
	f.Stamp = stampOf(info, settled)
	broken := func(err error, hint string) *File {
		f.Kind, f.Saved = Broken, info.ModTime
		f.problem("error", "not valid JSON: "+err.Error(), hint)
		return f
	}
	if path.Base(name) == memory.IndexFile {
		lists, err := indexfile.Lists(data)
		switch {
		case err != nil:
			return broken(err, "mend it, or move it away and run \"memory reindex\"")
		case lists:
			f.Kind = Index
		default:
			f.Kind = ForeignIndex
		}
		f.Sum = memory.ChecksumOf(data)
		return f
	}
	if path.Base(name) == memory.EdgesFile { // whatever its edges look like, they are not memories
		if err := jsonedit.Check(data); err != nil {
			return broken(err, "mend it in an editor; until then it holds no edges")
		}
		return f
	}
	if memory.IsCopyName(name, path.Join(path.Dir(name), memory.IndexFile)) {
		if lists, err := indexfile.Lists(data); err == nil && lists {
			f.problem("warning", "a copy of the index, which is made from the files: not read", "\"memory check --fix\" moves it to ops/conflicts")
			return f
		}
	}
	if memory.IsCopyName(name, path.Join(path.Dir(name), memory.EdgesFile)) {
		if edges, err := edgefile.Parse(data); err == nil {
			f.problem("warning", fmt.Sprintf("a copy of _edges.json: its edges (%d) count for nothing", len(edges)), "\"memory check --fix\" takes over those that the file lacks")
			return f
		}
	}
	found, err := p.File(name, data)
	if err != nil {
		return broken(err, "mend it in an editor; memoryd reads and writes it again once it parses")
	}
	f.Memories, f.Arrays = found.Memories, found.Arrays
	if found.Printed > 0 {
		f.problem("warning", fmt.Sprintf("what memoryd prints of memories with --json, not memories (%d of them): not read", found.Printed), "move it out of the workspace")
	}
	if found.Numbered > 0 {
		f.problem("warning", fmt.Sprintf("looks like memories, but the ids are numbers (%d of them): not read as ones", found.Numbered), `write each id as a string: "id": "5"`)
	}
	if found.LacksID {
		f.problem("warning", "looks like a memory but has no id, so it is not read as one", "give it an id, a non-empty string")
	}
	if _, isAgent := agentOf(name); isAgent {
		start, end := jsonedit.Span(data)
		if team, ok := jsonedit.Get(data[start:end], "team"); ok {
			f.Team = strings.Clone(team.Str)
		}
	}
	return f
}

// agentOf names the agent whose profile a file is.
func agentOf(name string) (agent string, ok bool) {
	if path.Base(name) != memory.ProfileFile || !strings.HasPrefix(name, "agents/") {
		return "", false
	}
	return text.FoldName(path.Base(path.Dir(name))), true
}

func (f *File) problem(severity, message, hint string) {
	f.Problems = append(f.Problems, memory.Problem{File: f.Name, Severity: severity, Message: message, Hint: hint})
}
