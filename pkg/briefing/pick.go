package briefing

import (
	"time"

	"github.com/memoryd/memoryd/pkg/retention"
	"github.com/memoryd/memoryd/pkg/workspace"
)

// Candidate is a memory that may be given, and how much it matters. Few of many are looked at,
// so that a candidate only names its memory.
type Candidate struct {
	Place     int    // by which [Memories] give it
	Group     string // see [GroupOf]
	Tier      retention.Tier
	Score     float64 // that the tier comes from
	Relevance float64 // to what is asked, 0 to 1; 0 where nothing is
}

// Memories are where candidates come from: a [workspace.Snapshot].
type Memories interface {
	Memory(place int) *workspace.Memory
	ID(place int) string
}

// Eligible reports whether a memory with a score may be a candidate: a live one that matters,
// holds and is no note for the work at hand.
func Eligible(m *workspace.Memory, s retention.Score) bool {
	return !m.Archived && m.Type != workspace.Working && !s.Superseded && s.Tier <= retention.Warm
}

// Request says what block is wanted.
type Request struct {
	Format  Format
	At      time.Time
	Project string // what the block is for: a name or a path; "" for none
	Agent   string

	Tokens      int // at most; by the estimate of package tokens
	Chars       int // at most, in UTF-16 units; 0: no limit
	MaxPerGroup int // memories of one group; 0: no limit

	// Stands is what becomes of the block where it is put, such as between marks: that is
	// what has to fit. nil: it stays as it is.
	Stands func(block string) string

	// Asked tells that relevance counts: there is a question or a prompt.
	Asked bool
	// OnlyRelevant leaves out what isn't at least as relevant as MinRelevance, hot or
	// not.
	OnlyRelevant bool
	MinRelevance float64

	Status Status
}

// Status is how the workspace stands.
type Status struct {
	LastRun time.Time // zero: never
	Total   int       // live memories
	Tiers   map[retention.Tier]int
}

// Block is what an agent is given.
type Block struct {
	Text    string // "" when nothing is given
	Version string // of what it says
	Tokens  int    // estimated
	Chars   int    // in UTF-16 units
	Given   []Given
	Cut     []Cut // the first of them
	CutAll  int
}

// Given is a memory in a block.
type Given struct {
	ID        string         `json:"id"`
	Tier      retention.Tier `json:"tier"`
	Score     float64        `json:"score"`
	Relevance float64        `json:"relevance,omitempty"`
	Shortened bool           `json:"shortened,omitempty"`
}

// Cut is a memory that was picked and has no room.
type Cut struct {
	ID     string `json:"id"`
	Reason string `json:"reason"` // budget, group
}

// Reasons why a memory that was picked is not given.
const (
	NoRoom    = "budget" // it would make the block too long
	GroupFull = "group"  // the group has as many as it may
)

// Pick picks memories and writes the block. all may come in any order, and are eligible.
func Pick(from Memories, all []Candidate, r Request) Block {
	p := page{Request: r, room: frameRoom(r)}
	q := newQueue(from, all, r)
	wanted, silent := q.wanted(), 0
	for {
		over := p.misses >= enough
		c, ok := q.next(len(p.cut) < mostCut, over)
		if !ok {
			break
		}
		switch {
		case over:
			p.cut = append(p.cut, Cut{from.ID(c.Place), NoRoom})
			continue
		case q.full(c.Group):
			p.cut = append(p.cut, Cut{from.ID(c.Place), GroupFull})
			continue
		}
		switch e := newEntry(from.Memory(c.Place), c, p.Format); {
		case e.text == "": // it says nothing
			silent++
		case p.add(e):
			q.took(c.Group)
		default:
			p.cut = append(p.cut, Cut{e.id, NoRoom})
		}
	}
	b := p.block()
	b.Cut, b.CutAll = b.Cut[:min(len(b.Cut), mostCut)], wanted-silent-len(b.Given)
	return b
}
