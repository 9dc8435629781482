package mcp

import (
	"context"
	"fmt"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/google/jsonschema-go/jsonschema"
	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/memoryd/memoryd/internal/document"
	"github.com/memoryd/memoryd/internal/op/find"
	"github.com/memoryd/memoryd/pkg/config"
	"github.com/memoryd/memoryd/pkg/memory"
	"github.com/memoryd/memoryd/pkg/workspace/ops"
)

type getArgs struct {
	IDs    []string `json:"ids" jsonschema:"ids of memories, archived ones too"`
	Offset int      `json:"offset,omitempty" jsonschema:"with one id: begin at this character of the content"`
	Record bool     `json:"record,omitempty" jsonschema:"the record as JSON, with all of its fields, instead of the text"`
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

func (r *room) get(ctx context.Context, args getArgs) (document.Memories, string, error) {
	result := document.Memories{Memories: []document.Memory{}}
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
	settings, err := r.config()
	if err != nil {
		return result, "", err
	}
	var text strings.Builder
	for _, m := range found {
		content := m.Text()
		if args.Record {
			content = string(m.Raw())
		}
		doc, err := described(m, snap.At, settings, content, args.Offset, max(maxChars/len(found), 200))
		if err != nil {
			return result, "", err
		}
		result.Memories = append(result.Memories, doc)
		fmt.Fprintf(&text, "%s\n", textOf(&doc))
	}
	result.Total = len(found)
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

// maxList is how many tags, or ids, of a memory are listed.
const maxList = 50

// described describes a memory with a part of a text, which an offset begins.
func described(m *memory.Memory, at time.Time, settings config.Settings, text string, offset, most int) (document.Memory, error) {
	d := document.NewMemory(m, at, settings)
	d.Shorten(maxList)
	if d.Fill(m, text, offset, most); offset > 0 && offset >= d.Chars {
		return d, refuse("Get it without an offset.", "the content of %s has %d characters: offset %d is behind its end", d.ID, d.Chars, offset)
	}
	return d, nil
}

// head is the line that names a memory and what it is.
func head(d *document.Memory) string {
	words := []string{d.Type}
	if d.Subtype != "" {
		words[0] += "/" + d.Subtype
	}
	words = append(words, d.Scope)
	if d.CreatedBy != "" {
		words = append(words, "by "+d.CreatedBy)
	}
	if d.Origin != "" {
		words = append(words, "said by "+d.Origin)
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
	if len(d.PartlyBy) > 0 {
		words = append(words, "partly superseded by "+strings.Join(d.PartlyBy, ", "))
	}
	return document.Short(d.ID+"  "+strings.Join(words, ", "), 400)
}

// text is a memory for reading.
func textOf(d *document.Memory) string {
	text := oneLine("%s", head(d)) + oneLine("file %s, version %s, read %d times", d.Place(), d.Version, d.AccessCount) + quoted(d.Content) + "\n"
	for i := range d.Variants {
		text += oneLine("also: %s", d.Variants[i].Line())
	}
	end := d.Offset + utf8.RuneCountInString(d.Content)
	switch {
	case d.NextOffset > 0:
		text += oneLine("(characters %d to %d of %d; the rest: get %s with offset %d)", d.Offset, end, d.Chars, d.ID, d.NextOffset)
	case d.Offset > 0:
		text += oneLine("(characters %d to %d of %d)", d.Offset, end, d.Chars)
	}
	return text
}
