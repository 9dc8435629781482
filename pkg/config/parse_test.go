package config

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestParseErrors(t *testing.T) {
	for _, tt := range []struct{ name, text, want string }{
		{"everything at once", `
[archive]
idle_afer = "9d"
unread_after = 7
[run]
pause = 100
limit = "fifty"
[merge]
tag_overlap = 80
`, `memory.toml:3: archive.idle_afer is unknown: did you mean idle_after?
memory.toml:4: archive.unread_after is 7: a duration has quotes and a unit: write "7d"
memory.toml:6: run.pause is 100: a duration has quotes and a unit: write "100ms"
memory.toml:7: run.limit is "fifty": write a whole number from 1 to 100000, without quotes
memory.toml:9: merge.tag_overlap is 80: write a number from 0 to 1; 80 percent is 0.8`},

		{"unknown keys", `
limit = 20
presett = "careful"
foo = 3
[merge]
foo = 1
min_age = "7d"
preset = "careful"
[archve]
x = 1
[not.known]
x = 1
`, `memory.toml:2: limit is unknown: did you mean run.limit?
memory.toml:3: presett is unknown: did you mean preset?
memory.toml:4: foo is unknown: preset and the sections stand at the top
memory.toml:6: merge.foo is unknown: [merge] has enabled, tag_overlap, content_similarity, max_variants, variant_length and differences
memory.toml:7: merge.min_age is unknown: did you mean exclude.min_age or summarise.min_age?
memory.toml:8: merge.preset is unknown: preset stands at the top of the file, before the first section
memory.toml:9: [archve] is unknown: did you mean [archive]?
memory.toml:11: [not] is unknown: the sections are [exclude], [merge], [supersede], [summarise], [promote], [archive], [expired], [working], [layers], [retention], [cluster], [context], [consolidate], [run], [history], [files], [workspace], [sync], [triggers], [watch], [serve], [remember], [secrets], [model], [deep], [embed], [schedules], [teams]`},

		{"sections that are none", "merge = 3\narchive = \"90d\"\nteams = []\n[[run]]\nlimit = 1\n",
			`memory.toml:1: merge is 3: write it as a section, [merge]
memory.toml:2: archive is "90d": write it as a section, [archive]
memory.toml:3: teams is a list: write it as a section, [teams]
memory.toml:4: run is a list: write it as a section, [run]`},

		{"types", `
preset = true
[exclude]
tags = "permanent"
consent_user = "yes"
min_age = 2026-01-01
[run.limit]
x = 1
[promote]
team_access = 5.0
global_access = 0
[working]
min_importance = nan
min_access = -1
`, `memory.toml:2: preset is true: write seed, careful or subcog
memory.toml:4: exclude.tags is "permanent": write a list of words such as ["permanent", "protected"]
memory.toml:5: exclude.consent_user is "yes": write true or false, without quotes
memory.toml:6: exclude.min_age is a date: write a duration such as "7d", "2w", "12h", "90m", "30s", "100ms", or "P1M" for a calendar month
memory.toml:7: run.limit is a table: write a whole number from 1 to 100000, without quotes
memory.toml:10: promote.team_access is 5: write a whole number from 1 to 1000000000, without quotes
memory.toml:11: promote.global_access is 0: write a whole number from 1 to 1000000000, without quotes
memory.toml:13: working.min_importance is NaN: write a number from 0 to 1, such as 0.8, without quotes
memory.toml:14: working.min_access is -1: write a whole number from 0 to 1000000000, without quotes`},

		{"values", `
preset = "Careful"
[exclude]
tags = ["permanent", ""]
min_age = "7D"
[merge]
differences = "review"
content_similarity = 1.01
[run]
pause = "2m"
[archive]
unread_after = "a week"
idle_after = "200000d"
[triggers]
index_overflow_repeat = "0s"
weekly = "0 0 * * 7"
interval = "5s"
quiet_time = "3"
timezone = "Europe/Berlyn"
session_idle = "30s"
`, `memory.toml:2: preset is "Careful": write seed, careful or subcog
memory.toml:4: exclude.tags is a list: write a list of words such as ["permanent", "protected"]
memory.toml:5: exclude.min_age is "7D": write "7d"
memory.toml:7: merge.differences is "review": write ask or latest-wins
memory.toml:8: merge.content_similarity is 1.01: write a number from 0 to 1, such as 0.8, without quotes
memory.toml:10: run.pause is "2m": write a duration from 0s to 1m
memory.toml:12: archive.unread_after is "a week": write a duration such as "7d", "2w", "12h", "90m", "30s", "100ms", or "P1M" for a calendar month
memory.toml:13: archive.idle_after is "200000d": a duration is at most 100 years
memory.toml:15: triggers.index_overflow_repeat is "0s": write a duration from 1m to 100 years
memory.toml:16: triggers.weekly is "0 0 * * 7": the day of the week "7" is not understood: write *, numbers from 0 to 6, where Sunday is 0, ranges such as 1-5 or steps such as */2
memory.toml:17: triggers.interval is "5s": write a cron expression such as "0 2 * * *", days with a time such as "daily 02:00" or "mon-fri 18:30", or a duration of a minute or more such as "5m", or "" for never
memory.toml:18: triggers.quiet_time is "3": write "3s" for seconds
memory.toml:19: triggers.timezone is "Europe/Berlyn": write a name of the time zone database such as "Europe/Berlin", "UTC", or "local" for the machine's
memory.toml:20: triggers.session_idle is "30s": write a duration from 1m to 100 years`},

		{"addresses", "watch.metrics = \"0.0.0.0:9464\"\n", `memory.toml:1: watch.metrics is "0.0.0.0:9464": other machines could reach it: write "127.0.0.1" or "localhost" before the port`},
		{"addresses without a port", "watch.metrics = \"127.0.0.1\"\n", `memory.toml:1: watch.metrics is "127.0.0.1": write an address with a port such as "127.0.0.1:9464", or "" for none`},
		{"addresses of names", "watch.metrics = \"localhost.example:1\"\n", `memory.toml:1: watch.metrics is "localhost.example:1": other machines could reach it: write "127.0.0.1" or "localhost" before the port`},
		{"ports", "watch.metrics = \"[::1]:99999\"\n", `memory.toml:1: watch.metrics is "[::1]:99999": write an address with a port such as "127.0.0.1:9464", or "" for none`},

		{"schedules", `
[schedules]
nightly = "2 o'clock"
a = "sun 25:00"
b = "someday 02:00"
c = 5
d = "30s"
e = { all = true }
f = { when = "5m", every = "1d" }
g = { when = "5m", all = "yes" }
h = { when = "5m", scope = "agent" }
i = "0 0 31 2 *"
j = "TZ=UTC 0 0 * * *"
" k" = "5m"
[schedules.l]
when = "5m"
scope = ""
`, `memory.toml:3: schedules.nightly is "2 o'clock": write a cron expression such as "0 2 * * *", days with a time such as "daily 02:00" or "mon-fri 18:30", or a duration of a minute or more such as "5m"
memory.toml:4: schedules.a is "sun 25:00": the time of day "25:00" is not understood: write it from 00:00 to 23:59
memory.toml:5: schedules.b is "someday 02:00": the days "someday" are not understood: write daily, days such as sun or mon,thu, or a range such as mon-fri
memory.toml:6: schedules.c is 5: write a cron expression such as "0 2 * * *", days with a time such as "daily 02:00" or "mon-fri 18:30", or a duration of a minute or more such as "5m"
memory.toml:7: schedules.d is "30s": write a cron expression such as "0 2 * * *", days with a time such as "daily 02:00" or "mon-fri 18:30", or a duration of a minute or more such as "5m"
memory.toml:8: schedules.e doesn't say when: write when = a cron expression such as "0 2 * * *", days with a time such as "daily 02:00" or "mon-fri 18:30", or a duration of a minute or more such as "5m"
memory.toml:9: schedules.f.every is unknown: a schedule has when, all and scope
memory.toml:10: schedules.g.all is "yes": write true or false, without quotes
memory.toml:11: schedules.h.scope is "agent": write "global", or a kind with a name such as "agent:DEV-001", "team:qa" or "project:web"
memory.toml:12: schedules.i is "0 0 31 2 *": no month named has such a day, so it would never run
memory.toml:13: schedules.j is "TZ=UTC 0 0 * * *": write a cron expression such as "0 2 * * *", days with a time such as "daily 02:00" or "mon-fri 18:30", or a duration of a minute or more such as "5m"
memory.toml:14: " k" is not a schedule name: write one of up to 64 characters, without a blank at its ends
memory.toml:17: schedules.l.scope is "": write "global", or a kind with a name such as "agent:DEV-001", "team:qa" or "project:web"`},

		{"models", `
[model]
enabled = true
run_cost = -1
api_key = "sk-abc"
scopes = { "agents" = "remote", "agent:*" = "far" }
nothing = 3
[model.openai]
key = "sk-abc"
[model.a]
model = "m"
[model.b]
base_url = "http://x/v1?key=sk-abc"
[model.ollama]
kind = "gpt"
[model.lmstudio]
key_env = "sk-abc"
[model.anthropic]
colour = 1
[model.prices]
"m" = { in = -1 }
`, `memory.toml:4: model.run_cost is -1: write a number of 0 or more, such as 0.5, without quotes
memory.toml:5: model.api_key: a key doesn't belong into a file that others may read: put it into an environment variable, and the name of that into key_env
memory.toml:6: model.scopes."agent:*" is "far": write local, remote or never
memory.toml:7: model.nothing is unknown: [model] has enabled, allow_remote, chain, timeout, load_timeout, context, max_output, run_tokens, day_tokens, run_cost, day_cost and exclude_tags
memory.toml:9: model.openai.key: a key doesn't belong into a file that others may read: put it into an environment variable, and the name of that into key_env
memory.toml:10: model.a has no base_url: write the server's address, such as "http://localhost:8080/v1"
memory.toml:13: model.b.base_url can't be used: write an address without a key in it, such as "http://localhost:1234/v1"
memory.toml:15: model.ollama.kind is "gpt": write openai, compatible, anthropic or ollama
memory.toml:17: model.lmstudio.key_env can't be used: write the name of an environment variable in capitals, such as "OPENAI_API_KEY", and put the key into that
memory.toml:19: model.anthropic.colour is unknown: a server has kind, base_url, model, key_env, local and context
memory.toml:21: model.prices."m".in is -1: write a number of 0 or more, such as 0.5, without quotes`},

		{"teams", `
[teams]
DEV = "development"
dev = "qa"
x = 3
y = ["DEV-001", 3]
"[" = "a"
a = "b*"
b = "../x"
"" = "c"
`, `memory.toml:4: "dev" is in two teams, "development" (line 3) and "qa": remove one
memory.toml:5: teams.x is 3: write "DEV-001" = "development", "DEV-*" = "development" or development = ["DEV-001", "DEV-*"]
memory.toml:6: teams.y lists 3: write agents, such as y = ["DEV-001", "DEV-*"]
memory.toml:7: "[" is not a pattern of agents: write * for any characters, ? for one
memory.toml:8: "b*" is not a team: write "a" = ["b*"]
memory.toml:9: "../x" is not a team: write a name without / \ : and without a dot or blank at its ends
memory.toml:10: an entry of [teams] names no agent: write "DEV-001" = "development", "DEV-*" = "development" or development = ["DEV-001", "DEV-*"]`},

		{"no file", "[secrets]\nrules = 3\n", `memory.toml:2: secrets.rules is 3: write the name of a file in the workspace, such as "secrets.toml", or "" for none`},

		{"saving", "[remember]\nmerge_similarity = 95\n[secrets]\nrules = \"../x.toml\"\n", `memory.toml:2: remember.merge_similarity is 95: write a number from 0 to 1; 95 percent is 0.95
memory.toml:4: secrets.rules is "../x.toml": write the name of a file in the workspace, such as "secrets.toml", or "" for none`},

		{"both spellings", "[summarise]\nmin_age = \"1d\"\n[summarize]\nmin_age = \"2d\"\n",
			`memory.toml:4: summarise.min_age is set twice, first in line 2: remove one`},

		// Syntax errors come alone; the decoder words them, the missing quotes are ours.
		{"no quotes", "[archive]\nidle_after = 7d # days\n", `memory.toml:2:15: not valid TOML: text needs quotes: write idle_after = "7d"`},
		{"no quotes, ISO", "[archive]\r\nidle_after = P1M\r\n", `memory.toml:2:14: not valid TOML: text needs quotes: write idle_after = "P1M"`},
		{"no quotes, word", "preset = careful\n", `memory.toml:1:10: not valid TOML: text needs quotes: write preset = "careful"`},
		{"no value", "[run]\nlimit =\n", `memory.toml:2:8: not valid TOML: limit has no value: write one, or remove the line`},
		{"key twice", "[run]\nlimit = 1\nlimit = 2\n", `memory.toml:3:1: not valid TOML: key limit is already defined in line 2: remove one`},
		{"section twice", "[run]\n[run]\n", `memory.toml:2:2: not valid TOML: [run] is in line 1 already: put these settings there, and leave this line out`},
		{"not UTF-8", "# \xff\n", `memory.toml:1:3: not valid TOML: invalid UTF-8 character in comment: save the file as UTF-8`},

		{"too large", strings.Repeat("#\n", 16<<10) + "#", `memory.toml: larger than 32 KiB: shorten it, the teams with patterns such as "DEV-*"`},
		{"too wide", "#\n" + strings.Repeat("a.", 1000) + "a = 1\n", `memory.toml:2: line of more than 2000 bytes: break it where a list has a comma`},
		{"too deep", strings.Repeat("a={\n", 101), `memory.toml: more than 100 inline tables: write sections instead`},
	} {
		t.Run(tt.name, func(t *testing.T) {
			c, err := Parse("memory.toml", []byte(tt.text))
			if err == nil || c != nil {
				t.Fatalf("no error, or a Config with one: %v", err)
			}
			if diff := cmp.Diff(strings.Split(tt.want, "\n"), strings.Split(err.Error(), "\n")); diff != "" {
				t.Errorf("(-want +got)\n%s", diff)
			}
		})
	}
}

// The line of a value is found whatever stands around it.
func TestLines(t *testing.T) {
	c := mustParse(t, "\ufeff# limit = 1\r\n"+`
summarize.min_age = "1d" # in section [summarise]
[ "run" ]
'limit' = 7
pause = """
2s""" # the key's line counts, not the last
[exclude] # tags = ["x"]
tags = [ # [run]
  "run.limit = 5",
  "a",
]
"min_age" = '''7d''' # min_age = "8d"
[triggers]
weekly = """\

   0 0 * * 1"""
quiet_max = "1h"
[teams]
"DEV-*" = "development"
qa = [
  "QA-001",
]
[merge]
`+"tag_overlap=0.9")
	want := map[string]string{
		"summarise.min_age": "1d memory.toml:3", "run.limit": "7 memory.toml:5", "run.pause": "2s memory.toml:6",
		"exclude.tags": `["run.limit = 5", "a"] memory.toml:9`, "exclude.min_age": "7d memory.toml:13",
		"triggers.weekly": "0 0 * * 1 memory.toml:15", "triggers.quiet_max": "1h memory.toml:18",
		"teams.DEV-*": "development memory.toml:20", "teams.QA-001": "qa memory.toml:21",
		"merge.tag_overlap": "0.9 memory.toml:25",
	}
	got := map[string]string{}
	for _, v := range c.Values() {
		if v.Origin != "default" {
			got[v.Key] = v.Value + " " + v.Origin
		}
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}

	inline := mustParse(t, "# one line\nrun = { limit = 7, pause = \"1s\" }\n")
	if inline.Run.Limit != 7 || inline.set["run.pause"].origin != "memory.toml:2" {
		t.Errorf("%+v, %+v", inline.Run, inline.set)
	}
}

func FuzzParse(f *testing.F) {
	f.Add([]byte(everyKey))
	f.Add(Template("seed"))
	f.Add(Template("careful"))
	f.Add([]byte("\ufeff[summarize]\nmin_age = \"P1M\"\n[teams]\n\"D*\" = \"a\"\nb = [\"x\", 'y']\n"))
	f.Add([]byte("run.limit = 0\n[[merge]]\n[a.b.c.d]\n'' = nan\n\"\\n\" = 2026-01-01\n"))
	f.Add([]byte("[run]\nlimit = {a = [1, {b = 2}]}\npause = \"\"\"\n1s\"\"\"\n"))
	f.Add([]byte("[archive]\nidle_after = 7d\n"))
	place := regexp.MustCompile(`^memory\.toml:([0-9]+)(?::([0-9]+))?: .`)
	f.Fuzz(func(t *testing.T, text []byte) {
		c, err := Parse("memory.toml", text)
		if err != nil {
			lines := 1 + bytes.Count(text, []byte("\n"))
			for message := range strings.SplitSeq(err.Error(), "\n") {
				m := place.FindStringSubmatch(message)
				if m == nil {
					if strings.HasPrefix(message, "memory.toml: larger") || strings.HasPrefix(message, "memory.toml: more") {
						return
					}
					t.Fatalf("no place: %q", message)
				}
				if n, err := strconv.Atoi(m[1]); err != nil || n < 1 || n > lines {
					t.Fatalf("%d lines, but %q", lines, message)
				}
			}
			return
		}
		again := mustParse(t, "")
		for _, v := range c.Values() {
			if err := again.Override(v.Key, v.Value, v.Origin); err != nil {
				t.Fatalf("%+v: %v", v, err)
			}
		}
		equal(t, again.Settings, c.Settings)
	})
}

// sectionTablesInForce are the examples of [model] without their comments.
func sectionTablesInForce(value *regexp.Regexp) string {
	return value.ReplaceAllString(sectionTables("model"), "$1")
}

func TestTemplate(t *testing.T) {
	for _, preset := range Presets() {
		text := Template(preset)
		got := mustParse(t, string(text))
		want := mustParse(t, fmt.Sprintf("preset = %q", preset))
		equal(t, got.Settings, want.Settings)

		inForce := []string{"preset"}
		for key := range presets[preset] {
			inForce = append(inForce, key)
		}
		for _, v := range got.Values() {
			if isSet := strings.HasPrefix(v.Origin, "memory.toml:"); isSet != slices.Contains(inForce, v.Key) {
				t.Errorf("%s: %s comes from %s", preset, v.Key, v.Origin)
			}
		}

		// With every value in force the settings are the same, and all are there.
		value := regexp.MustCompile(`(?m)^# ([a-z_]+ = |\[[a-z]+\]$)`)
		full := value.ReplaceAllString(string(text), "$1")
		uncommented, teams, ok := strings.Cut(full, "[teams]")
		if !ok {
			t.Fatal("no section [teams]")
		}
		if all := mustParse(t, full); all.Model.Servers["openai"].KeyEnv != "OPENAI_API_KEY" || all.Model.Scopes["project:*"] != "remote" || len(all.Model.Prices) != 1 {
			t.Errorf("%s: the examples of models say %+v", preset, all.Model)
		}
		all := mustParse(t, strings.ReplaceAll(uncommented, sectionTablesInForce(value), ""))
		equal(t, all.Settings, want.Settings)
		for _, v := range all.Values() {
			if !strings.HasPrefix(v.Origin, "memory.toml:") {
				t.Errorf("%s: the template has no value for %s", preset, v.Key)
			}
		}

		example := regexp.MustCompile(`(?m)^# (.* = |\[schedules\])`).ReplaceAllString("[teams]"+teams, "$1")
		if got := mustParse(t, example); len(got.Teams) != 5 || len(got.Schedules) != 5 {
			t.Errorf("%s: the examples of teams and schedules read as %v and %v", preset, got.Teams, got.Schedules)
		}
	}
	if text := Template("reckless"); text != nil {
		t.Errorf("a template for an unknown preset:\n%s", text)
	}
}

// What README shows can be put at the end of the file that "memory init" writes, and each block of settings in the documents is one by
// itself. A section that is there already is named with its line.
func TestDocumentedBlocks(t *testing.T) {
	blocks := regexp.MustCompile("(?s)```toml\n(.*?)```")
	documents, err := filepath.Glob("../../docs/*.md")
	if err != nil {
		t.Fatal(err)
	}
	seen := 0
	for _, name := range append(documents, "../../README.md") {
		text, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		for _, block := range blocks.FindAllStringSubmatch(string(text), -1) {
			seen++
			if _, err := Parse(name, []byte(block[1])); err != nil {
				t.Errorf("%v\n%s", err, block[1])
			}
			if name != "../../README.md" && !strings.HasPrefix(block[1], "[schedules]") {
				continue
			}
			for _, preset := range Presets() {
				if _, err := Parse("memory.toml", append(Template(preset), block[1]...)); err != nil {
					t.Errorf("%s, at the end of what init --preset %s writes: %v\n%s", name, preset, err, block[1])
				}
			}
		}
	}
	if seen < 5 {
		t.Errorf("%d blocks of settings are found", seen)
	}
	text := string(Template("seed"))
	line := strings.Count(text[:strings.Index(text, "\n[run]\n")], "\n") + 2
	_, err = Parse("memory.toml", []byte(text+"[run]\nlimit = 3\n"))
	if want := fmt.Sprintf("[run] is in line %d already", line); err == nil || !strings.Contains(err.Error(), want) {
		t.Errorf("%v, want %q", err, want)
	}
}
