package workspace

import (
	"maps"
	"path"
	"slices"
	"strings"
	"sync"

	"github.com/tidwall/gjson"

	"github.com/memoryd/memoryd/pkg/internal/jsonedit"
)

// Index is one _index.json: what stands in it, and what should. It is derived
// from the memory files and never decides anything.
type Index struct {
	File string
	// Foreign is set when the file has no list of memories (an index of projects
	// or sessions, say): it is left alone and owns nothing.
	Foreign bool

	owned  []*Memory
	assign func()          // makes owned; nil: it is there
	kept   []jsonedit.Kept // of the text, by the last edit
	agreed bool            // it was in line but for the ids that it is asked about
	once   sync.Once
	load   func() []byte // of one whose text was not looked at yet
	read   indexText
}

// indexText is what stands in an index.
type indexText struct {
	doc      []byte
	members  *jsonedit.Members
	entries  []IndexEntry
	at       []int32 // where each begins
	filed    []filed // under what each is to be found
	listKey  string  // "entries" or "memories"
	countKey string  // "entry_count", "memory_count", or "" when absent
	pathKey  string  // "file_path", "file" or "path"
}

// Owned are the memories that belong to this index, in snapshot order.
func (x *Index) Owned() []*Memory {
	if x.assign != nil {
		x.assign()
	}
	return x.owned
}

// Entries lists what the file says.
func (x *Index) Entries() []IndexEntry { return x.text().entries }

// text reads the index if that has not been done. One that was spoilt since it was
// known is as good as empty.
func (x *Index) text() *indexText {
	x.once.Do(func() {
		if x.load == nil {
			return
		}
		if now, err := parseIndex(x.File, x.load()); err == nil {
			x.read = now.read
		}
	})
	return &x.read
}

// IndexEntry is one entry of an index as its file has it.
type IndexEntry struct {
	ID       string
	FilePath string // as written
	File     string // resolved, relative to the workspace; "" when it leads out
	Pointer  string // json_path
	// Holds is set when the entry has a content of its own: such an entry may be
	// the only copy of a memory and is never removed.
	Holds bool
	Raw   []byte
}

// filed is under what an index lists an entry besides: its type and tags as written. It is
// empty where they have to be looked for.
type filed struct{ kind, tags string }

// listOf finds the list of memories in an index that has passed the gate; key is "" when
// it is none of ours.
func listOf(doc []byte) (members *jsonedit.Members, key string, entries gjson.Result) {
	members, ok := jsonedit.MembersOf(doc)
	if !ok || len(members.Repeated()) > 0 {
		return members, "", entries
	}
	for _, key := range []string{"entries", "memories"} {
		if v, ok := members.Get(key); ok && v.IsArray() {
			return members, key, v
		}
	}
	return members, "", entries
}

// parseIndex reads an index in any of its shapes.
func parseIndex(file string, data []byte) (*Index, error) {
	if err := jsonedit.Check(data); err != nil {
		return nil, err
	}
	return openIndex(file, data, nil), nil
}

// openIndex is parseIndex for bytes that have passed the gate. With only, entries of
// other ids may lack all but their bytes.
func openIndex(file string, data []byte, only map[string]bool) *Index {
	members, key, entries := listOf(data)
	x := &Index{File: file, Foreign: key == "", read: indexText{doc: data, listKey: key, pathKey: "file_path"}}
	if x.Foreign {
		return x
	}
	for _, key := range []string{"entry_count", "memory_count"} {
		if v, ok := members.Get(key); ok && v.Type == gjson.Number {
			x.read.countKey = key
			break
		}
	}
	x.read.members = members
	x.read.entries, x.read.at = make([]IndexEntry, 0, len(entries.Raw)/usualEntry), make([]int32, 0, len(entries.Raw)/usualEntry)
	x.read.filed = make([]filed, 0, len(entries.Raw)/usualEntry)
	concerned := mentions(only)
	entries.ForEach(func(_, v gjson.Result) bool {
		e, under := IndexEntry{Raw: viewBytes(v.Raw)}, filed{}
		if concerned(v.Raw) {
			e, under = x.entry(v)
		}
		x.read.entries, x.read.at = append(x.read.entries, e), append(x.read.at, int32(v.Index)) // less than MaxSize
		x.read.filed = append(x.read.filed, under)
		return true
	})
	if only == nil {
		return x
	}
	for i := len(x.read.entries) - 1; i >= 0; i-- { // the last path says how they are called
		if e, _ := x.entry(parse(x.read.entries[i].Raw)); e.FilePath != "" {
			break
		}
	}
	return x
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

func (x *Index) entry(v gjson.Result) (e IndexEntry, under filed) {
	e.Raw = viewBytes(v.Raw)
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
				e.FilePath, x.read.pathKey = val.Str, key.Str
			}
		case "json_path":
			e.Pointer = val.Str
		case "content":
			e.Holds = val.Type != gjson.Null
		}
		return true
	})
	if e.File = resolve(path.Dir(x.File), e.FilePath); twice || under.kind == "" {
		under = filed{} // of several the first counts
	}
	return e, under
}

// resolve joins a file_path of an index to its directory; "" when it is
// absolute, empty, or leads out of that directory.
func resolve(dir, filePath string) string {
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

// assignLater is assignIndexes, once somebody asks for what an index owns.
func assignLater(s *Snapshot) {
	assign := sync.OnceFunc(func() { assignIndexes(s) })
	for _, x := range s.Indexes {
		x.assign = assign
	}
}

// assignIndexes gives every memory to the nearest index at or above its file.
func assignIndexes(s *Snapshot) {
	byDir := map[string]*Index{}
	for _, x := range s.Indexes {
		if !x.Foreign {
			byDir[path.Dir(x.File)] = x
		}
	}
	for _, group := range [][]*Memory{s.Memories(), s.Archived()} {
		dir, x := "\x00", (*Index)(nil) // of the last one; those of a directory stand together
		for _, m := range group {
			if in := m.File[:strings.LastIndexByte(m.File, '/')+1]; in != dir {
				dir, x = in, nearest(byDir, m.File)
			}
			if x != nil {
				x.owned = append(x.owned, m)
			}
		}
	}
}

func nearest(byDir map[string]*Index, file string) *Index {
	for dir := path.Dir(file); ; dir = path.Dir(dir) {
		if x := byDir[dir]; x != nil {
			return x
		}
		if dir == "." || dir == "/" {
			return nil
		}
	}
}

// summaryLimit is the length of an index summary, in characters.
const summaryLimit = 200

// Summary is the one line that stands for a memory in an index or a list. Stated
// says whether the record names it itself (summary, title, description or a text
// of its own) or it is merely the first text found.
func (m *Memory) Summary() (line string, stated bool) {
	b := m.read()
	root := parse(b.raw)
	for _, get := range []func() gjson.Result{ // each a pass over the text, and the first will do mostly
		func() gjson.Result { return b.content.Get("summary") }, func() gjson.Result { return root.Get("summary") },
		func() gjson.Result { return b.content.Get("title") }, func() gjson.Result { return root.Get("title") },
		func() gjson.Result { return b.content.Get("description") }, func() gjson.Result { return root.Get("description") },
		func() gjson.Result { return b.content }, func() gjson.Result { return b.content.Get("details") },
		func() gjson.Result { return b.content.Get("text") },
	} {
		if v := get(); v.Type == gjson.String && strings.TrimSpace(v.Str) != "" {
			return oneLine(v.Str, summaryLimit), true
		}
	}
	return oneLine(firstText(b.content), summaryLimit), false
}

func firstText(v gjson.Result) (text string) {
	if v.Type == gjson.String {
		return strings.TrimSpace(v.Str)
	}
	if v.IsArray() || v.IsObject() {
		v.ForEach(func(_, child gjson.Result) bool {
			text = firstText(child)
			return text == ""
		})
	}
	return text
}

// oneLine folds white space and cuts at a word to at most limit characters.
func oneLine(text string, limit int) string {
	runes := []rune(strings.Join(strings.Fields(strings.ToValidUTF8(text, "\uFFFD")), " "))
	if len(runes) <= limit {
		return string(runes)
	}
	cut := string(runes[:limit-1])
	if i := strings.LastIndexByte(cut, ' '); i > len(cut)/2 {
		cut = cut[:i]
	}
	return strings.TrimRight(cut, " ,;:.") + "…"
}
