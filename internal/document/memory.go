package document

import (
	"encoding/json"
	"math"
	"time"

	"github.com/memoryd/memoryd/pkg/config"
	"github.com/memoryd/memoryd/pkg/memory"
	"github.com/memoryd/memoryd/pkg/recall"
	"github.com/memoryd/memoryd/pkg/retention"
	"github.com/memoryd/memoryd/pkg/review"
	"github.com/memoryd/memoryd/pkg/timestamp"
)

// Memory is a memory in a list as --json prints it.
type Memory struct {
	ID           string     `json:"id"`
	Type         string     `json:"type"`
	Subtype      string     `json:"subtype"`
	Scope        string     `json:"scope"`
	ScopeID      string     `json:"scope_id"`
	Tags         []string   `json:"tags"`
	Summary      string     `json:"summary"`
	Priority     string     `json:"priority"`
	CreatedAt    *time.Time `json:"created_at"`
	UpdatedAt    *time.Time `json:"updated_at"`
	LastAccessed *time.Time `json:"last_accessed"`
	AccessCount  int64      `json:"access_count"`
	FilePath     string     `json:"file_path"`
	JSONPath     string     `json:"json_path"`
	Archived     bool       `json:"archived"`
	Tier         string     `json:"tier"`
	Retention    float64    `json:"retention"` // rounded to hundredths
}

// NewMemories describes memories. Tier and retention are as of at.
func NewMemories(ms []*memory.Memory, at time.Time, settings config.Settings) []Memory {
	all := make([]Memory, len(ms))
	for i, m := range ms {
		summary, _ := m.Summary()
		score := retention.Of(m, at, settings)
		all[i] = Memory{
			ID: m.ID, Type: m.Type, Subtype: m.Subtype, Scope: m.Scope.Kind, ScopeID: m.Scope.ID,
			Tags: append([]string{}, m.Tags...), Summary: summary, Priority: m.Priority,
			CreatedAt: orNull(m.CreatedAt), UpdatedAt: orNull(m.UpdatedAt), LastAccessed: orNull(m.LastAccessed),
			AccessCount: m.AccessCount, FilePath: m.File, JSONPath: m.Pointer(), Archived: m.Archived,
			Tier: score.Tier.String(), Retention: math.Round(score.Score*100) / 100,
		}
	}
	return all
}

// TierOf is the tier of a memory that was found: of one in the archive, whatever its score, archived.
func TierOf(m *memory.Memory, at time.Time, settings config.Settings) string {
	if m.Archived {
		return retention.Archived.String()
	}
	return retention.Of(m, at, settings).Tier.String()
}

// orNull makes an unknown time null.
func orNull(t time.Time) *time.Time {
	if t.IsZero() {
		return nil
	}
	return &t
}

// Recall is what recall found, as --json prints it.
type Recall struct {
	Query string `json:"query"`
	Mode  string `json:"mode"`
	Hits  []Hit  `json:"hits"`
	Held  int    `json:"held"` // memories that the mode leaves out

	Reasoned *Answer `json:"reasoned,omitempty"` // with reason, and for a question for a time
}

// Hit is one hit of recall.
type Hit struct {
	Memory
	Score        float64         `json:"score"`
	Words        []string        `json:"words"`
	Like         []string        `json:"like,omitempty"`   // words of the query for which it has others like them
	Loose        bool            `json:"loose,omitempty"`  // it has none of the query's words as they are
	Beyond       bool            `json:"beyond,omitempty"` // colder than the mode asks, or archived: found because little else fits
	SupersededBy []string        `json:"superseded_by"`
	Copies       []string        `json:"copies,omitempty"`   // the same in narrower scopes
	Outdated     string          `json:"outdated,omitempty"` // what it names and the code no longer has
	Parts        *recall.Parts   `json:"parts,omitempty"`    // with explain
	Record       json.RawMessage `json:"memory,omitempty"`   // with full
}

// NewRecall describes the hits of a query.
func NewRecall(q *recall.Query, hits []recall.Found, leftOut int, settings config.Settings, explain, full bool) Recall {
	doc := Recall{Query: q.Text, Mode: q.Mode.String(), Hits: make([]Hit, len(hits)), Held: leftOut}
	for i := range hits {
		h := &hits[i]
		doc.Hits[i] = Hit{
			Memory: NewMemories([]*memory.Memory{h.Memory}, q.At, settings)[0], Score: h.Score,
			Words: append([]string{}, h.Words...), Like: h.Like, Loose: h.Loose(), Beyond: h.Beyond, SupersededBy: append([]string{}, h.SupersededBy...), Copies: h.Copies,
		}
		doc.Hits[i].Tier = TierOf(h.Memory, q.At, settings)
		if explain {
			doc.Hits[i].Parts = &h.Parts
		}
		if full {
			doc.Hits[i].Record = h.Memory.Raw()
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

// Pair is a pair in the review queue as --json prints it.
type Pair struct {
	ID                string    `json:"id"`
	MemoryIDs         [2]string `json:"memory_ids"` // the older first
	Reason            string    `json:"reason"`
	Differences       []string  `json:"differences"`
	TagOverlap        *float64  `json:"tag_overlap,omitempty"` // absent where nobody compared the two; likewise the next
	ContentSimilarity *float64  `json:"content_similarity,omitempty"`
	RunID             string    `json:"run_id"`
	FlaggedAt         string    `json:"flagged_at,omitempty"` // absent where nothing says since when it waits
}

// NewPair describes a pair.
func NewPair(snap *memory.Snapshot, p review.Pair) Pair {
	doc := Pair{
		p.ID(), [2]string{p.A, p.B}, p.Reason, append([]string{}, p.Differences...),
		nil, nil, p.RunID, "",
	}
	if p.Compared() {
		doc.TagOverlap, doc.ContentSimilarity = &p.TagOverlap, &p.ContentSimilarity
	}
	if since := snap.WaitsSince(p); !since.IsZero() {
		doc.FlaggedAt = timestamp.Format(since)
	}
	return doc
}

// InArchive tells how a memory came into the archive, as --json prints it.
type InArchive struct {
	ID       string    `json:"memory_id"`
	Place    string    `json:"place"`
	Archived *Archived `json:"archived"` // null: unknown
}

// Archived says where an archived memory came from, and why.
type Archived struct {
	From   string `json:"from"`
	At     string `json:"at"`
	Reason string `json:"reason"`
	RunID  string `json:"run_id"`
}

// NewInArchive describes how a memory came into the archive.
func NewInArchive(snap *memory.Snapshot, m *memory.Memory) InArchive {
	doc := InArchive{ID: m.ID, Place: m.Ref.String()}
	if o, ok := memory.OriginOf(m, snap.Indexes); ok {
		doc.Archived = &Archived{o.Ref.String(), timestamp.Format(o.ArchivedAt), o.Reason, o.RunID}
	}
	return doc
}
