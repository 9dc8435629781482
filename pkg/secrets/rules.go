package secrets

import (
	"cmp"
	"slices"
	"strconv"
	"strings"

	"github.com/memoryd/memoryd/pkg/internal/lazyregexp"
)

// Finding is a secret in a text. It never holds the secret itself, so that it may be printed and logged.
type Finding struct {
	Rule  string `json:"rule"`            // id of the rule, such as "github-token"
	What  string `json:"what"`            // the same for people, such as "GitHub access token"
	Field string `json:"field,omitempty"` // of a record: where the text stands, such as "content.details"
	Line  int    `json:"line"`            // in the text, from 1
	Start int    `json:"start"`           // of the secret in the text, in bytes
	End   int    `json:"end"`
	// Preview is the secret as it may be shown: what is public of it, such as "ghp_", and an ellipsis.
	Preview string `json:"preview"`
}

// String says what was found and where, such as "GitHub access token in content.details, line 3 (github-token, ghp_…)".
func (f Finding) String() string {
	where := "line " + strconv.Itoa(f.Line)
	if f.Field != "" {
		where = f.Field
		if f.Line > 1 {
			where += ", line " + strconv.Itoa(f.Line)
		}
	}
	return f.What + " in " + where + " (" + f.Rule + ", " + f.Preview + ")"
}

// Rules tell what is a secret. They are immutable and safe for concurrent use.
type Rules struct {
	own     []rule // of files, before the built-in ones
	builtin bool
	without map[string]bool // built-in rules that a file switches off
	allowed []allowlist     // of files, for every rule
}

// rule is one pattern whose match, or a part of it, is a secret.
type rule struct {
	id, what string
	// One of these must stand in the text, or there is nothing to look for; none: always look.
	keywords []string
	folded   bool                   // the keywords are in lower case and the text may be in any
	also     []string               // as well as one of these, in the case of the text
	likely   func(text string) bool // what else is asked of a text before the pattern, which takes longer; may be nil
	pattern  *lazyregexp.Regexp
	group    int // of the pattern that is the secret; -1: the first that is not empty, 0: all of it
	judged   int // group that accept is given, 0: the secret
	entropy  float64
	// Where the match ends, a longer word of letters and digits may not go on.
	closed  bool
	accept  func(secret string) bool // nil: everything
	allowed []allowlist
}

// Default are the rules of this package.
func Default() *Rules { return &Rules{builtin: true} }

// raw is a finding while others may still cover it.
type raw struct {
	start, end int
	id, what   string
	public     int // bytes at the start that may be shown
	strength   int // of overlapping findings, the one of a vendor's format names the kind
}

const (
	generic = iota
	specific
	custom
)

// Find returns the secrets in a text, in their order. What two rules find in one place is one finding.
func (s *Rules) Find(text string) []Finding { return findings(text, s.find(text, "")) }

func findings(text string, raws []raw) []Finding {
	out := make([]Finding, len(raws))
	line, at := 1, 0
	for i, r := range raws {
		line += strings.Count(text[at:r.start], "\n")
		at = r.start
		out[i] = Finding{Rule: r.id, What: r.what, Line: line, Start: r.start, End: r.end, Preview: text[r.start:r.start+r.public] + "…"}
	}
	return out
}

// find looks for secrets; name is that of the field whose value the text is, "" for none.
func (s *Rules) find(text, name string) []raw {
	var all []raw
	add := func(r raw) {
		if r.start < r.end && !s.without[r.id] && !s.exempt(text, r) {
			all = append(all, r)
		}
	}
	whole := &subject{text: text}
	for i := range s.own {
		s.own[i].each(whole, custom, add)
	}
	if s.builtin {
		builtin(whole, add)
		if plain, escaped := plain(text); escaped {
			builtin(&subject{text: plain}, add)
		}
		if name != "" {
			assigned(name, text, add)
		}
	}
	return united(all)
}

// builtin yields what the rules of this package find.
func builtin(s *subject, yield func(raw)) {
	known := formats()
	for i, begins := range s.begun() {
		if begins {
			known[i].each(s, specific, yield)
		}
	}
	keyBlocks(s.text, yield)
	seedPhrases(s, yield)
	assignments(s.text, yield)
	columns(s.text, yield)
	foreign(s, yield)
	pairs(s, yield)
}

// exempt reports whether an allowlist for every rule takes a finding back.
func (s *Rules) exempt(text string, r raw) bool {
	return slices.ContainsFunc(s.allowed, func(a allowlist) bool {
		return a.concerns(r.id) && a.allows(text, r.start, r.end, r.start, r.end)
	})
}

// each yields what a rule finds in a text.
func (r *rule) each(s *subject, strength int, yield func(raw)) {
	text := s.text
	if len(r.keywords) > 0 && !s.holdsAny(r.keywords, r.folded) || len(r.also) > 0 && !s.holdsAny(r.also, false) || r.likely != nil && !r.likely(text) {
		return
	}
	for _, m := range r.pattern.FindAllStringSubmatchIndex(text, -1) {
		start, end := m[0], m[1]
		switch {
		case r.group > 0:
			start, end = m[2*r.group], m[2*r.group+1]
		case r.group < 0:
			for g := 2; g+1 < len(m); g += 2 {
				if m[g] >= 0 && m[g] < m[g+1] {
					start, end = m[g], m[g+1]
					break
				}
			}
		}
		if start < 0 || start == end {
			continue
		}
		secret := text[start:end]
		judged := secret
		if r.judged > 0 {
			judged = text[m[2*r.judged]:m[2*r.judged+1]]
		}
		switch {
		case r.closed && (start > 0 && wordByte(text[start-1]) || end < len(text) && wordByte(text[end])):
		case r.entropy > 0 && entropy(secret) <= r.entropy:
		case r.accept != nil && !r.accept(judged):
		case slices.ContainsFunc(r.allowed, func(a allowlist) bool { return a.allows(text, start, end, m[0], m[1]) }):
		default:
			yield(raw{start: start, end: end, id: r.id, what: r.what, public: r.public(secret), strength: strength})
		}
	}
}

// public is how much of a secret at its start is in every one of its kind, and no more than a third.
func (r *rule) public(secret string) int {
	most := 0
	for _, k := range r.keywords {
		if len(k) <= len(secret)/3 && strings.EqualFold(secret[:len(k)], k) {
			most = max(most, len(k))
		}
	}
	return most
}

// united sorts findings and makes one of those that overlap: it covers them all.
func united(all []raw) []raw {
	slices.SortStableFunc(all, func(a, b raw) int { return cmp.Or(cmp.Compare(a.start, b.start), cmp.Compare(b.end, a.end)) })
	var out []raw
	for _, r := range all {
		last := len(out) - 1
		if last < 0 || r.start >= out[last].end {
			out = append(out, r)
			continue
		}
		to := &out[last]
		to.end = max(to.end, r.end)
		if r.strength > to.strength {
			to.id, to.what, to.strength = r.id, r.what, r.strength
			if r.start > to.start {
				to.public = 0
			} else {
				to.public = r.public
			}
		}
	}
	return out
}

func wordByte(b byte) bool {
	return b >= 'a' && b <= 'z' || b >= 'A' && b <= 'Z' || b >= '0' && b <= '9' || b == '_'
}
