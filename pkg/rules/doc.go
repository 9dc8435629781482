// Package rules decides what a consolidation run would do: pure functions from a
// [workspace.Snapshot] to a [workspace.Plan].
//
// The rules, in the order of their precedence: merge duplicates, promote
// patterns, summarise verbose episodes, archive what went stale, and ask a person
// about memories that a newer one seems to update; when a session ends, merge and
// then settle its working memories. A memory takes part in at most one action of a
// run.
//
// Guarantees: the same snapshot and request give the same plan, byte for byte. A
// plan carries the complete resulting records. What an exclusion kept from
// happening stands in the plan with its reason. A plan changes at most
// [config.Run.Limit] memories; what is over the limit is listed as deferred and
// comes first in the next plan. Updates, which change nothing and take the longest to
// find, are looked for when nothing is deferred: a plan says so when they were not, and
// runs go on until they were. No merge loses a fact: its action counts where they
// stand afterwards. That a memory supersedes another is proposed, never done.
// Planning again after applying, at the same time, comes to an empty plan after
// finitely many runs.
//
// Limits: the rules know no disk, clock, network or model.
package rules
