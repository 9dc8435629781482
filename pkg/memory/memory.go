package memory

import (
	"strings"
	"time"

	"github.com/tidwall/gjson"

	"github.com/memoryd/memoryd/pkg/internal/jsonedit"
	"github.com/memoryd/memoryd/pkg/text"
	"github.com/memoryd/memoryd/pkg/timestamp"
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

// Types are the types that the rules know.
func Types() []string { return []string{Factual, Procedural, Episodic, Semantic, Working} }

// Memory is one record of a workspace: a read-only view of its bytes. Its fields were parsed
// when its file was read; its bytes may be read from the file when they are asked for.
type Memory struct {
	Ref
	Archived bool // it is in archive/

	ID           string
	CreatedAt    time.Time // zero when absent or unreadable; likewise the others
	UpdatedAt    time.Time
	LastAccessed time.Time
	Arrived      time.Time // when it was imported; see Interned.Origin
	Tags         []string  // as written, empty ones left out
	AccessCount  int64     // with those reads that are still only in the access log
	Unfolded     int64     // how many those are
	Confidence   *float64
	Importance   *float64
	*Interned    // never nil; likewise Links
	*Links

	blank    bool
	body     *body  // nil: source reads it
	source   Source // nil: there are no other bytes than body's
	offset   int32  // where the record is in a collection, in bytes
	size     int32  // how many bytes it has
	checksum Checksum
	derived  []byte
	print    uint64  // see Fingerprint
	note     *Digest // of the file of a Markdown note; nil for a record in JSON
}

// Interned is what many memories have alike.
type Interned struct {
	Type, Subtype string
	CreatedBy     string
	Scope         Scope
	Priority      string // lower case; "" when absent
	Origin        string // who said it: user, agent, tool, import or model, in lower case; "" when absent
	TTL           string
	ReviewOn      string // when somebody wants to look at it again; see DueForReview
	Consent       bool   // consolidation_consent
	Protected     bool   // "protected": true
	PinMark       bool   // "pinned": true; see Pinned
	Conflicted    bool   // it notes conflicts of a merge; see MergeConflicts

	// Locked says why the record can't be edited ("" when it can): a repeated key
	// in it or on the way to it.
	Locked string
}

// Links are the ids of other memories that a record refers to.
type Links struct {
	Supersedes   []string
	SupersededBy []string
	PromotedTo   []string
	PromotedFrom []string
}

var noLinks Links

// Digest is the digest of the record's bytes, and of a Markdown note that of its file, which may be read from the file for it. It is "" when the file has
// changed or gone, as with [Memory.Raw].
func (m *Memory) Digest() Digest {
	if m.note != nil {
		return *m.note
	}
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

// Origins of memories that the member "origin" names.
const (
	OriginUser   = "user"
	OriginAgent  = "agent"
	OriginTool   = "tool"
	OriginImport = "import"
	OriginModel  = "model"
)

// originOf reads the member "origin": a word, or an object that also says when the memory arrived. Anything else says
// nothing.
func originOf(v gjson.Result) (kind string, arrived time.Time) {
	if v.IsObject() {
		kind, arrived = v.Get("kind").Str, timestamp.Parse(v.Get("at").Str)
	} else if v.Type == gjson.String {
		kind = v.Str
	}
	return strings.ToLower(strings.TrimSpace(kind)), arrived
}

// User is the author of what a person wrote.
const User = "USER"

// SaidBy tells who said what a memory says, as its member origin has it: the kind, the program through which it came, and for whom: "agent,
// claude-code for USER". It is "" where nobody knows.
func SaidBy(m *Memory) string {
	if m.Origin == "" {
		return ""
	}
	said := m.Origin
	v := gjson.GetBytes(m.Raw(), "origin")
	if client := strings.TrimSpace(v.Get("client").Str); client != "" {
		said += ", " + client
	}
	if person := strings.TrimSpace(v.Get("for").Str); person != "" {
		said += " for " + person
	}
	return said
}

// OriginMember is the member "origin" of a memory that arrived at a time; kind "": nobody knows who said it.
func OriginMember(kind string, at time.Time) []byte {
	raw := []byte("{")
	if kind != "" {
		raw = append(append(append(raw, `"kind": `...), jsonedit.Quote(kind)...), ", "...)
	}
	return append(append(append(raw, `"at": `...), jsonedit.Quote(timestamp.Format(at))...), '}')
}

// OfType reports whether a name is the type of a memory, or its subtype; case, and blanks around, don't count. It is what every option and
// argument "type" that chooses memories means.
func OfType(m *Memory, name string) bool {
	return text.SameName(strings.TrimSpace(m.Type), name) || text.SameName(strings.TrimSpace(m.Subtype), name)
}

// HasTag compares trimmed, without case and in any Unicode form.
func (m *Memory) HasTag(tag string) bool {
	for _, t := range m.Tags {
		if text.SameName(strings.TrimSpace(t), tag) {
			return true
		}
	}
	return false
}

// Derived is what a store derived of the record's bytes when its file was read; nil
// when there was none.
func (m *Memory) Derived() []byte { return m.derived }

// Blank reports whether the content is absent, empty or white space.
func (m *Memory) Blank() bool { return m.blank }
