package secrets

import (
	"cmp"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// Finding is a secret in a text. It never holds the secret itself, so that it may be printed and logged.
type Finding struct {
	Rule  string `json:"rule" jsonschema:"id of the rule, such as 'github-token'"`
	What  string `json:"what" jsonschema:"the same for people, such as 'GitHub access token'"`
	Field string `json:"field,omitempty" jsonschema:"of a record: where the text stands, such as 'content.details'"`
	Line  int    `json:"line" jsonschema:"in the text, from 1"`
	Start int    `json:"start" jsonschema:"of the secret in the text, in bytes"`
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

// Default are the rules of this package.
func Default() *Rules { return &Rules{builtin: true} }

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

// united sorts findings and joins those that overlap into one that covers them all.
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

// allowlist takes findings back.
type allowlist struct {
	target    string // what the patterns are held against: "", match, line
	patterns  []*regexp.Regexp
	stopWords []string // in lower case
	all       bool     // every condition must hold, not one
	elsewhere bool     // one of them is about files or commits: here it never does
	rules     []string // only for these; none: for all
}

func (a *allowlist) concerns(rule string) bool {
	return len(a.rules) == 0 || slices.Contains(a.rules, rule)
}

// allows reports whether the secret at start to end of a text, in a match at from to to, is none.
func (a *allowlist) allows(text string, start, end, from, to int) bool {
	subject := text[start:end]
	switch a.target {
	case "match":
		subject = text[from:to]
	case "line":
		line := strings.LastIndexByte(text[:from], '\n') + 1
		n := strings.IndexByte(text[to:], '\n')
		if n < 0 {
			n = len(text) - to
		}
		subject = text[line : to+n]
	}
	secret := strings.ToLower(text[start:end])
	pattern := slices.ContainsFunc(a.patterns, func(p *regexp.Regexp) bool { return p.MatchString(subject) })
	stop := slices.ContainsFunc(a.stopWords, func(w string) bool { return strings.Contains(secret, w) })
	if !a.all {
		return pattern || stop
	}
	return !a.elsewhere && (pattern || len(a.patterns) == 0) && (stop || len(a.stopWords) == 0)
}

// Redact returns the text with each secret replaced by its kind, "[redacted: github-token]", and what was found. In the
// result nothing is found any more, unless a rule of a file takes the replacement itself for a secret.
func (s *Rules) Redact(text string) (string, []Finding) {
	raws := s.find(text, "")
	if len(raws) == 0 {
		return text, nil
	}
	return redacted(text, raws), findings(text, raws)
}

func redacted(text string, raws []raw) string {
	var b strings.Builder
	at := 0
	for _, r := range raws {
		b.WriteString(text[at:r.start])
		b.WriteString(replacement(r.id))
		at = r.end
	}
	b.WriteString(text[at:])
	return b.String()
}

func replacement(rule string) string { return "[redacted: " + rule + "]" }
