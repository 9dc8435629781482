package workspace

import (
	"crypto/sha256"
	"encoding/hex"
	"strings"
	"sync"
	"time"

	"github.com/tidwall/gjson"

	"github.com/memoryd/memoryd/pkg/internal/jsonedit"
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

	body    *body // nil: src reads it
	src     *source
	slot    int32 // its place in src
	row     int32 // see Row: one more, 0 for none
	at      int32 // its place among the live ones of its snapshot, or the archived ones
	sum     [sha256.Size]byte
	derived []byte
	print   uint64 // see Fingerprint
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

// clone is a copy that holds on to nothing else.
func (c *Common) clone() *Common {
	own := *c
	for _, s := range [...]*string{&own.Type, &own.Subtype, &own.CreatedBy, &own.Scope.Kind, &own.Scope.ID, &own.Priority, &own.TTL, &own.Locked} {
		*s = strings.Clone(*s)
	}
	return &own
}

// Links are what a record says of its kin, by their ids.
type Links struct {
	Supersedes   []string
	SupersededBy []string
	PromotedTo   []string
	PromotedFrom []string
}

var noLinks Links

// Digest identifies the record's bytes.
func (m *Memory) Digest() Digest { return Digest(hex.EncodeToString(m.sum[:])) }

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

// parseMemory reads an object that isRecord; everything it doesn't understand
// it leaves alone. Strings alias raw.
func parseMemory(raw []byte, ref Ref) *Memory {
	var common Common
	m := &Memory{Ref: ref, Common: &common, Links: &noLinks, sum: sha256.Sum256(raw)}
	m.body = &body{raw: raw}
	scope, scopeID, titled := "", "", false
	var keys jsonedit.Keys
	var links Links
	parse(raw).ForEach(func(key, v gjson.Result) bool {
		keys.Add(key)
		switch key.Str {
		case "id":
			m.ID = v.Str
		case "type":
			m.Type = v.Str
		case "subtype":
			m.Subtype = v.Str
		case "created_by":
			m.CreatedBy = v.Str
		case "created_at":
			m.CreatedAt = parseTime(v.Str)
		case "updated_at":
			m.UpdatedAt = parseTime(v.Str)
		case "last_accessed":
			m.LastAccessed = parseTime(v.Str)
		case "scope":
			scope = strings.ToLower(strings.TrimSpace(v.Str))
		case "scope_id":
			scopeID = v.Str
		case "tags":
			m.Tags = list(v)
		case "priority":
			m.Priority = strings.ToLower(strings.TrimSpace(v.Str))
		case "ttl":
			m.TTL = v.Str
		case "title":
			if !titled { // of several the first counts, as everywhere
				m.body.title, titled = v.Str, true
			}
		case "content":
			m.body.content = v
		case "confidence":
			m.Confidence = number(v)
		case "importance":
			m.Importance = number(v)
		case "access_count":
			m.AccessCount = max(v.Int(), 0)
		case "supersedes":
			links.Supersedes = list(v)
		case "superseded_by":
			links.SupersededBy = list(v)
		case "promoted_to":
			links.PromotedTo = list(v)
		case "promoted_from":
			links.PromotedFrom = list(v)
		case "consolidation_consent":
			m.Consent = v.Type == gjson.True
		case "protected":
			m.Protected = v.Type == gjson.True
		}
		return true
	})
	if links.Supersedes != nil || links.SupersededBy != nil || links.PromotedTo != nil || links.PromotedFrom != nil {
		m.Links = &links
	}
	if dup := keys.Repeated(); len(dup) > 0 {
		m.Locked = "repeated key " + strings.Join(dup, ", ")
	} else if dup := repeatedKeys(m.body.content); len(dup) > 0 {
		m.Locked = "repeated key in content: " + strings.Join(dup, ", ")
	}
	m.Scope = scopeOf(ref.File)
	switch scope {
	case "global":
		m.Scope = Global
	case "team", "agent", "project", "session":
		// Where the record names no owner, its place does, if it is of that kind.
		if scopeID == "" && m.Scope.Kind == scope {
			scopeID = m.Scope.ID
		}
		m.Scope = Scope{Kind: scope, ID: scopeID}
	}
	return m
}

// repeatedKeys is [jsonedit.DuplicateKeys] of a value that was found already.
func repeatedKeys(v gjson.Result) []string {
	if !v.IsObject() {
		return nil
	}
	var keys jsonedit.Keys
	v.ForEach(func(key, _ gjson.Result) bool {
		keys.Add(key)
		return true
	})
	return keys.Repeated()
}

// parse views bytes as JSON without copying them; they are never written to.
func parse(raw []byte) gjson.Result { return gjson.Parse(viewString(raw)) }

// list reads an array of strings; a lone string is an array of one. Empty
// strings and everything else are left out.
func list(v gjson.Result) []string {
	if v.Type == gjson.String {
		if strings.TrimSpace(v.Str) == "" {
			return nil
		}
		return []string{v.Str}
	}
	if !v.IsArray() {
		return nil
	}
	var out []string
	v.ForEach(func(_, e gjson.Result) bool {
		if e.Type == gjson.String && strings.TrimSpace(e.Str) != "" {
			out = append(out, e.Str)
		}
		return true
	})
	return out
}

func number(v gjson.Result) *float64 {
	if v.Type != gjson.Number {
		return nil
	}
	n := v.Num // a pointer into v would keep the whole document
	return &n
}

// parseTime reads RFC 3339; tolerated besides: no zone (UTC), a blank for the T,
// a bare date. Anything else is the zero time, and so is what in UTC lies outside
// the years 0 to 9999, which nobody could write again.
func parseTime(text string) time.Time {
	if text == "" {
		return time.Time{}
	}
	for _, layout := range [...]string{time.RFC3339Nano, "2006-01-02T15:04:05", "2006-01-02 15:04:05", "2006-01-02T15:04", time.DateOnly} {
		if t, err := time.Parse(layout, text); err == nil && writable(t) {
			_, offset := t.Zone()
			return t.In(zone(offset)) // whatever the zone of this machine is called
		}
	}
	return time.Time{}
}

// zone is the zone of an offset from UTC in seconds.
func zone(offset int) *time.Location {
	if offset == 0 {
		return time.UTC
	}
	if z, ok := zones.Load(offset); ok {
		return z.(*time.Location)
	}
	z, _ := zones.LoadOrStore(offset, time.FixedZone("", offset))
	return z.(*time.Location)
}

// zones by their offsets, of which RFC 3339 has few: they are made once.
var zones sync.Map

// writable reports whether a time can be told, in UTC, by RFC 3339.
func writable(t time.Time) bool { return t.UTC().Year() >= 0 && t.UTC().Year() <= 9999 }
