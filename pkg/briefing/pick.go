package briefing

import (
	"cmp"
	"slices"
	"time"

	"github.com/memoryd/memoryd/pkg/retention"
	"github.com/memoryd/memoryd/pkg/workspace"
)

// Candidate is a memory that may be given, and how much it matters.
type Candidate struct {
	Memory    *workspace.Memory
	Score     retention.Score
	Relevance float64 // to what is asked, 0 to 1; 0 where nothing is
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
	Cut     []Cut
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

// order lists the candidates that may be given, the most wanted first.
func order(all []Candidate, r Request) []Candidate {
	wanted := slices.DeleteFunc(slices.Clone(all), func(c Candidate) bool {
		switch {
		case c.Memory.Archived, c.Memory.Type == workspace.Working, c.Score.Superseded, c.Score.Tier > retention.Warm:
			return true
		case r.OnlyRelevant:
			return c.Relevance < r.MinRelevance || c.Relevance <= 0
		}
		return r.Asked && c.Score.Tier == retention.Warm && c.Relevance < r.MinRelevance
	})
	slices.SortFunc(wanted, func(a, b Candidate) int {
		hot := a.Score.Tier == retention.Hot || b.Score.Tier == retention.Hot
		relevance, score, tier := cmp.Compare(b.Relevance, a.Relevance), cmp.Compare(b.Score.Score, a.Score.Score), cmp.Compare(a.Score.Tier, b.Score.Tier)
		c := cmp.Or(relevance, tier, score)
		if hot && !r.OnlyRelevant {
			c = cmp.Or(tier, score, relevance)
		}
		if c == 0 {
			c = cmp.Compare(a.Memory.ID, b.Memory.ID)
		}
		if c == 0 { // an id that stands twice
			c = cmp.Compare(a.Memory.Ref.String(), b.Memory.Ref.String())
		}
		return c
	})
	return wanted
}

// Pick picks memories and writes the block. all may come in any order.
func Pick(all []Candidate, r Request) Block {
	p := page{Request: r, room: frameRoom(r)}
	perGroup := map[string]int{}
	for _, c := range order(all, r) {
		if p.misses >= enough {
			p.cut = append(p.cut, Cut{c.Memory.ID, NoRoom})
			continue
		}
		group := groupOf(c.Memory)
		if r.MaxPerGroup > 0 && perGroup[group] >= r.MaxPerGroup {
			p.cut = append(p.cut, Cut{c.Memory.ID, GroupFull})
			continue
		}
		switch e := newEntry(c, p.Format); {
		case e.text == "": // it says nothing
		case p.add(e):
			perGroup[group]++
		default:
			p.cut = append(p.cut, Cut{c.Memory.ID, NoRoom})
		}
	}
	return p.block()
}
