package foreign

import (
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
	Undated              []string  // fields that can't be read as times, with their values: created_at "last Tuesday"
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

// Edited reports whether an imported memory was edited since.
func Edited(m *memory.Memory, s *Source) bool {
	return digest([]byte(m.Content().Raw), m.Tags) != s.Digest
}
