package mcp

import (
	"context"
	"fmt"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/google/jsonschema-go/jsonschema"
	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/memoryd/memoryd/internal/op/find"
	"github.com/memoryd/memoryd/pkg/memory"
	"github.com/memoryd/memoryd/pkg/timestamp"
	"github.com/memoryd/memoryd/pkg/workspace/ops"
)

type getArgs struct {
	IDs    []string `json:"ids" jsonschema:"ids of memories, archived ones too"`
	Offset int      `json:"offset,omitempty" jsonschema:"with one id: begin at this character of the content"`
	Record bool     `json:"record,omitempty" jsonschema:"the record as JSON, with all of its fields, instead of the text"`
}

type getResult struct {
	Memories []described `json:"memories"`
	Missing  []string    `json:"missing,omitempty" jsonschema:"ids that no memory has"`
}

// described is a memory as tools give it.
type described struct {
	ID           string   `json:"id"`
	Type         string   `json:"type"`
	Subtype      string   `json:"subtype,omitempty"`
	Scope        string   `json:"scope"`
	CreatedBy    string   `json:"created_by,omitempty"`
	CreatedAt    string   `json:"created_at,omitempty"`
	UpdatedAt    string   `json:"updated_at,omitempty"`
	Priority     string   `json:"priority,omitempty"`
	Tags         []string `json:"tags,omitempty"`
	Reads        int64    `json:"reads" jsonschema:"how often it was read"`
	Archived     bool     `json:"archived,omitempty"`
	SupersededBy []string `json:"superseded_by,omitempty" jsonschema:"newer memories that hold instead"`
	File         string   `json:"file"`
	Version      string   `json:"version" jsonschema:"changes with the record: for update"`
	Content      string   `json:"content"`
	Offset       int      `json:"offset,omitempty" jsonschema:"character at which this part of the content begins"`
	Chars        int      `json:"chars" jsonschema:"characters of the whole content"`
	NextOffset   int      `json:"next_offset,omitempty" jsonschema:"the content goes on: get it with this offset"`
}

func addGet(s *sdk.Server, r *room) {
	add(s, tool{
		name: "get", title: "Read memories", reads: true,
		purpose: "Read memories in full, by id. A long content is cut; next_offset says where to go on. Reading counts: what is read is kept longer.",
		arguments: func(a map[string]*jsonschema.Schema) {
			items(a["ids"], 1, 20)
			a["offset"].Minimum = new(0.0)
		},
	}, r.get)
}

func (r *room) get(ctx context.Context, args getArgs) (getResult, string, error) {
	result := getResult{Memories: []described{}}
	if args.Offset > 0 && len(args.IDs) > 1 {
		return result, "", refuse("Get one memory at a time with an offset.", "an offset is that of one content, and %d ids were given", len(args.IDs))
	}
	snap, err := r.viewOf(ctx, args.IDs...)
	if err != nil {
		return result, "", err
	}
	var found []*memory.Memory
	var ids []string
	for _, id := range args.IDs {
		all := snap.Find(id)
		if len(all) == 0 {
			result.Missing = append(result.Missing, id)
			continue
		}
		found, ids = append(found, all...), append(ids, id)
	}
	if len(found) == 0 {
		return result, "", find.Missing(snap, args.IDs[0])
	}
	var text strings.Builder
	for _, m := range found {
		doc := describeMemory(m)
		content := m.Text()
		if args.Record {
			content = string(m.Raw())
		}
		if err := doc.fill(content, args.Offset, max(maxChars/len(found), 200)); err != nil {
			return result, "", err
		}
		result.Memories = append(result.Memories, doc)
		fmt.Fprintf(&text, "%s\n", doc.text())
	}
	for _, id := range result.Missing {
		fmt.Fprintf(&text, "No memory has the id %q.\n", id)
	}
	r.read("get", ids...)
	return result, text.String(), nil
}

// used is a use of memories through a tool, in the session of the host, or else in the life
// of the server.
func (r *room) used(through string) ops.Use {
	use := ops.Use{At: r.now(), Session: r.life, From: through}
	if r.session != nil {
		if id, err := r.session(false); err == nil && id != "" {
			use.Session = id
		}
	}
	return use
}

// read counts that memories were read. That it can't, on a read-only disk say, is no reason
// not to answer.
func (r *room) read(through string, ids ...string) {
	if err := r.store.Ops().NoteRead(r.used(through), ids...); err != nil {
		r.log.Debug("reads are not counted", "error", err)
	}
}

const versionLength = 12

// version identifies the bytes of a record, as far as two writers need it; "" for one that has changed since it was read.
func version(m *memory.Memory) string {
	digest := string(m.Digest())
	return digest[:min(len(digest), versionLength)]
}

// maxList is how many tags, or ids, of a memory are listed.
const maxList = 50

// describeMemory describes a memory, without its content.
func describeMemory(m *memory.Memory) described {
	return described{
		ID: m.ID, Type: m.Type, Subtype: m.Subtype, Scope: m.Scope.String(), CreatedBy: m.CreatedBy,
		CreatedAt: stamp(m.CreatedAt), UpdatedAt: stamp(m.UpdatedAt), Priority: m.Priority, Tags: m.Tags[:min(len(m.Tags), maxList)],
		Reads: m.AccessCount, Archived: m.Archived, SupersededBy: m.SupersededBy[:min(len(m.SupersededBy), maxList)], File: m.Ref.String(), Version: version(m),
	}
}

// stamp writes a time; "" for none.
func stamp(t time.Time) string {
	if t.IsZero() {
		return ""
	}
	return timestamp.Format(t)
}

// fill puts a part of the content in.
func (d *described) fill(content string, offset, most int) error {
	d.Content, d.Chars, d.NextOffset = cut(content, offset, most)
	if d.Offset = offset; offset > 0 && offset >= d.Chars {
		return refuse("Get it without an offset.", "the content of %s has %d characters: offset %d is behind its end", d.ID, d.Chars, offset)
	}
	return nil
}

// head is the line that names a memory and what it is.
func (d *described) head() string {
	words := []string{d.Type}
	if d.Subtype != "" {
		words[0] += "/" + d.Subtype
	}
	words = append(words, d.Scope)
	if d.CreatedBy != "" {
		words = append(words, "by "+d.CreatedBy)
	}
	if day := max(d.CreatedAt, d.UpdatedAt); day != "" { // of RFC 3339 in UTC the later is the greater
		words = append(words, day[:min(10, len(day))])
	}
	if d.Priority != "" && d.Priority != "medium" {
		words = append(words, d.Priority)
	}
	if len(d.Tags) > 0 {
		words = append(words, "#"+strings.Join(d.Tags, " #"))
	}
	if d.Archived {
		words = append(words, "archived")
	}
	if len(d.SupersededBy) > 0 {
		words = append(words, "superseded by "+strings.Join(d.SupersededBy, ", "))
	}
	return short(d.ID+"  "+strings.Join(words, ", "), 400)
}

// text is a memory for reading.
func (d *described) text() string {
	text := oneLine("%s", d.head()) + oneLine("file %s, version %s, read %d times", d.File, d.Version, d.Reads) + quoted(d.Content) + "\n"
	end := d.Offset + utf8.RuneCountInString(d.Content)
	switch {
	case d.NextOffset > 0:
		text += oneLine("(characters %d to %d of %d; the rest: get %s with offset %d)", d.Offset, end, d.Chars, d.ID, d.NextOffset)
	case d.Offset > 0:
		text += oneLine("(characters %d to %d of %d)", d.Offset, end, d.Chars)
	}
	return text
}
