package recall

import (
	"fmt"
	"strings"
	"time"

	"github.com/memoryd/memoryd/pkg/supersession"
)

// Query asks for memories. One without Text lists those that matter most.
type Query struct {
	Text  string    // words, a question, anything: no text is an error
	Also  []string  // other phrasings of Text: what a [Searcher] finds by each is fused. At most [MaxPhrasings] with Text
	At    time.Time // now, for ages and for times in Text ("last week"); zero: neither counts
	Limit int       // at most so many hits; 0 or less: 10

	Mode   Mode
	Filter Filter

	// Retention says how much a memory still matters, from 0 to 1; nil: all matter
	// alike, and Mode leaves out archived ones only. It is asked for few memories.
	Retention func(id string) float64
	Tiers     Tiers // what Mode asks of Retention; zero: the usual ones

	// Note gives the text of a memory. With it the best hits are judged whether one
	// seems to update another, and the words that they have tell others on the subject. It is
	// asked for ten memories at most, nil for none: superseded is then what documents
	// say is.
	Note func(id string) (supersession.Note, bool)

	// Meaning finds memories by what they mean; nil: by their words alone. MeaningWeight is what a standard deviation of nearness counts.
	Meaning       Meaning
	MeaningWeight float64

	// By number of document: Retention, and which may be found; what seems to replace it and waits for a decision, what a person decided
	// for instead of what it says, and whether somebody has decided that two stay.
	retention func(d uint32) float64
	allow     func(d uint32) bool
	waiting   func(d uint32) []uint32
	rejected  func(d uint32) []uint32
	partly    func(d uint32) []uint32 // what replaces a part, as a person decided
	apart     func(a, b uint32) bool
}

// Meaning is the seam for a provider of embeddings.
type Meaning interface {
	// Near returns how near in meaning memories are to a text, by id: the cosine of their vectors. Memories without a vector are left out,
	// and ids that the index doesn't hold are ignored.
	Near(text string) (map[string]float64, error)
}

// Mode says how far back a query reaches, by retention. In all modes but Reflexive a memory
// that the query calls by its title is found besides, if nothing has superseded it.
type Mode int

// The modes.
const (
	Standard   Mode = iota // hot and warm memories
	Reflexive              // hot ones only: what is given unasked
	Deep                   // hot, warm and cold ones
	Exhaustive             // all that there is, and the archive
)

var modeNames = [...]string{Standard: "standard", Reflexive: "reflexive", Deep: "deep", Exhaustive: "exhaustive"}

// String is the name.
func (m Mode) String() string {
	if m < 0 || int(m) >= len(modeNames) {
		return fmt.Sprintf("mode(%d)", int(m))
	}
	return modeNames[m]
}

// ModeNames are the names of the modes, from the narrowest.
func ModeNames() []string {
	return []string{Reflexive.String(), Standard.String(), Deep.String(), Exhaustive.String()}
}

// ParseMode reads the name of a mode.
func ParseMode(name string) (Mode, error) {
	for m, n := range modeNames {
		if strings.EqualFold(name, n) {
			return Mode(m), nil
		}
	}
	return 0, fmt.Errorf("there is no mode %q: write reflexive, standard, deep or exhaustive", name)
}

// Tiers are the least retention of hot, warm and cold memories.
type Tiers struct{ Hot, Warm, Cold float64 }

// DefaultTiers are those of the requirements for consolidation.
var DefaultTiers = Tiers{Hot: .6, Warm: .3, Cold: .1}

// least is the retention that a mode asks for.
func (t Tiers) least(m Mode) float64 {
	if t == (Tiers{}) {
		t = DefaultTiers
	}
	switch m {
	case Reflexive:
		return t.Hot
	case Standard:
		return t.Warm
	case Deep:
		return t.Cold
	}
	return 0
}

// Filter chooses memories; what is empty chooses all. Words are compared without
// case.
type Filter struct {
	Type  string   // or the subtype
	Scope string   // "agent:DEV-001", or a kind alone: "agent"
	Agent string   // who wrote it, or whose scope it is in
	Tags  []string // all of them
	// A memory is of a time when it was created or updated in [Since, Until).
	Since, Until time.Time
}

// Hit is a memory that was found. Score is the sum of Parts, to the last bits.
type Hit struct {
	ID    string
	Score float64
	Parts Parts
	Words []string // of the query, that the memory itself has, as written in the query
	Like  []string // of the others those for which it has words like them: in another form, as a part, or misspelled
	// SupersededBy are the memories that replace it, by what documents or links say.
	SupersededBy []string
	// Newer are those that replace a part of it, and those that seem to replace it, by the texts of both or by a pair that waits for a
	// decision: nobody has decided yet.
	Newer    []Newer
	Archived bool
	// Beyond: the mode leaves it out, and it is found because little else is. See [Request.Few].
	Beyond bool
	// Elsewhere: it is of another project than that of the query. See [Request.Elsewhere].
	Elsewhere bool
	// Copies are ids of memories that say the same in narrower scopes, from which this one was
	// promoted. A [Searcher] fills it in.
	Copies []string

	sought []sought // of the query, that it has: for Passage
}

// Newer is a memory that replaces a part of another, or seems to replace it.
type Newer struct {
	ID      string
	Written time.Time // zero where nobody knows
	Partly  bool      // a person decided that it replaces a part
}

// String marks the older one: "newer: ID, DATE (undecided)", "partly superseded by ID, DATE".
func (n Newer) String() string {
	at := n.ID
	if !n.Written.IsZero() {
		at += ", " + n.Written.Format(time.DateOnly)
	}
	if n.Partly {
		return "partly superseded by " + at
	}
	return "newer: " + at + " (undecided)"
}

// Evident reports whether the memory itself has something of the query: a word, one like it, a person, its title, its time or its meaning.
// What has only neighbours that do, or a memory that it replaces, does not fit by itself.
func (h *Hit) Evident() bool {
	p := &h.Parts
	return p.Words+p.People+p.Title+p.Time+p.Meaning+p.Listed > 0
}

// Loose reports whether a memory has no word of the query as it is, only words like them.
func (h *Hit) Loose() bool { return len(h.Words) == 0 && len(h.Like) > 0 }

// Parts says what a score is made of.
type Parts struct {
	Listed     float64 `json:"listed,omitempty" jsonschema:"1 where the query has no text"`
	Words      float64 `json:"words,omitempty" jsonschema:"words of the query in the memory"`
	Related    float64 `json:"related,omitempty" jsonschema:"words of the best hits in the memory"`
	Neighbours float64 `json:"neighbours,omitempty" jsonschema:"in those before and behind it in its session"`
	Session    float64 `json:"session,omitempty" jsonschema:"in its session as a whole"`
	People     float64 `json:"people,omitempty" jsonschema:"people that the query names, who speak or take part"`
	Title      float64 `json:"title,omitempty" jsonschema:"it is called just what the query says"`
	Time       float64 `json:"time,omitempty" jsonschema:"it is of the time that the query names"`
	Meaning    float64 `json:"meaning,omitempty" jsonschema:"by embeddings"`
	Recency    float64 `json:"recency,omitempty"`
	Priority   float64 `json:"priority,omitempty"`
	Reads      float64 `json:"reads,omitempty"`
	Retention  float64 `json:"retention,omitempty"`
	Inherited  float64 `json:"inherited,omitempty" jsonschema:"from a memory that it supersedes and that fits better"`
	Superseded float64 `json:"superseded,omitempty" jsonschema:"taken off, since another memory holds instead"`
}

// relevance is how well the memory fits the query, whatever else is known of it.
func (p *Parts) relevance() float64 {
	return p.Listed + p.Words + p.Related + p.Neighbours + p.Session + p.People + p.Title + p.Time + p.Meaning
}

// Sum adds the parts up.
func (p *Parts) Sum() float64 {
	return p.relevance() + p.Recency + p.Priority + p.Reads + p.Retention + p.Inherited + p.Superseded
}

// Result is what a query found.
type Result struct {
	Hits []Hit // the best first
	// LeftOut is how many memories would be among the hits but for the mode.
	LeftOut int
}
