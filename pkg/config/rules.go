package config

import (
	"strings"
	"time"
)

// Rules are the settings of the rules, a section for each. A rule's settings are all in this file: its struct, its defaults and its
// rows of the table.
type Rules struct {
	Merge     Merge
	Supersede Supersede
	Summarise Summarise
	Promote   Promote
	Archive   Archive
	Expired   Expired
	Working   Working
	Layers    Layers
}

func defaultRules() Rules {
	return Rules{
		Merge:     Merge{Enabled: true, TagOverlap: 0.80, ContentSimilarity: 0.80, Differences: "ask", MaxVariants: 8, VariantLength: 0.5},
		Supersede: Supersede{Enabled: true, TagOverlap: 0.30, ContentSimilarity: 0.60},
		Expired:   Expired{Enabled: true},
		Summarise: Summarise{
			Enabled: true, MinAge: days(30), MinChars: 5000, MaxChars: 2000, KeyTerms: 0.80, TimelineKeep: 3,
		},
		Promote: Promote{Enabled: true, TeamAccess: 5, GlobalAccess: 10, Via: ViaDirect},
		Archive: Archive{Enabled: true, UnreadAfter: days(7), IdleAfter: days(90), CountFrom: CountFromAge},
		Working: Working{Enabled: true, MinImportance: 0.7, MinAccess: 3},
		Layers: Layers{
			WorkingAge: clock(15 * time.Minute), Boost: 0.25, MinConfidence: 0.8, SemanticAge: clock(2 * time.Hour), Similarity: 0.85, Recurring: 3,
			SemanticWindow: days(7), EpisodicWindow: days(30), Success: 0.6, WorkingLifetime: clock(30 * time.Minute), EpisodicLifetime: Duration{months: 12},
		},
	}
}

// table lists the settings of the rules, in the order of the struct.
func (r *Rules) table() []setting {
	m, u, z, p, a, w, y := &r.Merge, &r.Supersede, &r.Summarise, &r.Promote, &r.Archive, &r.Working, &r.Layers
	return []setting{
		{"merge.enabled", ruleSwitch(&m.Enabled), "Whether duplicates are merged."},
		{"merge.tag_overlap", share(&m.TagOverlap), "Duplicates share more of their tags than this (Jaccard index)."},
		{"merge.content_similarity", share(&m.ContentSimilarity), "Duplicates have contents more similar than this."},
		{"merge.max_variants", count(&m.MaxVariants, 0, 1_000), "A memory keeps at most this many variants: wordings that it took over in a merge."},
		{"merge.variant_length", share(&m.VariantLength), "A variant is at most as long as this share of the content, if it has more than 1,000 characters. Of longer ones a person is asked."},
		{"merge.differences", choice(&m.Differences, "ask", "latest-wins"),
			"Near-duplicates with differences that are not known to be harmless: ask a person (ask) or keep the newer (latest-wins)."},

		{"supersede.enabled", ruleSwitch(&u.Enabled), "Whether to ask a person when a newer memory seems to update an older one."},
		{"supersede.tag_overlap", share(&u.TagOverlap), "The rule compares memories that share more of their tags than this, or of which one names the other."},
		{"supersede.content_similarity", share(&u.ContentSimilarity), "The contents of these must also be more similar than this, unless one names the other."},

		{"summarise.enabled", ruleSwitch(&z.Enabled), "Whether the details of old episodic memories are summarised."},
		{"summarise.min_age", span(&z.MinAge, 0, longest), "Only episodic memories created longer ago are summarised."},
		{"summarise.min_chars", count(&z.MinChars, 1, many), "Only details with more characters are summarised."},
		{"summarise.max_chars", count(&z.MaxChars, 1, many), "Length of a summary, in characters; less than min_chars."},
		{"summarise.key_terms", share(&z.KeyTerms), "A summary that keeps a smaller share of the key terms is refused."},
		{"summarise.timeline_keep", count(&z.TimelineKeep, 0, 1_000_000), "Entries kept at either end of a timeline."},

		{"promote.enabled", ruleSwitch(&p.Enabled), "Whether procedures that are often read are copied to a wider scope."},
		{"promote.team_access", count(&p.TeamAccess, 1, many), "Reads after which an agent's procedure is copied to its team."},
		{"promote.global_access", count(&p.GlobalAccess, 1, many), "Reads after which a team's procedure is copied to global."},
		{"promote.via", choice(&p.Via, ViaDirect, ViaBranch), "Whether the run copies it (direct), or proposes the copy on a branch of git, which \"memory sync\" pushes and people merge (branch)."},

		{"archive.enabled", ruleSwitch(&a.Enabled), "Whether stale memories are archived."},
		{"archive.unread_after", span(&a.UnreadAfter, 0, longest), "A memory that was never read or given is stale when it is at least this old."},
		{"archive.idle_after", span(&a.IdleAfter, 0, longest), "A memory is stale when it was last read or given longer ago than this."},
		{"archive.count_from", choice(&a.CountFrom, CountFromAge, CountFromUse), "Whether these spans begin when a memory was created, or last read (created), or when it was last written, read or given, whichever is latest (used)."},
		{"archive.arrived", moment(&a.Arrived), "When the folder became a workspace (\"memory init\" sets it): memories written before count as arrived then, and are not stale for 90 days; \"\": none."},

		{"expired.enabled", ruleSwitch(&r.Expired.Enabled), "Whether a memory is archived when its ttl has passed since it was created, however young it is."},

		{"working.enabled", ruleSwitch(&w.Enabled), "Whether working memories are settled when their session ends."},
		{"working.min_importance", share(&w.MinImportance), "Working memories of higher importance become long-term memories at the end of their session."},
		{"working.min_access", count(&w.MinAccess, 0, many), "So do working memories that were read at least this often."},

		{"layers.enabled", toggle(&y.Enabled), "Whether working memories rise to facts, facts to events and events to procedures; triggers.threshold and triggers.interval = \"5m\" go with it."},
		{"layers.working_age", span(&y.WorkingAge, 0, longest), "A working memory becomes a fact when it is older than this, or worth keeping by [working]."},
		{"layers.boost", share(&y.Boost), "The confidence of the fact is the importance of the working memory plus this, at most 1."},
		{"layers.min_confidence", share(&y.MinConfidence), "A fact with a higher confidence becomes an event once it is old enough."},
		{"layers.semantic_age", span(&y.SemanticAge, 0, longest), "Such a fact becomes an event when it is older than this."},
		{"layers.similarity", share(&y.Similarity), "Memories with a common tag and contents more similar than this count as repetitions."},
		{"layers.recurring", count(&y.Recurring, 2, 1000), "This many similar facts become events, and this many similar events a procedure."},
		{"layers.semantic_window", span(&y.SemanticWindow, 0, longest), "Only facts younger than this count for it."},
		{"layers.episodic_window", span(&y.EpisodicWindow, 0, longest), "Only events younger than this count for it."},
		{"layers.success", share(&y.Success), "Events become a procedure if more than this share of those that state \"success\" succeeded, and more than failed."},
		{"layers.working_lifetime", span(&y.WorkingLifetime, 0, longest), "The ttl of working memories that state none, where layers are on."},
		{"layers.episodic_lifetime", span(&y.EpisodicLifetime, 0, longest), "The ttl of episodic memories that state none, where layers are on."},
	}
}

// Off lists the rules that are switched off.
func (r Rules) Off() (rules []string) {
	for _, row := range r.table() {
		if row.rule && row.text() == "false" {
			rules = append(rules, strings.TrimSuffix(row.key, ".enabled"))
		}
	}
	return rules
}

// Only switches off all rules but one. Those that are off by default stay as they are.
func (r *Rules) Only(rule string) {
	for _, row := range r.table() {
		if on, ok := row.p.(*bool); ok && row.rule && row.key != rule+".enabled" {
			*on = false
		}
	}
}

// Merge says when two memories are duplicates.
type Merge struct {
	Enabled           bool
	TagOverlap        float64 // Jaccard index of the tags, 0 to 1; duplicates have more
	ContentSimilarity float64 // 0 to 1; duplicates have more
	Differences       string  // near-duplicates that differ in more than form: "ask" or "latest-wins"
	MaxVariants       int     // how many variants a memory keeps at most; 0 for any number
	VariantLength     float64 // how long a variant is at most, as a share of the content, 0 to 1
}

// Supersede says when a person is asked whether a newer memory makes an older one
// untrue.
type Supersede struct {
	Enabled           bool    // whether to ask at all
	TagOverlap        float64 // Jaccard index of the tags, 0 to 1; compared are memories with more
	ContentSimilarity float64 // 0 to 1; compared are memories with more, and those that name each other
}

// Summarise says which episodic memories are shortened, and to what length.
type Summarise struct {
	Enabled      bool
	MinAge       Duration // only memories created longer ago
	MinChars     int      // only details with more characters
	MaxChars     int      // length of the summary, in characters
	KeyTerms     float64  // share of the key terms a summary must keep, 0 to 1
	TimelineKeep int      // entries kept at either end of a timeline
}

// Promote says after how many reads a procedural memory moves up.
type Promote struct {
	Enabled      bool
	TeamAccess   int // reads before an agent's memory is copied to its team
	GlobalAccess int // reads before a team's memory is copied to global
	Via          string
}

// How what proved useful gets into a wider scope.
const (
	ViaDirect = "direct" // the run copies it
	ViaBranch = "branch" // the run proposes it: "memory sync" puts the copy on a branch, which people merge

	// ViaNowhere stands for ViaBranch in a workspace that lies in no git repository. It can't be set.
	ViaNowhere = "nowhere"
)

// Archive says when a memory is stale.
type Archive struct {
	Enabled     bool
	UnreadAfter Duration // never read or given, and created so long ago or longer
	IdleAfter   Duration // last read or given longer ago
	CountFrom   string   // [CountFromAge] or [CountFromUse]

	// Arrived is when the folder became a workspace; zero: it began empty. What was written before came in then.
	Arrived time.Time
}

// ArrivalGrace is how old the arrival of a memory from elsewhere is at least when the memory counts as stale: before, nobody had
// the time to read it.
func (Archive) ArrivalGrace() Duration { return days(90) }

// From when the spans of [Archive] count.
const (
	CountFromAge = "created" // from when a memory was created, if it was never read; else from when it was last read or given
	CountFromUse = "used"    // from when it was last written, read or given
)

// Expired says whether a memory is archived when its ttl has passed.
type Expired struct {
	Enabled bool
}

// Working says which working memories are kept when their session ends.
type Working struct {
	Enabled       bool
	MinImportance float64 // kept with more importance, 0 to 1
	MinAccess     int     // kept with as many reads
}

// Layers says how memories rise from layer to layer, as MemoryKit has it: working, semantic, episodic, procedural. What makes a working
// memory a fact are [Working] and its age.
type Layers struct {
	Enabled          bool
	WorkingAge       Duration // an older working memory becomes a fact
	Boost            float64  // added to the importance of a working memory, it is the confidence of the fact; 0 to 1
	MinConfidence    float64  // a fact with more becomes an event, 0 to 1
	SemanticAge      Duration // if it is older than this
	Similarity       float64  // of contents, 0 to 1; what is more alike recurs
	Recurring        int      // so many facts that are alike become events, so many events a procedure
	SemanticWindow   Duration // within this time
	EpisodicWindow   Duration // the same for events
	Success          float64  // the share of events that have to succeed is more than this, 0 to 1
	WorkingLifetime  Duration // the ttl of working memories that state none
	EpisodicLifetime Duration // the same of episodic ones
}

// layersTriggers are the triggers where layers are on, as far as they aren't set.
var layersTriggers = map[string]string{"triggers.threshold": "true", "triggers.interval": "5m"}
