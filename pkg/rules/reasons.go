package rules

import "github.com/memoryd/memoryd/pkg/memory"

// Reasons why a rule leaves a memory alone that it would otherwise change.
const (
	ReasonCritical   = "critical"             // priority critical
	ReasonPinned     = "pinned"               // tag "pinned", "pinned": true or ttl "permanent"
	ReasonProtected  = "protected"            // "protected": true
	ReasonUser       = "user_without_consent" // written by a person
	ReasonDecision   = "decision"             // semantic, subtype decision
	ReasonYoung      = "too_young"            // younger than exclude.min_age
	ReasonNoAge      = "age_unknown"          // neither created_at nor updated_at can be read
	ReasonNotUnique  = "id_not_unique"        // several memories have the id
	ReasonCopy       = memory.ReasonCopy      // a conflict copy of its file says otherwise
	ReasonConflict   = "conflict"             // a merge of two machines' edits left values to decide about
	ReasonLocked     = "repeated_key"         // the record can't be edited safely
	ReasonJustNow    = "just_changed"         // by a run at this very time
	ReasonUses       = "reads_unknown"        // a file that notes reads or gifts can't be read
	ReasonInReview   = "in_review"            // waits for a person's decision
	ReasonApart      = "kept_apart"           // a person decided that both stay, or undid their merge
	ReasonNoTeam     = "no_team"              // the agent's team isn't known
	ReasonStands     = "already_in_target"    // an equal memory stands there
	ReasonProposed   = "proposed"             // people were asked to accept it
	ReasonNoBranch   = "no_branch"            // there is no git that would carry a proposal
	ReasonSummary    = "no_faithful_summary"  // too few key terms kept, or not shorter
	ReasonBroken     = "cannot_edit"          // the edit was refused
	ReasonKept       = "cluster_summary"      // "memory enrich" keeps it
	ReasonDistinct   = "distinct_facts"       // two texts state different facts
	ReasonWording    = "wording"              // two texts differ in more wording than one memory keeps beside its content
	ReasonSeries     = "series"               // records of a template, which differ in values such as an id
	ReasonRejected   = "rejected"             // a person decided against what it says
	ReasonSuperseded = "superseded"           // a newer memory holds in its place
	ReasonPartly     = "superseded_partly"    // a newer memory replaces a part of it
	ReasonLimit      = "over_limit"           // the action changes more memories than a run may
	ReasonSecret     = "secret"               // a memory that holds a secret is not spread
)

// ReasonSupersede is why a pair is flagged of which the newer updates the older.
const ReasonSupersede = "supersede"
