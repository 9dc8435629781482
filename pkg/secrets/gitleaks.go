package secrets

import (
	"errors"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"

	"github.com/memoryd/memoryd/pkg/internal/lazyregexp"
	"github.com/memoryd/memoryd/pkg/internal/tomledit"
)

// rulesFile is a file of rules in gitleaks' form. What only concerns files and commits is read and left out.
type rulesFile struct {
	Title       string
	Description string
	MinVersion  string
	Extend      struct {
		UseDefault    bool
		DisabledRules []string
		Path, URL     string
	}
	Rules      []ruleTable
	Allowlist  *allowTable
	Allowlists []allowTable
}

type ruleTable struct {
	ID, Description string
	Regex           string
	Path            string
	SecretGroup     *int
	Entropy         float64
	Keywords        []string
	Tags            []string
	Allowlist       *allowTable
	Allowlists      []allowTable
}

type allowTable struct {
	ID, Description string
	Condition       string
	RegexTarget     string
	Regexes         []string
	StopWords       []string
	Paths, Commits  []string
	TargetRules     []string
}

// Parse returns the rules of a file in the TOML form of gitleaks, in front of those that s has: [[rules]] with id,
// description, regex (RE2), secretGroup, entropy, keywords and allowlists; [[allowlists]] for all of them; [extend] with
// disabledRules, which switches rules of s off. name stands in errors, of which there is one for each thing that is wrong.
//
// A memory is neither a file nor a commit: rules that are only for certain paths are left out, and allowlists of paths or
// commits allow nothing.
func (s *Rules) Parse(name string, text []byte) (*Rules, error) {
	if len(text) > 1<<20 {
		return nil, fmt.Errorf("%s: too large for a file of rules: 1 MiB at most", name)
	}
	var f rulesFile
	var problems []error
	problem := func(format string, args ...any) {
		problems = append(problems, fmt.Errorf("%s: %s", name, fmt.Sprintf(format, args...)))
	}
	err := tomledit.DecodeStrict(text, &f)
	if unknown, ok := errors.AsType[tomledit.UnknownKeys](err); ok {
		for _, u := range unknown {
			problems = append(problems, fmt.Errorf("%s:%d: %s is unknown here", name, u.Line, u.Key))
		}
	} else if malformed, ok := errors.AsType[*tomledit.SyntaxError](err); ok {
		return nil, malformed.Of(name)
	} else if err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	if f.Extend.Path != "" || f.Extend.URL != "" {
		problem("extend: only disabledRules is read: put the rules of the other file here")
	}
	out := &Rules{builtin: s.builtin, without: maps.Clone(s.without), allowed: slices.Clone(s.allowed)}
	if out.without == nil {
		out.without = map[string]bool{}
	}
	for _, id := range f.Extend.DisabledRules {
		out.without[id] = true
	}
	ids := map[string]bool{}
	for i, t := range f.Rules {
		label := fmt.Sprintf("rule %d", i+1)
		if t.ID != "" {
			label = fmt.Sprintf("rule %q", t.ID)
		}
		switch {
		case t.ID == "":
			problem("%s has no id", label)
		case ids[t.ID]:
			problem("%s stands twice", label)
		}
		ids[t.ID] = true
		r, err := t.compile()
		if err != nil {
			problem("%s: %v", label, err)
		}
		if err == nil && t.Path == "" {
			delete(out.without, t.ID)
			out.own = append(out.own, r)
		}
	}
	for _, r := range s.own {
		if !ids[r.id] && !out.without[r.id] {
			out.own = append(out.own, r)
		}
	}
	all := f.Allowlists
	if f.Allowlist != nil {
		all = append(all, *f.Allowlist)
	}
	for i := range all {
		a, err := all[i].compile()
		if err != nil {
			problem("allowlist %d: %v", i+1, err)
		}
		a.rules = all[i].TargetRules
		out.allowed = append(out.allowed, a)
	}
	if len(problems) > 0 {
		return nil, errors.Join(problems...)
	}
	return out, nil
}

func (t *ruleTable) compile() (rule, error) {
	r := rule{id: t.ID, what: t.Description, entropy: t.Entropy, group: -1, folded: true}
	if r.what == "" {
		r.what = "secret by the rule " + t.ID
	}
	if t.Regex == "" && t.Path == "" {
		return r, errors.New("has no regex")
	}
	expression, err := regexp.Compile(t.Regex)
	if err != nil {
		return r, fmt.Errorf("regex: %w", err)
	}
	r.pattern = lazyregexp.Of(expression)
	if t.SecretGroup != nil && *t.SecretGroup != 0 {
		if r.group = *t.SecretGroup; r.group < 0 || r.group > expression.NumSubexp() {
			return r, fmt.Errorf("secretGroup is %d, and regex has %d groups", r.group, expression.NumSubexp())
		}
	}
	if t.Entropy < 0 || t.Entropy > 8 {
		return r, fmt.Errorf("entropy is %v: write bits per character, from 0 to 8", t.Entropy)
	}
	for _, k := range t.Keywords {
		r.keywords = append(r.keywords, strings.ToLower(k))
	}
	tables := t.Allowlists
	if t.Allowlist != nil {
		tables = append(tables, *t.Allowlist)
	}
	for i := range tables {
		a, err := tables[i].compile()
		if err != nil {
			return r, fmt.Errorf("allowlist %d: %w", i+1, err)
		}
		r.allowed = append(r.allowed, a)
	}
	return r, nil
}

func (t *allowTable) compile() (a allowlist, err error) {
	switch t.Condition {
	case "", "OR", "or", "||":
	case "AND", "and", "&&":
		a.all = true
	default:
		return a, fmt.Errorf("condition is %q: write OR or AND", t.Condition)
	}
	switch t.RegexTarget {
	case "", "secret":
	case "match", "line":
		a.target = t.RegexTarget
	default:
		return a, fmt.Errorf("regexTarget is %q: write secret, match or line", t.RegexTarget)
	}
	for _, text := range t.Regexes {
		p, err := regexp.Compile(text)
		if err != nil {
			return a, fmt.Errorf("regex: %w", err)
		}
		a.patterns = append(a.patterns, p)
	}
	for _, w := range t.StopWords {
		a.stopWords = append(a.stopWords, strings.ToLower(w))
	}
	a.elsewhere = len(t.Paths)+len(t.Commits) > 0
	return a, nil
}
