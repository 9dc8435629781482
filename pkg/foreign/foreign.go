package foreign

import (
	"bytes"
	"cmp"
	"crypto/sha256"
	"encoding/base32"
	"encoding/json"
	"fmt"
	"path"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/tidwall/gjson"

	"github.com/memoryd/memoryd/pkg/internal/jsonedit"
	"github.com/memoryd/memoryd/pkg/workspace"
)

// Format is how a store of memories is written.
type Format string

// The formats that are read and written.
const (
	Graph    Format = "mcp"         // memory.jsonl of the MCP reference server: a line is an entity or a relation
	Lines    Format = "jsonl"       // a line is a JSON object or a string
	Document Format = "json"        // an array, an object with arrays of objects, or one object
	Markdown Format = "markdown"    // a file is a memory, with front matter or without
	Claude   Format = "claude"      // Claude Code's auto memory: MEMORY.md, the index, and topic files
	Tool     Format = "memory-tool" // the folder /memories of Anthropic's memory tool: a file of text is a memory
)

// Formats lists them all.
func Formats() []Format { return []Format{Graph, Lines, Document, Markdown, Claude, Tool} }

// File is one file of a store; its name is relative to the store, with slashes.
type File struct {
	Name string
	Text []byte
}

// Key is the member of a record that says where it was imported from.
const Key = "imported_from"

// Source is where a record was imported from, and what gives its bytes back.
type Source struct {
	Format Format `json:"format"`
	Store  string `json:"store"`
	File   string `json:"file"`
	Index  int    `json:"index"`          // position in the file
	Of     int    `json:"of"`             // how many records the file had
	List   string `json:"list,omitempty"` // the member of the document that lists it
	// Before, Raw and After are the bytes in front of the record, its own and those behind it. Raw is left out where the
	// record's content gives it.
	Before string `json:"before,omitempty"`
	Raw    string `json:"raw,omitempty"`
	After  string `json:"after,omitempty"`
	// Digest is that of the content and tags that were made of it: while they are the same, so are the bytes.
	Digest string `json:"digest"`
}

// Record is a memory as a store has it.
type Record struct {
	ID                   string // made of where it stands, so that it is the same when it is read again
	Type, Subtype        string
	Tags                 []string
	CreatedAt, UpdatedAt time.Time // zero: not told
	Content              []byte    // one JSON value: an object or a string
	Source               Source
	Line                 int // of a file of lines
	// Own is the complete record when it is one of a workspace; then nothing else is set but the id.
	Own []byte
}

// Place says where a record stands, for people.
func (r *Record) Place() string {
	switch {
	case r.Line > 0:
		return fmt.Sprintf("%s:%d", r.Source.File, r.Line)
	case r.Source.Of > 1:
		return fmt.Sprintf("%s#%d", r.Source.File, r.Source.Index+1)
	}
	return r.Source.File
}

// Misfit is what could not be taken along, and where it stands.
type Misfit struct {
	Place   string `json:"place"`
	What    string `json:"what"`
	LeftOut bool   `json:"left_out,omitempty"` // all of it, and not a part of what it tells
}

// detect tells the format of a file of a store; "" where it is none of them. Root is the name of the store's directory, index tells
// whether MEMORY.md is in it.
func detect(root string, index bool, f File) Format {
	ext := strings.ToLower(path.Ext(f.Name))
	switch {
	case ext == ".jsonl" || ext == ".ndjson":
		if graph(f.Text) {
			return Graph
		}
		return Lines
	case root == "memories" && !index:
		return Tool
	case ext == ".json":
		if graph(f.Text) {
			return Graph
		}
		return Document
	case ext == ".md" || ext == ".markdown" || ext == ".mdc":
		if index {
			return Claude
		}
		return Markdown
	}
	return ""
}

// Read takes the files of a store apart. Store is the name under which the store is known: with it, ids differ from those of
// others. The format "" is detected, file by file; root, the name of its directory, tells the memory tool's.
func Read(format Format, store, root string, files []File) (records []Record, misfits []Misfit) {
	seen := map[string]int{}
	index := slices.ContainsFunc(files, func(f File) bool { return f.Name == indexFile })
	for _, f := range files {
		as := format
		if as == "" {
			as = detect(root, index, f)
		}
		var parts []part
		var not []Misfit
		switch {
		case as == "":
			not = []Misfit{{f.Name, "no format that is known", true}}
		case !utf8.Valid(f.Text):
			not = []Misfit{{f.Name, "not UTF-8", true}}
		case as == Graph || as == Lines:
			parts, not = readLines(as, f)
		case as == Document:
			parts, not = readDocument(f)
		default:
			parts, not = readText(as, f)
		}
		misfits = append(misfits, not...)
		for _, p := range parts {
			p.Source.Format, p.Source.Store, p.Source.File = as, store, f.Name
			if p.Own == nil {
				name := strings.Join([]string{string(as), store, f.Name, p.key}, "\x00")
				if seen[name]++; seen[name] > 1 {
					name += fmt.Sprintf("\x00%d", seen[name])
				}
				p.ID = identify(name)
				if p.Source.Raw == render(as, p.Content) {
					p.Source.Raw = ""
				}
				p.Source.Digest = digest(p.Content, p.Tags)
			}
			records = append(records, p.Record)
		}
	}
	return records, misfits
}

// part is a record and what tells it from the others of its file.
type part struct {
	Record
	key string
}

// identify makes an id of our form of a name.
func identify(name string) string {
	sum := sha256.Sum256([]byte(name))
	return "mem_" + strings.ToLower(base32.StdEncoding.EncodeToString(sum[:]))[:12]
}

// digest identifies what can be edited of an imported memory: content and tags.
func digest(content []byte, tags []string) string {
	text := append(jsonedit.Compact(content), jsonedit.Compact(jsonedit.Strings(tags))...)
	return string(workspace.DigestOf(text))[:16]
}

// SourceOf is where a memory was imported from; nil if it wasn't.
func SourceOf(m *workspace.Memory) *Source {
	v := gjson.GetBytes(m.Raw(), Key)
	if !v.IsObject() {
		return nil
	}
	s := &Source{}
	if json.Unmarshal([]byte(v.Raw), s) != nil || !slices.Contains(Formats(), s.Format) || s.Index < 0 {
		return nil
	}
	return s
}

// Edited reports whether an imported memory was edited since.
func Edited(m *workspace.Memory, s *Source) bool {
	return digest([]byte(m.Content().Raw), m.Tags) != s.Digest
}

// entry is a memory on its way into a file.
type entry struct {
	*workspace.Memory
	from *Source // nil: it was not imported in this format
	text string  // what becomes of it
}

// Write puts memories into files of a format: those that were imported in it where they were, the others behind them. No
// name leads out of the store.
func Write(format Format, memories []*workspace.Memory) (files []File, misfits []Misfit) {
	var names []string
	of := map[string][]*entry{}
	add := func(name string, e *entry) {
		if of[name] == nil {
			names = append(names, name)
		}
		of[name] = append(of[name], e)
	}
	var fresh []*entry
	stores := map[string]string{}
	for _, m := range memories {
		e := &entry{Memory: m, from: SourceOf(m)}
		if e.from == nil || e.from.Format != format || !local(e.from.File) {
			e.from = nil
			fresh = append(fresh, e)
			continue
		}
		if store, ok := stores[e.from.File]; ok && store != e.from.Store {
			misfits = append(misfits, Misfit{m.ID, "another store has the file " + e.from.File + " too", true})
			continue
		}
		stores[e.from.File] = e.from.Store
		add(e.from.File, e)
	}
	slices.Sort(names)
	slices.SortStableFunc(fresh, func(a, b *entry) int {
		return cmp.Or(a.Born().Compare(b.Born()), strings.Compare(a.ID, b.ID))
	})
	only := ""
	if len(names) == 1 {
		only = names[0]
	}
	taken := map[string]bool{}
	for _, name := range names {
		taken[strings.ToLower(name)] = true
	}
	for _, e := range fresh {
		name := "memory.jsonl"
		switch {
		case (format == Graph || format == Lines || format == Document) && only != "":
			name = only
		case format == Lines:
			name = "memories.jsonl"
		case format == Document:
			name = "memories.json"
		case format != Graph:
			name = workspace.FileName(e.ID) + ".md"
			for n := 2; taken[strings.ToLower(name)]; n++ {
				name = fmt.Sprintf("%s-%d.md", workspace.FileName(e.ID), n)
			}
			taken[strings.ToLower(name)] = true
		}
		add(name, e)
	}
	for _, name := range names {
		all := of[name]
		slices.SortStableFunc(all, func(a, b *entry) int {
			switch {
			case a.from == nil || b.from == nil:
				return cmp.Compare(order(a), order(b))
			}
			return cmp.Compare(a.from.Index, b.from.Index)
		})
		for _, e := range all {
			var lost string
			if e.text, lost = say(format, e); lost != "" {
				misfits = append(misfits, Misfit{e.ID, lost, false})
			}
		}
		text, not := join(format, name, all)
		files, misfits = append(files, File{name, text}), append(misfits, not...)
	}
	if format == Claude {
		var not []Misfit
		files, not = indexed(files, of)
		misfits = append(misfits, not...)
	}
	return files, misfits
}

func order(e *entry) int {
	if e.from == nil {
		return 1
	}
	return 0
}

// local reports whether a name stays below the store, on every system.
func local(name string) bool {
	if name == "" || name != path.Clean(name) || path.IsAbs(name) || strings.ContainsAny(name, "\\:\x00") {
		return false
	}
	return name != "." && name != ".." && !strings.HasPrefix(name, "../")
}

// say writes one memory in a format, and tells what of it doesn't fit.
func say(format Format, e *entry) (text, lost string) {
	content := []byte(e.Content().Raw)
	switch {
	case e.from == nil:
		return anew(format, e.Memory)
	case !Edited(e.Memory, e.from):
		if e.from.Raw != "" {
			return e.from.Raw, ""
		}
		return render(format, content), ""
	case format == Graph || format == Lines || format == Document:
		return rebuilt(format, e.from.Raw, content, e.Tags)
	}
	return render(format, content), frontLost(e)
}

// join makes a file of its entries.
func join(format Format, name string, all []*entry) ([]byte, []Misfit) {
	switch format {
	case Graph, Lines:
		return joinLines(format, all), nil
	case Document:
		return joinDocument(name, all)
	}
	var b bytes.Buffer
	for _, e := range all {
		if e.from == nil {
			b.WriteString(e.text)
			continue
		}
		b.WriteString(e.from.Before + e.text + e.from.After)
	}
	return b.Bytes(), nil
}
