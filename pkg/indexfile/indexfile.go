package indexfile

import (
	"maps"
	"path"
	"slices"
	"strings"
	"sync"

	"github.com/tidwall/gjson"

	"github.com/memoryd/memoryd/pkg/internal/jsonedit"
)

// File is one _index.json as it stands. It aliases the bytes that it was read from,
// which must not change. It is never changed itself, and may be used by several at once.
type File struct {
	Name string // relative to the workspace
	// Foreign is set when the file has no list of memories (an index of projects or
	// sessions, say): it has no entries.
	Foreign bool

	doc      []byte
	agreed   bool // it is in line but for the ids that it was opened for
	members  *jsonedit.Members
	entries  []Entry
	at       []int32 // where each begins
	filed    []filed // under what each is to be found
	listKey  string  // "entries" or "memories"
	countKey string  // "entry_count", "memory_count", or "" when absent
	pathKey  string  // "file_path", "file" or "path"

	listed sync.Once
	about  map[subject]int32 // where the first entry of each is
}

// subject is what an entry is about.
type subject struct{ id, file string }

// Doc is the text that the file was read from; nobody may write to it.
func (f *File) Doc() []byte { return f.doc }

// Entries lists what the file says.
func (f *File) Entries() []Entry { return f.entries }

// Find returns the first entry about a memory in a file. After the first time it takes no longer
// where there are many entries.
func (f *File) Find(id, file string) (e Entry, ok bool) {
	f.listed.Do(func() {
		f.about = make(map[subject]int32, len(f.entries))
		for i := range slices.Backward(f.entries) {
			f.about[subject{f.entries[i].ID, f.entries[i].File}] = int32(i)
		}
	})
	i, ok := f.about[subject{id, file}]
	if !ok {
		return Entry{}, false
	}
	return f.entries[i], true
}

// Entry is one entry of an index as its file has it.
type Entry struct {
	ID       string
	FilePath string // as written
	File     string // resolved, relative to the workspace; "" when it leads out
	Pointer  string // json_path
	// Holds is set when the entry has a content of its own: such an entry may be
	// the only copy of a memory and is never removed.
	Holds bool
	Raw   string
}

// filed is under what an index lists an entry besides: its type and tags as written. It is
// empty where they have to be looked for.
type filed struct{ kind, tags string }

// listKeys are the keys under which an index has its list; where it has several, the first.
var listKeys = []string{"entries", "memories"}

// listOf finds the list of memories in an index that has passed the gate; key is "" when
// it is none of ours.
func listOf(doc []byte) (members *jsonedit.Members, key string, entries gjson.Result) {
	members, ok := jsonedit.MembersOf(doc)
	if !ok || len(members.Repeated()) > 0 {
		return members, "", entries
	}
	for _, key := range listKeys {
		if v, ok := members.Get(key); ok && v.IsArray() {
			return members, key, v
		}
	}
	return members, "", entries
}

// Lists is [jsonedit.Check] of an index, and reports whether it has a list of memories.
func Lists(doc []byte) (bool, error) {
	members, err := jsonedit.TopMembers(doc)
	if err != nil || len(jsonedit.Twice(doc, members)) > 0 {
		return false, err
	}
	for i, key := range jsonedit.Keys(doc, members) {
		if slices.Contains(listKeys, key) && doc[members[i].Val] == '[' {
			return true, nil
		}
	}
	return false, nil
}

// Parse reads an index in any of its shapes. What [jsonedit.Check] refuses is an error.
func Parse(name string, doc []byte) (*File, error) {
	if err := jsonedit.Check(doc); err != nil {
		return nil, err
	}
	return Open(name, doc, nil), nil
}

// Open is [Parse] for bytes that have passed the gate. With only, the index must be in
// line with the files but for these ids, of which alone it may then be asked: entries of
// others may lack all but their bytes.
func Open(name string, doc []byte, only map[string]bool) *File {
	members, key, entries := listOf(doc)
	f := &File{Name: name, Foreign: key == "", doc: doc, agreed: only != nil, listKey: key, pathKey: "file_path"}
	if f.Foreign {
		return f
	}
	for _, key := range []string{"entry_count", "memory_count"} {
		if v, ok := members.Get(key); ok && v.Type == gjson.Number {
			f.countKey = key
			break
		}
	}
	f.members = members
	f.entries, f.at = make([]Entry, 0, len(entries.Raw)/usualEntry), make([]int32, 0, len(entries.Raw)/usualEntry)
	f.filed = make([]filed, 0, len(entries.Raw)/usualEntry)
	concerned := mentions(only)
	entries.ForEach(func(_, v gjson.Result) bool {
		e, under := Entry{Raw: v.Raw}, filed{}
		if concerned(v.Raw) {
			e, under = f.entry(v)
		}
		f.entries, f.at = append(f.entries, e), append(f.at, int32(v.Index)) // less than MaxSize
		f.filed = append(f.filed, under)
		return true
	})
	if only == nil {
		return f
	}
	for i := len(f.entries) - 1; i >= 0; i-- { // the last path says how they are called
		if e, _ := f.entry(gjson.Parse(f.entries[i].Raw)); e.FilePath != "" {
			break
		}
	}
	return f
}

// mentions tells of texts of JSON whether one of some ids may stand in them: few are
// looked for as they are spelt, unless there are escapes. With nil, all are.
func mentions(ids map[string]bool) func(raw string) bool {
	if ids == nil || len(ids) > 8 {
		return func(string) bool { return true }
	}
	list := slices.Collect(maps.Keys(ids))
	return func(raw string) bool {
		return strings.IndexByte(raw, '\\') >= 0 || slices.ContainsFunc(list, func(id string) bool { return strings.Contains(raw, id) })
	}
}

// usualEntry is about how many bytes an entry has.
const usualEntry = 256

// entry reads one; the last that has a path says how paths are called.
func (f *File) entry(v gjson.Result) (e Entry, under filed) {
	e.Raw = v.Raw
	named, twice := false, false
	v.ForEach(func(key, val gjson.Result) bool {
		switch key.Str {
		case "id":
			twice, named = twice || named, true
			e.ID = val.Str
		case "type":
			twice = twice || under.kind != ""
			under.kind = val.Raw
		case "tags":
			twice = twice || under.tags != ""
			under.tags = val.Raw
		case "file_path", "file", "path":
			if e.FilePath == "" && val.Type == gjson.String {
				e.FilePath, f.pathKey = val.Str, key.Str
			}
		case "json_path":
			e.Pointer = val.Str
		case "content":
			e.Holds = val.Type != gjson.Null
		}
		return true
	})
	if e.File = Resolve(path.Dir(f.Name), e.FilePath); twice || under.kind == "" {
		under = filed{} // of several the first counts
	}
	return e, under
}

// Resolve joins a file_path of an index to its directory; "" when it is
// absolute, empty, or leads out of that directory.
func Resolve(dir, filePath string) string {
	p := strings.ReplaceAll(filePath, `\`, "/")
	if p == "" || path.IsAbs(p) || strings.Contains(p, ":") || strings.ContainsRune(p, 0) {
		return ""
	}
	plain := true // what it is joined to needs no cleaning
	for part := range strings.SplitSeq(p, "/") {
		if part == ".." {
			return ""
		}
		plain = plain && part != "" && part != "."
	}
	if plain && dir != "." {
		return dir + "/" + p
	}
	return path.Join(dir, p)
}
