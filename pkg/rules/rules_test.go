package rules

import (
	"bytes"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/memoryd/memoryd/pkg/config"
)

// A rule says of itself what the rest of the program has to know. Without moments a forecast would be silently wrong.
func TestRulesAreWhole(t *testing.T) {
	set := config.Default()
	sections := map[string]bool{}
	for _, v := range (&config.Config{Settings: set}).Values() {
		section, name, _ := strings.Cut(v.Key, ".")
		sections[section] = sections[section] || name == "enabled"
	}
	for i, r := range order {
		switch cases, _ := filepath.Glob("testdata/" + r.name + "*.txtar"); {
		case slices.IndexFunc(order, func(o *rule) bool { return o.name == r.name }) != i:
			t.Errorf("two rules are called %q", r.name)
		case r.does == "" || strings.HasSuffix(r.does, "."):
			t.Errorf("%s: does is %q, want what the rule does, without a full stop", r.name, r.does)
		case r.moments == nil:
			t.Errorf("%s has no moments: list the times at which it begins to act, or say untimed", r.name)
		case len(r.asks) == 0 && r.pairs == nil:
			t.Errorf("%s asks nothing of a memory: memory explain can't say why it acts", r.name)
		case r.propose == nil:
			t.Errorf("%s proposes nothing", r.name)
		case !sections[r.name]:
			t.Errorf("%s: there is no setting %s.enabled", r.name, r.name)
		case len(cases) == 0 && r.name != RuleWorking: // whose cases are session_end
			t.Errorf("%s has no case in testdata", r.name)
		}
	}
	if last := slices.DeleteFunc(slices.Clone(order), func(r *rule) bool { return !r.last }); len(last) != 1 {
		t.Errorf("%d rules are the last one, want 1", len(last))
	}
}

// docs/rules.md says what the rules say of themselves. With -update it is written again.
func TestRulesAreDocumented(t *testing.T) {
	const file, begin, end = "../../docs/rules.md", "<!-- rules -->\n", "<!-- /rules -->\n"
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	head, rest, ok := bytes.Cut(text, []byte(begin))
	_, tail, closed := bytes.Cut(rest, []byte(end))
	if !ok || !closed {
		t.Fatalf("%s has no lines %q and %q", file, begin, end)
	}
	want := slices.Concat(head, []byte(begin), []byte(documented()), []byte(end), tail)
	if bytes.Equal(text, want) {
		return
	}
	if flag.Lookup("update").Value.String() != "true" {
		t.Fatalf("%s is not what the rules say: go test ./pkg/rules -update\n%s", file, documented())
	}
	if err := os.WriteFile(file, want, 0o644); err != nil {
		t.Fatal(err)
	}
}

func documented() string {
	var b strings.Builder
	b.WriteString("| rule | what it does | in which runs | and |\n|---|---|---|---|\n")
	for _, r := range order {
		var also []string
		for _, trait := range []struct {
			has  bool
			says string
		}{
			{r.optIn != nil, "off by default"},
			{r.last, "only if the run has room for all the others"},
			{r.except.archives, "leaves pinned memories alone"},
			{r.except.anyAge, "takes young memories too"},
			{r.except.decisions, "takes semantic decisions too"},
			{r.except.byUse, "waits while the reads can't be read"},
		} {
			if trait.has {
				also = append(also, trait.says)
			}
		}
		runs := map[runs]string{betweenSessions: "all but at the end of a session", atSessionEnd: "at the end of a session", allRuns: "all"}[r.runs]
		fmt.Fprintf(&b, "| `%s` | %s | %s | %s |\n", r.name, r.does, runs, strings.Join(also, "; "))
	}
	return b.String()
}
