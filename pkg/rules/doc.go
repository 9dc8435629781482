// Package rules decides what a consolidation run would do: pure functions from a
// [memory.Snapshot] to a [memory.Plan].
//
// Each rule is one file with one literal of type rule, which carries all that the rest of the
// program knows of it: its name, a line for the docs, in which runs it is asked, what it asks of
// a memory, the times at which it begins to act, and where the exclusions differ for it. Rules with
// longer texts have more files: merge.go has group.go and mergerecord.go, for example. The order
// in rules.go is their precedence.
//
// A plan is made of three parts: state.go has what the rules go by, limit.go what fits into
// a run, findings.go what is left alone. A rule gets them as a proposer, which notes what it does
// under the name of the rule. Actions that no plan proposes are built here too: decide.go for a person's
// decision, deep.go for a model's choice, save.go for a new memory that goes into an older one.
//
// What the rules share: exclude.go (what no rule may change), condition.go (what a rule
// asks of a memory, for the plan and for [Explain] alike), similar.go (the search for
// similar memories), recurring.go (what is said again and again), memo.go (what an earlier plan
// compared), derive.go (what is known of a text without reading it again).
//
// Guarantees: the same snapshot and request give the same plan, byte for byte. A
// plan carries the complete resulting records. A memory takes part in at most one action of
// a run. What an exclusion kept from happening stands in the plan with its reason. A plan
// changes at most [config.Run.Limit] memories; what is over the limit is listed as deferred
// and comes first in the next plan. Updates, which change nothing and take the longest to
// find, are looked for when nothing is deferred: a plan says so when they were not. No merge
// loses a fact: its action counts where they stand afterwards. That a memory supersedes
// another is proposed, never done. Planning again after applying, at the same time, comes to
// an empty plan after finitely many runs.
//
// Limits: the rules know no disk, clock, network or model. Within a block of memories of one
// type, scope and author those whose tags overlap are compared by their words; texts are read
// for that, and not otherwise.
package rules
