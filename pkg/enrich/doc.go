// Package enrich plans what a workspace gains by looking at its memories together: summaries of clusters, questions about what is out of date,
// edges. It is pure: a snapshot and settings in, a plan out. Nothing has happened yet.
//
// # Stages
//
//	cluster    the clusters of each scope (package cluster), each matched with the summary that tells it already
//	summarise  a memory for each cluster that has none; one is rewritten when its members have changed, and archived when its cluster is gone
//	tier       which memories have changed their tier since the last run: reported, not acted upon
//	supersede  what the rule "supersede" asks, for the review queue
//	edge       texts that say they contradict another memory, for the review queue; edges that a [Chooser] states
//	persist    the transaction, which is the caller's
//
// All of it is one plan, to be committed as one transaction. A request may name a scope, a type or subtype and a range of time: clusters are
// made of whole scopes all the same, and those are acted upon that have such a member.
//
// # Summaries of clusters
//
// A summary is a memory of its scope, semantic, of the subtype cluster_summary, by SYSTEM. Its sentences are those of its members, verbatim but
// for absolute dates next to relative ones (package summary); insights name the members that they stand in. Its confidence is the lowest of its
// members. It tells which members it was made of, with digests of what they said, and the digest of its own content: if that has
// changed, somebody has edited it, and it is never rewritten or archived, only reported as stale. Summaries take part in no rule, and no source
// is touched.
//
// # Guarantees
//
// The plan depends on nothing but the snapshot, the request and the answers of the chooser. Planning again after a commit gives an empty plan.
// Without a chooser, or when it fails, the result is that of the rules. A chooser chooses among sentences and ids: it writes no text of a
// memory, and what it says of others than it was given counts for nothing.
package enrich
