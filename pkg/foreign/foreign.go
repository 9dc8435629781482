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
	"github.com/memoryd/memoryd/pkg/memory"
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

// The formats that are only read. What was imported from one is written back as the format that it is a form of.
const (
	Service   Format = "mcp-memory-service" // its export, a JSON document
	ClaudeMem Format = "claude-mem"         // its export, a JSON document
	Engram    Format = "engram"             // its export, a JSON document
	Beads     Format = "beads"              // .beads/issues.jsonl: a line is an issue, or a memory
	Basic     Format = "basic-memory"       // Markdown with a permalink, observations and relations
)

// Formats lists those that are read.
func Formats() []Format { return append(Written(), Service, ClaudeMem, Engram, Beads, Basic) }

// Written lists those that are written.
func Written() []Format { return []Format{Graph, Lines, Document, Markdown, Claude, Tool} }

// Base is the format that another one is a form of; else the format itself.
func (f Format) Base() Format {
	switch f {
	case Service, ClaudeMem, Engram:
		return Document
	case Beads:
		return Lines
	case Basic:
		return Markdown
	}
	return f
}

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
	Index  int    `json:"index"`          // position among the memories of the file
	Of     int    `json:"of"`             // how many those are
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
	FileTime             bool      // CreatedAt is the time of the file: the record tells none
	Undated              []string  // fields that can't be read as times, with their values: created_at "last Tuesday"
	Remark               string    // what of it is otherwise in the memory though nothing is lost, for people
	Content              []byte    // one JSON value: an object or a string
	Source               Source
	Scope                memory.Scope // zero: not told
	Priority             string       // "": not told
	Author               string       // "": not told; see [Format.Author]
	Fields               []Field      // members next to those above, in their order
	Linked               []Link       // those of its links that lead to a record; they stand in Fields
	Line                 int          // of a file of lines
	Number               int          // of an element of a document, from 1
	// Own is the record of a workspace that it is: then nothing else is set but the id; where the record lacks one, content and tags, too.
	Own []byte
}

// States reports whether the record itself has a member of the memory that is made of it, which else is a default.
func (r *Record) States(key string) bool {
	if r.Own != nil {
		return gjson.GetBytes(r.Own, gjson.Escape(key)).Exists()
	}
	switch key {
	case "created_at":
		return !r.CreatedAt.IsZero() && !r.FileTime
	case "updated_at":
		return !r.UpdatedAt.IsZero()
	case "priority":
		return r.Priority != ""
	}
	return true
}

// Link is a relation to another record, under the name by which the store knows that, and the id that it has here.
type Link struct{ How, Name, ID string }

// Field is a member of a memory: its name, and one JSON value.
type Field struct {
	Key   string
	Value json.RawMessage
}

// Complete reports whether the record is one of a workspace with an id of its own.
func (r *Record) Complete() bool { return r.Own != nil && r.Content == nil }

// Place says where a record stands, for people.
func (r *Record) Place() string {
	switch {
	case r.Line > 0:
		return fmt.Sprintf("%s:%d", r.Source.File, r.Line)
	case r.Number > 1 || r.Source.Of > 1:
		return fmt.Sprintf("%s#%d", r.Source.File, r.Number)
	}
	return r.Source.File
}

// Misfit is what could not be taken along, and where it stands.
type Misfit struct {
	Place   string `json:"place"`
	What    string `json:"what"`
	LeftOut bool   `json:"left_out,omitempty"` // all of it, and not a part of what it tells
}

// store is what tells the formats of its files.
type store struct {
	root         string // the name of its directory
	index, basic bool   // MEMORY.md is in it; some of its notes are those of basic-memory
}

// storeOf looks at the files of a store.
func storeOf(root string, files []File) store {
	s := store{root: root}
	for _, f := range files {
		s.index = s.index || f.Name == indexFile
		s.basic = s.basic || isNote(f.Name) && isBasic(f)
	}
	return s
}

// detect tells the format of a file of a store; "" where it is none of them.
func (s store) detect(f File) Format {
	ext := strings.ToLower(path.Ext(f.Name))
	lines := ext == ".jsonl" || ext == ".ndjson"
	if lines || ext == ".json" {
		if graph(f.Text) {
			return Graph
		}
		if as := jsonFormat(f.Text, lines); as != "" {
			return as
		}
	}
	switch {
	case s.root == beadsDir:
		return ""
	case ext == "" && (s.root != "memories" || s.index):
		return jsonIn(f.Text)
	case lines:
		return Lines
	case s.root == "memories" && !s.index:
		return Tool
	case ext == ".json":
		return Document
	case isNote(f.Name) && s.index:
		return Claude
	case isNote(f.Name) && s.basic:
		return Basic
	case isNote(f.Name):
		return Markdown
	}
	return ""
}

// jsonIn is the format of a file whose name does not tell it, if the file is JSON.
func jsonIn(text []byte) Format {
	text = bytes.TrimSpace(withoutMark(text))
	first, _, _ := bytes.Cut(text, []byte("\n"))
	switch {
	case len(text) == 0 || text[0] != '{' && text[0] != '[':
		return ""
	case graph(text):
		return Graph
	case !gjson.ValidBytes(text) && gjson.ValidBytes(first):
		return cmp.Or(jsonFormat(text, true), Lines)
	case gjson.ValidBytes(text):
		return cmp.Or(jsonFormat(text, false), Document)
	}
	return Document // and the place where it is not valid is reported
}

// isNote reports whether a file is Markdown by its name.
func isNote(name string) bool {
	ext := strings.ToLower(path.Ext(name))
	return ext == ".md" || ext == ".markdown" || ext == ".mdc"
}

// Read takes the files of a store apart. Store is the name under which the store is known: with it, ids differ from those of
// others. The format "" is detected, file by file; root is the name of its directory.
func Read(format Format, store, root string, files []File) (records []Record, misfits []Misfit) {
	seen := map[string]int{}
	about := storeOf(root, files)
	var all []part
	for _, f := range files {
		as := format
		if as == "" {
			as = about.detect(f)
		}
		parts, not := readFile(as, f)
		misfits = append(misfits, not...)
		for _, p := range parts {
			p.Source.Format, p.Source.Store, p.Source.File = as, store, f.Name
			if p.ID == "" {
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
			all = append(all, p)
		}
	}
	misfits = append(misfits, link(all)...)
	for _, p := range all {
		for _, what := range p.notes {
			misfits = append(misfits, Misfit{p.Place(), what, false})
		}
		records = append(records, p.Record)
	}
	return records, misfits
}

// readFile takes one file apart, by its format.
func readFile(as Format, f File) ([]part, []Misfit) {
	switch {
	case bytes.HasPrefix(f.Text, []byte("SQLite format 3\x00")):
		return nil, []Misfit{{f.Name, "a database of SQLite: let the program that wrote it export its memories, and import those", true}}
	case as == "":
		return nil, []Misfit{{f.Name, "no format that is known", true}}
	case !utf8.Valid(f.Text):
		return nil, []Misfit{{f.Name, "not UTF-8", true}}
	}
	switch as.Base() {
	case Graph, Lines:
		return readLines(as, f)
	case Document:
		return readDocument(as, f)
	}
	return readText(as, f)
}

// part is a record, what tells it from the others of its file, and what else it takes to link it with others.
type part struct {
	Record
	key   string
	names []string // under which others know it
	notes []string // what of it has no place in a memory, for people
	links []relation
}

// identify makes an id of our form of a name.
func identify(name string) string {
	sum := sha256.Sum256([]byte(name))
	return "mem_" + strings.ToLower(base32.StdEncoding.EncodeToString(sum[:]))[:12]
}

// digest identifies what can be edited of an imported memory: content and tags.
func digest(content []byte, tags []string) string {
	text := append(jsonedit.Compact(content), jsonedit.Compact(jsonedit.Strings(tags))...)
	return string(memory.DigestOf(text))[:16]
}

// SourceOf is where a memory was imported from; nil if it wasn't.
func SourceOf(m *memory.Memory) *Source {
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

// Before is the record that a memory was imported as; false if that can't be read any more. What is otherwise in the memory was changed there.
func Before(m *memory.Memory, s *Source) (Record, bool) {
	p, ok := original(m, s)
	return p.Record, ok
}

// Edited reports whether content or tags of an imported memory were edited since.
func Edited(m *memory.Memory, s *Source) bool {
	return digest([]byte(m.Content().Raw), m.Tags) != s.Digest
}
