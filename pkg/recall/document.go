package recall

import "time"

// Document is a memory as it is searched. ID must be set; all else may be empty.
type Document struct {
	ID      string
	Title   string
	Summary string
	Tags    []string
	Content string
	Wording string // that merges kept besides the content
	Aliases string // words by which somebody would search, which it does not say

	People  []string // who speaks or takes part, as they are called
	Session string   // memories of one session are neighbours, in the order of Created, then of ID; "": of none

	Type     string
	Subtype  string
	Scope    string // "global", "agent:DEV-001"
	Agent    string // who wrote it
	Created  time.Time
	Updated  time.Time
	Priority string // critical, high, medium, normal or low; others count as medium
	Reads    int64
	Archived bool

	Supersedes   []string // IDs of those that it replaces; they need not be there
	SupersededBy []string
}

// The fields of a document that words are looked for in.
const (
	content = iota
	summary
	title
	tags
	wording
	aliases
	fieldCount
)

// Priorities: more is more important.
const (
	low = iota
	medium
	high
	critical
)

func priorityOf(text string) uint8 {
	switch text {
	case "critical":
		return critical
	case "high":
		return high
	case "low":
		return low
	}
	return medium
}

// noTime is the zero time.
const noTime = -1 << 62

func seconds(t time.Time) int64 {
	if t.IsZero() {
		return noTime
	}
	return t.Unix()
}
