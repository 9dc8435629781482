// Package rules decides what a consolidation run would do: pure functions from a
// [memory.Snapshot] to a [memory.Plan].
//
// Each rule is one file: what it asks of a memory, what is excluded, and what becomes of
// the memory. In the order of their precedence (see order in rules.go):
//
//	merge.go      duplicates become one; where their facts differ a person is asked
//	promote.go    procedures that are read often are copied to the team, or to everybody
//	layers.go     working memories rise to facts, events and procedures; off by default
//	summarise.go  long details of old episodes become a summary
//	archive.go    what nobody reads moves to the archive
//	expired.go    what has outlived its ttl moves to the archive
//	supersede.go  a person is asked whether a newer memory updates an older one
//	working.go    at the end of a session its working memories are kept or archived
//
// What the rules share: exclude.go (what no rule may change), condition.go (what a rule
// asks of a memory, for the plan and for [Explain] alike), similar.go (the search for
// similar memories), recurring.go (what is said again and again), memo.go (what an earlier plan compared), limit.go (what fits into a run), derive.go (what is known of a text
// without reading it again).
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
