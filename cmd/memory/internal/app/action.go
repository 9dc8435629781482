package app

import (
	"fmt"
	"strings"

	"github.com/memoryd/memoryd/pkg/oplog"
	"github.com/memoryd/memoryd/pkg/rules"
)

// DescribeAction says in one line what an action does.
func DescribeAction(a *oplog.Action) string {
	id := a.MemoryID
	switch a.Type {
	case oplog.Merge:
		return fmt.Sprintf("merge %s into %s", Quantity(len(a.SourceIDs), "duplicate"), a.ResultID)
	case oplog.Review:
		if a.Reason == rules.ReasonSupersede && len(a.MemoryIDs) > 1 {
			newer, older := a.MemoryIDs[len(a.MemoryIDs)-1], a.MemoryIDs[:len(a.MemoryIDs)-1]
			return fmt.Sprintf("ask a person whether %s supersedes %s", newer, strings.Join(older, ", "))
		}
		return fmt.Sprintf("ask a person about %s: %s", Quantity(len(a.MemoryIDs), "memory"), Reason(a.Reason))
	case oplog.Summarize:
		return fmt.Sprintf("summarise %s: %s characters instead of %s", id, Thousands(a.CharsAfter), Thousands(a.CharsBefore))
	case oplog.Promote:
		return fmt.Sprintf("promote %s from %s to %s", id, a.From, a.To)
	case oplog.Propose:
		return fmt.Sprintf("propose %s of %s for %s", id, a.From, a.To)
	case oplog.Cluster:
		return fmt.Sprintf("summarise a cluster of %s in %s", Quantity(len(a.MemoryIDs), "memory"), a.ResultID)
	case oplog.Link, oplog.Unlink:
		return a.Type + " " + a.Detail
	case oplog.Undo:
		return "undo: " + a.Detail
	case oplog.Sync:
		return "sync: " + a.Detail
	case oplog.Archive:
		return fmt.Sprintf("archive %s: %s", id, Reason(a.Reason))
	}
	return a.Type + " " + id
}

// ActionReason is the reason of an action, with its scores.
func ActionReason(a *oplog.Action) string {
	var parts []string
	if a.ContentSimilarity != nil && a.TagOverlap != nil {
		parts = append(parts, fmt.Sprintf("content %.2f alike, tags %.2f", *a.ContentSimilarity, *a.TagOverlap))
	}
	if words := FactsKept(a); words != "" {
		parts = append(parts, words)
	}
	if a.Detail != "" && a.Type != oplog.Review {
		parts = append(parts, a.Detail)
	}
	if a.Type == oplog.Promote || a.Type == oplog.Propose {
		parts = append(parts, "the copy becomes "+a.ResultID)
	}
	return strings.Join(parts, "; ")
}

// FactsKept says what a merge did with the facts of its sources: their numbers,
// dates, identifiers and names. "" for an action that doesn't tell.
func FactsKept(a *oplog.Action) string {
	if a.FactsKept == nil || a.FactsArchived == nil {
		return ""
	}
	switch kept, left := *a.FactsKept, *a.FactsArchived; {
	case kept+left == 0:
		return "no facts to keep"
	case left == 0:
		return Quantity(kept, "fact") + " kept"
	case kept == 0:
		return Quantity(left, "fact") + " in the archive"
	default:
		return fmt.Sprintf("%s of %s kept, the others in the archive", Thousands(kept), Quantity(kept+left, "fact"))
	}
}
