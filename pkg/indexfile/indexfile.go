package indexfile

import (
	"path"
	"slices"
	"strings"
	"sync"

	"github.com/tidwall/gjson"

	"github.com/memoryd/memoryd/pkg/internal/jsonedit"
	"github.com/memoryd/memoryd/pkg/text"
)

// File is one _index.json as it is. It aliases the bytes that it was read from,
// which must not change. It is never changed itself, and may be used by several at once.
type File struct {
	Name string // relative to the workspace
	// Foreign is set when the file has no list of memories (an index of projects or
	// sessions, say): it has no entries.
	Foreign bool

	doc      []byte
	members  *jsonedit.Members
	entries  []Entry
	at       []int32 // where each begins
	listKey  string  // "entries" or "memories"
	countKey string  // "entry_count", "memory_count", or "" when absent
	pathKey  string  // "file_path", "file" or "path"

	once    sync.Once
	byPlace map[place]int32 // the first entry of each id and file
}

type place struct{ id, file string }

// Doc is the text that the file was read from; nobody may write to it.
func (f *File) Doc() []byte { return f.doc }

// Entries lists what the file says.
func (f *File) Entries() []Entry { return f.entries }

// Find returns the first entry about a memory in a file. The first call builds a lookup.
func (f *File) Find(id, file string) (e Entry, ok bool) {
	f.once.Do(func() {
		f.byPlace = make(map[place]int32, len(f.entries))
		for i := range slices.Backward(f.entries) {
			f.byPlace[place{f.entries[i].ID, f.entries[i].File}] = int32(i)
		}
	})
	i, ok := f.byPlace[place{id, file}]
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

// Parse reads an index in any of its shapes. The error is that of [jsonedit.Check].
func Parse(name string, doc []byte) (*File, error) {
	if err := jsonedit.Check(doc); err != nil {
		return nil, err
	}
	members, key, entries := listOf(doc)
	f := &File{Name: name, Foreign: key == "", doc: doc, listKey: key, pathKey: "file_path"}
	if f.Foreign {
		return f, nil
	}
	for _, key := range []string{"entry_count", "memory_count"} {
		if v, ok := members.Get(key); ok && v.Type == gjson.Number {
			f.countKey = key
			break
		}
	}
	f.members = members
	entries.ForEach(func(_, v gjson.Result) bool {
		f.entries, f.at = append(f.entries, f.entry(v)), append(f.at, int32(v.Index)) // less than MaxSize
		return true
	})
	return f, nil
}

// entry reads one entry. The last entry that has a path decides the key that new ones use
// for it.
func (f *File) entry(v gjson.Result) (e Entry) {
	e.Raw = v.Raw
	v.ForEach(func(key, val gjson.Result) bool {
		switch key.Str {
		case "id":
			e.ID = text.Composed(val.Str)
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
	e.File = Resolve(path.Dir(f.Name), e.FilePath)
	return e
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
