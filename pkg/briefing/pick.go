package briefing

import (
	"slices"
	"strings"
	"time"

	"github.com/memoryd/memoryd/pkg/memory"
	"github.com/memoryd/memoryd/pkg/retention"
)

// Candidate is a memory that may be given, and how much it matters.
type Candidate struct {
	Memory    *memory.Memory
	Group     string // see [GroupOf]
	Tier      retention.Tier
	Score     float64 // that the tier comes from
	Relevance float64 // to what is asked, 0 to 1; 0 where nothing is
	// Copies are ids of memories that say the same in narrower scopes and are not candidates.
	Copies []string
	Edges  []string // how it is linked, each in a few words
	// Newer says which memories seem to hold in its place, as recall does: nobody has decided yet, and it comes behind those.
	Newer []string
	// Outdated is what it names and the code no longer has; "" for nothing.
	Outdated string
}

// NewCandidate is a memory with its score, where nothing is asked.
func NewCandidate(m *memory.Memory, s retention.Score) Candidate {
	return Candidate{Memory: m, Group: GroupOf(m), Tier: s.Tier, Score: s.Score}
}

// Eligible reports whether a memory may be a candidate: a live one of the tier least or
// above that nothing supersedes as a whole and that is not a working memory.
func Eligible(m *memory.Memory, s retention.Score, least retention.Tier) bool {
	return !m.Archived && m.Type != memory.Working && (!s.Superseded || s.Partly) && s.Tier <= least
}

// Request says which context block is wanted.
type Request struct {
	Format  Format
	At      time.Time
	Zone    *time.Location // in which days are written; nil: UTC
	Project string         // what the block is for: a name or a path; "" for none
	Agent   string

	Tokens      int  // at most; by the estimate of package tokens
	Chars       int  // at most, in UTF-16 units; 0: no limit
	Grows       bool // Chars grows as the budget does with context.adaptive: no host truncates the block
	MaxPerGroup int  // memories of one group; 0: no limit

	// Embed returns the block as it will be where it is put, between marks for instance: that
	// has to fit into the budget. nil: it stays as it is.
	Embed func(block string) string

	// Asked tells that relevance counts: there is a question or a prompt.
	Asked bool
	// OnlyRelevant leaves out what isn't at least as relevant as MinRelevance, hot or
	// not.
	OnlyRelevant bool
	// OnlyOrder lets relevance order the memories and leave out none: a block of a start that comes with the first prompt. What is
	// at least as relevant as MinRelevance comes before hot memories.
	OnlyOrder    bool
	MinRelevance float64

	// Touches reports whether a question has a word of another wording of a memory that its text lacks: that wording is given too. nil: none is.
	Touches func(wording, text string) bool

	// Outdated tells of a memory what it names and the code no longer has; nil: nobody knows.
	Outdated func(*memory.Memory) string

	// Most is how many memories are given at most; 0: no limit.
	Most int
	// Notice is a line that is given besides; "" for none.
	Notice string

	Status Status
}

// Status is what a block says of the workspace.
type Status struct {
	LastRun time.Time // zero: never
	Total   int       // live memories
	Tiers   map[retention.Tier]int
}

// Block is a context block: the text that an agent is given.
type Block struct {
	Text    string // "" when nothing is given
	Version string // a hash of what it says
	Tokens  int    // estimated
	Chars   int    // in UTF-16 units
	Given   []Given
	Cut     []Cut // the first of them
	CutAll  int

	// Again are the ids of memories that are relevant too, and not in the block because its
	// reader has them. Who asks for a block fills it in.
	Again []string
}

// IDs lists the memories in the block.
func (b *Block) IDs() []string {
	ids := make([]string, len(b.Given))
	for i, g := range b.Given {
		ids[i] = g.ID
	}
	return ids
}

// Given is a memory in a block.
type Given struct {
	ID        string         `json:"id"`
	Tier      retention.Tier `json:"tier"`
	Score     float64        `json:"score"`
	Relevance float64        `json:"relevance,omitempty"`
	Shortened bool           `json:"shortened,omitempty"`
}

// Cut is a memory that was wanted and is not in the block.
type Cut struct {
	ID     string `json:"id"`
	Reason string `json:"reason" jsonschema:"budget, group"`
}

// Reasons why a wanted memory is not given.
const (
	NoRoom    = "budget" // it would make the block too long
	GroupFull = "group"  // the group has as many as it may
)

// Pick picks memories and writes the block. Candidates may come in any order, and are
// eligible.
func Pick(candidates []Candidate, r Request) Block {
	var wanted []*Candidate
	for i := range candidates {
		if r.wants(&candidates[i]) {
			wanted = append(wanted, &candidates[i])
		}
	}
	slices.SortFunc(wanted, r.compare)
	p := page{Request: r, left: budgetLeft(r)}
	taken := map[string]int{} // by group
	for _, c := range wanted {
		switch {
		case p.misses >= enough, r.Most > 0 && len(p.entries) >= r.Most:
			p.cut = append(p.cut, Cut{c.Memory.ID, NoRoom})
			continue
		case r.MaxPerGroup > 0 && taken[c.Group] >= r.MaxPerGroup && !c.Memory.Pinned():
			p.cut = append(p.cut, Cut{c.Memory.ID, GroupFull})
			continue
		}
		switch e := newEntry(c, p.Request); {
		case e.text == "": // it says nothing
		case p.add(e):
			taken[c.Group]++
		default:
			p.cut = append(p.cut, Cut{e.id, NoRoom})
		}
	}
	b := p.block()
	b.CutAll = len(b.Cut)
	b.Cut = b.Cut[:min(len(b.Cut), mostCut)]
	return b
}

// Empty is the block without a memory, for who wants a document in any case.
func (r Request) Empty() string { return r.Format.render(r, nil) }

// wants reports whether a candidate is relevant enough.
func (r Request) wants(c *Candidate) bool {
	if r.OnlyRelevant {
		return c.Relevance >= r.MinRelevance && c.Relevance > 0
	}
	return !r.Asked || r.OnlyOrder || c.Tier == retention.Hot || c.Relevance >= r.MinRelevance
}

// compare puts the candidate first that is wanted more: pinned ones, then hot ones by their scores, then colder
// ones by their relevance; all by their relevance where nothing else is wanted. Equals come
// by their ids, then by their files.
func (r Request) compare(a, b *Candidate) int {
	ranks := [...][4]float64{r.rank(a), r.rank(b)}
	if c := slices.Compare(ranks[0][:], ranks[1][:]); c != 0 {
		return c
	}
	if c := strings.Compare(a.Memory.ID, b.Memory.ID); c != 0 {
		return c
	}
	return strings.Compare(a.Memory.Ref.String(), b.Memory.Ref.String())
}

// rank are numbers to compare candidates by, the smaller first.
func (r Request) rank(c *Candidate) [4]float64 {
	if c.Memory.Pinned() {
		return [...]float64{-2, -c.Relevance, -c.Score, 0}
	}
	if r.OnlyOrder && c.Relevance > 0 && c.Relevance >= r.MinRelevance {
		return [...]float64{-1, -c.Relevance, float64(c.Tier), -c.Score}
	}
	if c.Tier == retention.Hot && !r.OnlyRelevant {
		return [...]float64{0, -c.Score, -c.Relevance, 0}
	}
	return [...]float64{1, -c.Relevance, float64(c.Tier), -c.Score}
}
