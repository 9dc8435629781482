package workspace

import (
	"strings"
	"time"
)

// Memory types that the rules know. Other types are kept and left to the rules
// that ask for none.
const (
	Factual    = "factual"
	Procedural = "procedural"
	Episodic   = "episodic"
	Semantic   = "semantic"
	Working    = "working"
)

// Memory is one record of a workspace: a read-only view of its bytes. Its fields are
// there at once; its bytes, and what is said in them, may be read from the file when
// they are first asked for.
//
// Its strings may be parts of all that was read with it: who keeps one longer than the snapshot
// keeps a copy, or the whole stays in memory.
type Memory struct {
	Ref
	Archived bool // stands in archive/

	ID           string
	CreatedAt    time.Time // zero when absent or unreadable; likewise the others
	UpdatedAt    time.Time
	LastAccessed time.Time
	Tags         []string // as written, empty ones left out
	AccessCount  int64    // with those reads that are still only in the access log
	Unfolded     int64    // how many those are
	Confidence   *float64
	Importance   *float64
	*Common      // never nil; likewise Links
	*Links

	body     *body // nil: src reads it
	src      *source
	slot     int32 // its place in src
	row      int32 // see Row: one more, 0 for none
	at       int32 // its place among the live ones of its snapshot, or the archived ones
	from     int32 // where it stands in a collection, in bytes
	size     int32 // and how many it has; 0: nobody knows
	checksum Checksum
	derived  []byte
	print    uint64 // see Fingerprint
}

// Common is what many memories say alike. They share it, so that a hundred thousand of
// them take a third less room: it is never written to.
type Common struct {
	Type, Subtype string
	CreatedBy     string
	Scope         Scope
	Priority      string // lower case; "" when absent
	TTL           string
	Consent       bool // consolidation_consent
	Protected     bool // "protected": true

	// Locked says why the record can't be edited ("" when it can): a repeated key
	// in it or on the way to it.
	Locked string
}

// Links are what a record says of its kin, by their ids.
type Links struct {
	Supersedes   []string
	SupersededBy []string
	PromotedTo   []string
	PromotedFrom []string
}

var noLinks Links

// Digest is that of the record's bytes, which may be read from the file for it; "" when that
// has changed or gone, as with [Memory.Raw].
func (m *Memory) Digest() Digest {
	if raw := m.Raw(); raw != nil {
		return DigestOf(raw)
	}
	return ""
}

// Checksum tells the record's bytes from others without reading them.
func (m *Memory) Checksum() Checksum { return m.checksum }

// Newest is the time by which memories are ordered by freshness: updated_at, or
// created_at where that is absent.
func (m *Memory) Newest() time.Time {
	if m.UpdatedAt.IsZero() {
		return m.CreatedAt
	}
	return m.UpdatedAt
}

// Born is the time from which a memory's age counts: created_at, or updated_at
// where that is absent (it can't be younger than its last update). Zero: unknown.
func (m *Memory) Born() time.Time {
	if m.CreatedAt.IsZero() {
		return m.UpdatedAt
	}
	return m.CreatedAt
}

// HasTag compares trimmed and without case.
func (m *Memory) HasTag(tag string) bool {
	for _, t := range m.Tags {
		if strings.EqualFold(strings.TrimSpace(t), tag) {
			return true
		}
	}
	return false
}
