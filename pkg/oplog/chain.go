package oplog

import (
	"crypto/sha256"
	"encoding/hex"
	"strings"

	"github.com/tidwall/gjson"

	"github.com/memoryd/memoryd/pkg/internal/jsonedit"
)

// Hash returns the hash of one entry as it stands in the file: the lower-case
// hex SHA-256 of its compact form without its member hash. Where that member
// stands, and how the entry is indented, makes no difference.
//
// rawEntry must be valid JSON; for other bytes the result means nothing.
func Hash(rawEntry []byte) string {
	return sum(withoutHash(jsonedit.Compact(rawEntry)))
}

// withoutHash cuts the members named hash out of a compact object. What is no
// object comes back as it is.
func withoutHash(compact []byte) []byte {
	entry := gjson.ParseBytes(compact)
	if !entry.IsObject() {
		return compact
	}
	out := make([]byte, 0, len(compact))
	entry.ForEach(func(key, value gjson.Result) bool {
		if key.Str == "hash" {
			return true
		}
		if len(out) > 0 {
			out = append(out, ',')
		}
		out = append(out, key.Raw...)
		out = append(out, ':')
		out = append(out, value.Raw...)
		return true
	})
	return append(append([]byte{'{'}, out...), '}')
}

func sum(b []byte) string {
	digest := sha256.Sum256(b)
	return hex.EncodeToString(digest[:])
}

// A stamp is what one entry says about its place in the chain.
type stamp struct {
	entry   string // as it stands in the file
	runID   string
	hash    string // as carried
	hashes  int    // how many members are named hash
	prev    string // as carried
	hasPrev bool
}

// computed is what hash must be.
func (s stamp) computed() string { return Hash([]byte(s.entry)) }

// stampOf reads the stamp of one entry of any kind, also one that is no object.
func stampOf(entry gjson.Result) stamp {
	s := stamp{entry: entry.Raw}
	if !entry.IsObject() {
		return s
	}
	entry.ForEach(func(key, value gjson.Result) bool {
		switch key.Str {
		case "run_id":
			s.runID = strings.Clone(value.Str)
		case "hash":
			s.hash = text(value)
			s.hashes++
		case "prev_hash":
			s.prev, s.hasPrev = text(value), true
		}
		return true
	})
	return s
}

// text is the value of a string, and the literal of anything else: null or 7 is
// a hash that doesn't match, not an absent one. It doesn't share the memory of
// the document.
func text(v gjson.Result) string {
	if v.Type == gjson.String {
		return strings.Clone(v.Str)
	}
	return strings.Clone(v.Raw)
}

// ours tells an entry that memoryd wrote, whole or damaged, from one of another
// tool.
func (s stamp) ours() bool { return s.hashes > 0 || s.hasPrev }

// link is what the next entry must carry as its prev_hash; before is the link
// of the entry before this one.
func (s stamp) link(before string) string {
	switch {
	case s.hashes == 1:
		return s.hash
	case s.ours() || before == "":
		return s.computed()
	default:
		compact := jsonedit.Compact([]byte(s.entry))
		return sum(append([]byte(before+"\n"), compact...))
	}
}

// lastLink returns the link of the last entry, or before if there is none. The link of
// an entry that carries a hash needs none before it, so the walk starts at the
// last such entry.
func lastLink(entries []gjson.Result, before string) string {
	start, link := len(entries), before
	for start > 0 {
		start--
		if stampOf(entries[start]).hashes > 0 {
			break
		}
	}
	for _, entry := range entries[start:] {
		link = stampOf(entry).link(link)
	}
	return link
}
