package document

import (
	"encoding/json"
	"math"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/memoryd/memoryd/pkg/config"
	"github.com/memoryd/memoryd/pkg/memory"
	"github.com/memoryd/memoryd/pkg/recall"
	"github.com/memoryd/memoryd/pkg/retention"
	"github.com/memoryd/memoryd/pkg/text"
	"github.com/memoryd/memoryd/pkg/timestamp"
)

// Memory is a memory: in a list with its summary, else with its text or a part of it.
type Memory struct {
	ID           string   `json:"id"`
	Type         string   `json:"type,omitempty" jsonschema:"factual, procedural, episodic, semantic, working, or another"`
	Subtype      string   `json:"subtype,omitempty"`
	Scope        string   `json:"scope" jsonschema:"such as global or agent:DEV-001"`
	CreatedBy    string   `json:"created_by,omitempty"`
	Origin       string   `json:"origin,omitempty" jsonschema:"who said it: user, agent, tool, import, model, and the client"`
	CreatedAt    string   `json:"created_at,omitempty"`
	UpdatedAt    string   `json:"updated_at,omitempty"`
	LastAccessed string   `json:"last_accessed,omitempty"`
	AccessCount  int64    `json:"access_count" jsonschema:"how often it was read"`
	Priority     string   `json:"priority,omitempty"`
	Tags         []string `json:"tags,omitempty"`
	Tier         string   `json:"tier" jsonschema:"how much it matters now: hot, warm, cold or archived"`
	Retention    float64  `json:"retention" jsonschema:"the score behind the tier, 0 to 1"`
	Archived     bool     `json:"archived,omitempty"`
	SupersededBy []string `json:"superseded_by,omitempty" jsonschema:"newer memories that hold instead"`
	PartlyBy     []string `json:"partly_superseded_by,omitempty" jsonschema:"newer memories that replace a part: the memory still holds"`
	File         string   `json:"file"`
	JSONPath     string   `json:"json_path,omitempty" jsonschema:"JSON Pointer into a file of several memories"`

	Summary    string          `json:"summary,omitempty" jsonschema:"absent where content is given"`
	Version    string          `json:"version,omitempty" jsonschema:"changes with the record: for update"`
	Content    string          `json:"content,omitempty" jsonschema:"the text, or a part of it"`
	Offset     int             `json:"offset,omitempty" jsonschema:"character at which this part of the content begins"`
	Chars      int             `json:"chars,omitempty" jsonschema:"characters of the whole content"`
	NextOffset int             `json:"next_offset,omitempty" jsonschema:"the content goes on: get it with this offset"`
	Variants   []Variant       `json:"variants,omitempty" jsonschema:"other wordings that merges and saves kept, the newest first"`
	Record     json.RawMessage `json:"record,omitempty" jsonschema:"the record as in its file"`
}

// Variant is another wording of a memory: a text, or the value at a place of the record.
type Variant struct {
	Text    string `json:"text,omitempty"`
	Path    string `json:"path,omitempty" jsonschema:"JSON Pointer into the record"`
	Value   any    `json:"value,omitempty" jsonschema:"what another memory had there"` // [json.RawMessage]
	From    string `json:"from,omitempty" jsonschema:"id of the memory that said it"`
	Written string `json:"written,omitempty"`
}

// Line is a variant as people read it, with the day when it was written.
func (v *Variant) Line() string {
	line := strings.TrimSpace(v.variant().Line())
	if day, _, ok := strings.Cut(v.Written, "T"); ok {
		line += ", " + day
	}
	return line
}

func (v *Variant) variant() memory.Variant {
	raw, _ := v.Value.(json.RawMessage)
	return memory.Variant{Text: v.Text, Path: v.Path, Value: string(raw)}
}

// Memories is a list of memories.
type Memories struct {
	Memories []Memory `json:"memories"`
	Missing  []string `json:"missing,omitempty" jsonschema:"ids that no memory has"`
	Page
}

// Records are the records of memories as they stand in their files.
type Records struct {
	Records []json.RawMessage `json:"records"`
}

// NewMemory describes a memory with its summary. Tier and retention are as of a time.
func NewMemory(m *memory.Memory, at time.Time, settings config.Settings) Memory {
	score := retention.Of(m, at, settings)
	d := Memory{
		ID: m.ID, Type: m.Type, Subtype: m.Subtype, Scope: m.Scope.String(), CreatedBy: m.CreatedBy, Origin: memory.SaidBy(m),
		CreatedAt: stamp(m.CreatedAt), UpdatedAt: stamp(m.UpdatedAt), LastAccessed: stamp(m.LastAccessed),
		AccessCount: m.AccessCount, Priority: m.Priority, Tags: m.Tags,
		Tier: tierOf(m, score), Retention: math.Round(score.Score*100) / 100, Archived: m.Archived,
		File: m.File, JSONPath: m.Pointer(),
	}
	d.SupersededBy, d.PartlyBy = memory.ReplacedBy(m)
	for _, v := range memory.Variants(m) {
		doc := Variant{Text: v.Text, Path: v.Path, From: v.From, Written: stamp(v.Written)}
		if v.Text == "" {
			doc.Value = json.RawMessage(v.Value)
		}
		d.Variants = append(d.Variants, doc)
	}
	d.Summary, _ = m.Summary()
	return d
}

// NewMemories describes memories. There are as many in all.
func NewMemories(ms []*memory.Memory, at time.Time, settings config.Settings) Memories {
	doc := Memories{Memories: make([]Memory, len(ms)), Page: Page{Total: len(ms)}}
	for i, m := range ms {
		doc.Memories[i] = NewMemory(m, at, settings)
	}
	return doc
}

const versionLength = 12

// Version identifies the bytes of a record, as far as two writers need it; "" for one that has changed since it was read.
func Version(m *memory.Memory) string { return VersionOf(m.Digest()) }

// VersionOf is the version of a record with a digest.
func VersionOf(digest memory.Digest) string { return string(digest)[:min(len(digest), versionLength)] }

// Fill gives a text in place of the summary: at most so many characters from an offset on, of the record that has them.
func (d *Memory) Fill(m *memory.Memory, content string, offset, most int) {
	d.Summary, d.Version, d.Offset = "", Version(m), offset
	d.Content, d.Chars, d.NextOffset = Cut(content, offset, most)
}

// maxVariant is how many characters of a variant are left where a memory is shortened.
const maxVariant = 600

// Shorten leaves so many tags, other ids and variants, and of a long variant the beginning as a text.
func (d *Memory) Shorten(most int) {
	d.Variants = slices.Clone(d.Variants[:min(len(d.Variants), most)])
	for i := range d.Variants {
		v := &d.Variants[i]
		if is := v.variant(); len(is.Text)+len(is.Value) > maxVariant {
			line := is.Line()
			v.Text, v.Path, v.Value = text.Truncate(line, maxVariant), "", nil
		}
	}
	d.Tags, d.SupersededBy = d.Tags[:min(len(d.Tags), most)], d.SupersededBy[:min(len(d.SupersededBy), most)]
	d.PartlyBy = d.PartlyBy[:min(len(d.PartlyBy), most)]
}

// Place is where a memory stands: a file, or file#pointer.
func (d *Memory) Place() string { return placeOf(d.File, d.JSONPath) }

func placeOf(file, pointer string) string {
	if pointer == "" {
		return file
	}
	return file + "#" + pointer
}

// Cut is the part of a text that begins at an offset and has at most so many characters. next is where the rest begins, 0 for none.
func Cut(s string, offset, most int) (part string, chars, next int) {
	chars = utf8.RuneCountInString(s)
	start, at := len(s), 0
	for i := range s {
		if at == offset {
			start = i
		}
		if at == offset+most {
			return s[start:i], chars, at
		}
		at++
	}
	return s[start:], chars, 0
}

// Short is the beginning of a text in one line.
func Short(s string, most int) string {
	return text.Truncate(strings.Join(strings.Fields(s), " "), most)
}

// TierOf is the tier of a memory; in the archive it is archived, whatever its score.
func TierOf(m *memory.Memory, at time.Time, settings config.Settings) string {
	return tierOf(m, retention.Of(m, at, settings))
}

func tierOf(m *memory.Memory, score retention.Score) string {
	if m.Archived {
		return retention.Archived.String()
	}
	return score.Tier.String()
}

// stamp writes a time; "" where it is not known.
func stamp(t time.Time) string {
	if t.IsZero() {
		return ""
	}
	return timestamp.Format(t)
}

// Recall is what recall found.
type Recall struct {
	Query   string  `json:"query"`
	Mode    string  `json:"mode"`
	Hits    []Hit   `json:"hits" jsonschema:"the best first"`
	LeftOut int     `json:"left_out,omitempty" jsonschema:"memories that fit as well, but for the mode"`
	Answer  *Answer `json:"answer,omitempty" jsonschema:"where an answer was requested, and for a question for a time"`
	Hint    string  `json:"hint,omitempty" jsonschema:"what was requested and no memory has, and what may be meant"`
	Page
}

// Hit is a memory that was found.
type Hit struct {
	Memory
	Score    float64       `json:"score"`
	Words    []string      `json:"words,omitempty" jsonschema:"of the query, as the memory has them"`
	Like     []string      `json:"like,omitempty" jsonschema:"words of the query for which it has others like them"`
	Loose    bool          `json:"loose,omitempty" jsonschema:"it has none of the query's words as they are, only words like them"`
	Beyond   bool          `json:"beyond,omitempty" jsonschema:"colder than the mode asks, or in the archive: found because little else fits"`
	Newer    []Newer       `json:"newer,omitempty" jsonschema:"memories that seem to hold instead, about which nobody has decided yet, and those that replace a part"`
	Project  string        `json:"project,omitempty" jsonschema:"the other project that it is of"`
	Copies   []string      `json:"copies,omitempty" jsonschema:"memories that say the same in narrower scopes, from which this one was promoted"`
	Outdated string        `json:"outdated,omitempty" jsonschema:"what it names and the code no longer has"`
	Parts    *recall.Parts `json:"parts,omitempty" jsonschema:"what the score is made of, where that was requested"`
}

// Newer is a memory that replaces a part of another, or seems to replace it.
type Newer struct {
	ID      string `json:"id"`
	Written string `json:"written,omitempty"`
	Partly  bool   `json:"partly,omitempty" jsonschema:"a person decided that it replaces a part"`
}

// NewHit describes a hit of a query.
func NewHit(m *memory.Memory, h recall.Hit, at time.Time, settings config.Settings, explain bool) Hit {
	doc := Hit{Memory: NewMemory(m, at, settings), Score: h.Score, Words: h.Words, Like: h.Like, Loose: h.Loose(), Beyond: h.Beyond, Copies: h.Copies}
	for _, id := range h.SupersededBy {
		if !slices.Contains(doc.SupersededBy, id) {
			doc.SupersededBy = append(slices.Clip(doc.SupersededBy), id)
		}
	}
	for _, n := range h.Newer {
		doc.Newer = append(doc.Newer, Newer{n.ID, stamp(n.Written), n.Partly})
	}
	if h.Elsewhere {
		doc.Project = m.Scope.ID
	}
	if explain {
		doc.Parts = &h.Parts
	}
	return doc
}

// NewRecall describes the hits of a query; with full, with their records.
func NewRecall(q *recall.Query, hits []recall.Found, leftOut int, settings config.Settings, explain, full bool) Recall {
	doc := Recall{Query: q.Text, Mode: q.Mode.String(), Hits: make([]Hit, len(hits)), LeftOut: leftOut}
	for i := range hits {
		doc.Hits[i] = NewHit(hits[i].Memory, hits[i].Hit, q.At, settings, explain)
		if full {
			doc.Hits[i].Record = hits[i].Memory.Raw()
		}
	}
	return doc
}

// Mark adds to each hit the names in it that are no longer in the code.
func (d *Recall) Mark(outdated func(*memory.Memory) string, hits []recall.Found) {
	for i := range hits {
		d.Hits[i].Outdated = outdated(hits[i].Memory)
	}
}
