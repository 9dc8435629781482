package config

import (
	"strings"
	"testing"
)

func TestTeam(t *testing.T) {
	c := mustParse(t, `
[teams]
"DEV-001" = "platform"             # an agent
"DEV-0*" = "development"           # a glob
"DEV-*" = "veterans"               # a shorter one
development = ["alice", "QA-[12]"] # agents of a team
"OPS" = "operations"               # a prefix
"OPS-EU" = "europe"                # a longer one
"LAB-" = "research"
`)
	for agent, want := range map[string]string{
		"DEV-001": "platform", "dev-001": "platform", " DEV-001 ": "platform",
		"DEV-002": "development", "DEV-900": "veterans", "alice": "development", "Alice": "development", "alice-2": "development",
		"QA-1": "development", "QA-3": "", "OPS-7": "operations", "OPS-EU-7": "europe", "OPSX-7": "", "OPS": "operations",
		"LAB-3": "research", "LAB": "", "SEC-001": "", "": "", " ": "", "DEV": "", "x/DEV-001": "",
	} {
		if team, ok := c.Team(agent); team != want || ok != (want != "") {
			t.Errorf("%q is in %q, %v, want %q", agent, team, ok, want)
		}
	}
}

// A Settings made by hand may hold anything.
func TestTeamByHand(t *testing.T) {
	s := Settings{Teams: map[string]string{"[": "a", "": "b", "-": "c", "\\": "d", "dev-1": "x", "DEV-1": "y", "*": "z"}}
	for agent, want := range map[string]string{"dev-1": "y", "[": "a", "-x": "z", "DEV-2": "z"} {
		if team, ok := s.Team(agent); !ok || team != want {
			t.Errorf("%q is in %q, %v, want %q", agent, team, ok, want)
		}
	}
	if team, ok := (Settings{}).Team("DEV-001"); ok {
		t.Error("no teams, but DEV-001 is in", team)
	}
}

func TestPrefixTeam(t *testing.T) {
	for agent, want := range map[string]string{
		"DEV-001": "development", "sec-2": "security", "INF-x-y": "infrastructure", " Qa-1": "qa",
		"DEV": "", "DEVX-1": "", "COORDINATOR": "", "": "", "-1": "",
	} {
		if team, ok := PrefixTeam(agent); team != want || ok != (want != "") {
			t.Errorf("%q is in %q, %v, want %q", agent, team, ok, want)
		}
	}
}

func TestCron(t *testing.T) {
	for _, good := range []string{
		"0 0 * * 0", "*/5 * * * *", "0 2 * * *", "0 9-17/2 1,15 * mon-fri", "5/15 * * * *", "0 0 29 2 *", "0 0 31 * *",
		"0 0 31 2 1", "59 23 31 12 6", "0\t0  * * *", "@daily", "@hourly", "0 0 1 JAN *",
		"0 0 * jan,feb,mar,apr,may,jun,jul,aug,sep,oct,nov,dec sun,mon,tue,wed,thu,fri,sat",
	} {
		if err := checkCron(good); err != nil {
			t.Errorf("%q: %v", good, err)
		}
	}
	for _, bad := range []string{
		"", " ", "0 0 * *", "0 0 * * * *", "60 0 * * *", "0 24 * * *", "0 0 0 * *", "0 0 32 * *", "0 0 * 13 *", "0 0 * * 7",
		"0 0 L * *", "0 0 ? * *", "-1 0 * * *", "5-1 * * * *", "*/0 * * * *", "*/99 * * * *", "*/x * * * *", "1, * * * *", "1- * * * *",
		"0 0 * anf *", "0 0 * jann *", "jan 0 * * *", "0 0 31 2 *", "0 0 30,31 feb *", "0 0 31 4,6,9,11 *", "+1 * * * *", "001 * * * *",
		"@reboot", "@every 5m", "TZ=UTC 0 0 * * *", "CRON_TZ=UTC", "TZ=",
	} {
		if err := checkCron(bad); err == nil {
			t.Errorf("%q was accepted", bad)
		} else if strings.Contains(err.Error(), "\n") {
			t.Errorf("%q: %v", bad, err)
		}
	}
	for interval, want := range map[string]string{"": "", "5m": "@every 5m0s", "P1D": "@every 24h0m0s", "0 2 * * *": "0 2 * * *", "@daily": "@daily"} {
		if got := (Triggers{Interval: interval}).IntervalCron(); got != want {
			t.Errorf("%q becomes %q, want %q", interval, got, want)
		}
	}
}
