package config

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestPrecedence(t *testing.T) {
	origin := func(c *Config, key string) string {
		for _, v := range c.Values() {
			if v.Key == key {
				return v.Value + " " + v.Origin
			}
		}
		return "missing"
	}
	c := mustParse(t, "[archive]\nidle_after = \"30d\"\n")
	for _, step := range []struct{ key, text, origin, unread, idle string }{
		{"preset", "careful", "flag --preset", "90d preset careful", "30d memory.toml:2"},
		{"archive.unread_after", "P1M", "environment MEMORY_ARCHIVE_UNREAD_AFTER", "P1M environment MEMORY_ARCHIVE_UNREAD_AFTER", "30d memory.toml:2"},
		{"archive.idle_after", "60d", "flag --idle", "P1M environment MEMORY_ARCHIVE_UNREAD_AFTER", "60d flag --idle"},
		{"preset", "seed", "flag", "P1M environment MEMORY_ARCHIVE_UNREAD_AFTER", "60d flag --idle"},
	} {
		if err := c.Override(step.key, step.text, step.origin); err != nil {
			t.Fatal(err)
		}
		if got := origin(c, "archive.unread_after"); got != step.unread {
			t.Errorf("after %s=%s unread_after is %s, want %s", step.key, step.text, got, step.unread)
		}
		if got := origin(c, "archive.idle_after"); got != step.idle {
			t.Errorf("after %s=%s idle_after is %s, want %s", step.key, step.text, got, step.idle)
		}
	}
}

func TestOverrideErrors(t *testing.T) {
	c := mustParse(t, everyKey)
	before := c.Values()
	for _, tt := range []struct{ key, text, want string }{
		{"run.limit", "fifty", `flag: run.limit is "fifty": write a whole number from 1 to 100000, without quotes`},
		{"run.limit", "", `flag: run.limit is "": write a whole number from 1 to 100000, without quotes`},
		{"run.limit", "1e2", `flag: run.limit is 100: write a whole number from 1 to 100000, without quotes`},
		{"run.limt", "5", `flag: run.limt is unknown: did you mean limit?`},
		{"limit", "5", `flag: limit is unknown: did you mean run.limit?`},
		{"", "5", `flag:  is unknown: preset and the sections stand at the top`},
		{"summarize.min_age", "7", `flag: summarise.min_age is "7": write "7d" for days`},
		{"teams.DEV-001", "../x", `flag: "../x" is not a team: write a name without / \ : and without a dot or blank at its ends`},
		{"teams.[", "x", `flag: "[" is not a pattern of agents: write * for any characters, ? for one`},
		{"triggers.threshold", "maybe", `flag: triggers.threshold is "maybe": write true or false, without quotes`},
	} {
		if err := c.Override(tt.key, tt.text, "flag"); err == nil || err.Error() != tt.want {
			t.Errorf("%s=%s:\n got %v\nwant %s", tt.key, tt.text, err, tt.want)
		}
	}
	if diff := cmp.Diff(before, c.Values()); diff != "" {
		t.Errorf("a refused override changed settings:\n%s", diff)
	}
}

func TestEnviron(t *testing.T) {
	c := mustParse(t, "")
	if err := c.Environ([]string{
		"MEMORY_RUN_LIMIT=20", "MEMORY_EXCLUDE_TAGS=keep, hands off", "MEMORY_SUMMARIZE_KEY_TERMS=0.9",
		"MEMORY_TRIGGERS_WEEKLY=off", "MEMORY_TRIGGERS_THRESHOLD=1", "MEMORY_PRESET=careful",
		"MEMORY_RUN_PAUSE=", "MEMORY_WORKSPACE=x", "MEMORY_AT=y", "MEMORY_TEAMS_DEV=z", "MEMORY_RUN", "PATH=/bin", "=",
	}); err != nil {
		t.Fatal(err)
	}
	want := Default()
	want.Preset, want.Archive.UnreadAfter, want.Archive.CountFrom = "careful", mustDuration(t, "90d"), CountFromUse
	want.Run.Limit, want.Exclude.Tags, want.Summarise.KeyTerms = 20, []string{"keep", "hands off"}, 0.9
	want.Triggers.Weekly, want.Triggers.Threshold = "", true
	equal(t, c.Settings, want)
	if v := c.Values()[0]; v.Key != "preset" || v.Value != "careful" || v.Origin != "environment MEMORY_PRESET" || v.Doc == "" {
		t.Errorf("%+v", v)
	}

	err := c.Environ([]string{"MEMORY_RUN_LIMT=5", "MEMORY_MERGE_TAG_OVERLAP=80", "MEMORY_RUN_LIMIT=5"})
	problems := `environment MEMORY_MERGE_TAG_OVERLAP: merge.tag_overlap is 80: write a number from 0 to 1; 80 percent is 0.8
environment MEMORY_RUN_LIMT: run.limt is unknown: did you mean limit?`
	if err == nil || err.Error() != problems {
		t.Errorf("got\n%v\nwant\n%s", err, problems)
	}
	equal(t, c.Settings, want)
}

// The settings of a workspace without a file of them can be overridden like any others.
func TestOverrideDefaults(t *testing.T) {
	c := &Config{Settings: Default()}
	if err := c.Environ([]string{"MEMORY_RUN_LIMIT=20"}); err != nil || c.Run.Limit != 20 {
		t.Errorf("the limit is %d, %v", c.Run.Limit, err)
	}
	c = &Config{Settings: Default()}
	if err := c.Override("run.limit", "10", "flag --max"); err != nil || c.Run.Limit != 10 {
		t.Errorf("the limit is %d, %v", c.Run.Limit, err)
	}
}

// Every setting has a variable of its own.
func TestEveryVariable(t *testing.T) {
	c, all := mustParse(t, ""), mustParse(t, everyKey)
	var environ []string
	for _, v := range all.Values() {
		if !strings.HasPrefix(v.Key, "teams.") && !strings.HasPrefix(v.Key, "schedules.") {
			environ = append(environ, "MEMORY_"+strings.ToUpper(strings.ReplaceAll(v.Key, ".", "_"))+"="+v.Value)
		}
	}
	if err := c.Environ(environ); err != nil {
		t.Fatal(err)
	}
	want := all.Settings
	want.Teams, want.Schedules = map[string]string{}, map[string]Schedule{}
	equal(t, c.Settings, want)
}
