package config

import (
	"fmt"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"
	"unicode"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/memoryd/memoryd/pkg/internal/tomledit"
)

// equal compares settings; Duration compares with ==.
func equal(t interface {
	Helper()
	Fatalf(string, ...any)
}, got, want Settings) {
	t.Helper()
	if diff := cmp.Diff(want, got, cmp.Comparer(func(a, b Duration) bool { return a == b })); diff != "" {
		t.Fatalf("settings differ (-want +got):\n%s", diff)
	}
}

func mustParse(t *testing.T, text string) *Config {
	t.Helper()
	c, err := Parse("memory.toml", []byte(text))
	if err != nil {
		t.Fatalf("%v\nin\n%s", err, text)
	}
	return c
}

// everyKey sets every setting to something else than its default.
const everyKey = `
preset = "careful"
[exclude]
min_age = "P1M"
tags = ["keep", "hands off, \"please\""]
consent_user = true
[merge]
enabled = false
tag_overlap = 0.5
content_similarity = 1
differences = "latest-wins"
max_variants = 3
variant_length = 0.25
[supersede]
enabled = false
tag_overlap = 0.25
content_similarity = 0.75
[summarise]
enabled = false
min_age = "2w"
min_chars = 4000
max_chars = 1000
key_terms = 0.9
timeline_keep = 0
[promote]
enabled = false
team_access = 6
global_access = 12
via = "branch"
[archive]
enabled = false
unread_after = "12h"
arrived = "2026-03-01T09:00:00Z"
idle_after = "P1Y"
[expired]
enabled = false
[working]
enabled = false
min_importance = 0.25
min_access = 4
[layers]
enabled = true
working_age = "10m"
boost = 0.2
min_confidence = 0.75
semantic_age = "3h"
similarity = 0.9
recurring = 4
semantic_window = "8d"
episodic_window = "31d"
success = 0.7
working_lifetime = "40m"
episodic_lifetime = "2w"
[retention]
recency_weight = 0.5
activation_weight = 0.25
importance_weight = 0.15
supersession_weight = 0.1
half_life = "7d"
recency_from = "created"
activation = "ln"
activation_full = 10
importance = "mean"
superseded_factor = 0.5
partial_factor = 0.6
hot = 0.8
warm = 0.5
cold = 0.2
[cluster]
threshold = 0.3
cosine = 0.9
min = 4
max = 15
shared = 100
wording = "free"
[context]
inject = false
min_tier = "cold"
token_budget = 2000
prompt_tokens = 400
max_chars = 5000
max_per_group = 5
min_relevance = 0.5
summaries = 5
summary_tokens = 1000
min_coherence = 0.3
min_confidence = 0.5
prioritize = "recency"
edges = 2
adaptive = true
[consolidate]
min_memories = 5
[run]
limit = 20
pause = "0s"
[history]
keep = 7
[files]
allow_network = true
cache = false

[workspace]
worktrees = "shared"

[sync]
runs = "anna"
interval = "15m"
remote = "upstream"
branch = "memories"
[triggers]
automatic = false
index_overflow = 200
index_overflow_step = 50
index_overflow_repeat = "12h"
weekly = "30 4 * * mon"
quiet_time = "1m"
model_interval = "12h"
quiet_max = "1h"
retries = 1
threshold = true
threshold_messages = 10
threshold_working = 500
interval = "5m"
timezone = "Europe/Berlin"
session_idle = "2d"
[serve]
addr = "localhost:7421"
read_only = true
allow_hosts = ["memory.test"]
session = "1h"
idle_exit = "30m"

[watch]
metrics = "127.0.0.1:9464"

[remember]
merge_similarity = 0.98
flag_similarity = 0.9

[secrets]
rules = "house/secrets.toml"

[model]
enabled = true
allow_remote = true
chain = ["ollama"]
timeout = "30s"
load_timeout = "5m"
context = 4096
max_output = 500
run_tokens = 1000
day_tokens = 0
run_cost = 0.5
day_cost = 2.0
exclude_tags = []
[model.mine]
base_url = "https://models.example/v1"
model = "m"
key_env = "MINE"
local = true
context = 1000
[model.scopes]
"agent:*" = "remote"
[model.prices]
m = { in = 1, out = 2.5 }
[deep]
apply = "guarded"
batch = 5
similarity = 0.6
replace_floor = 0.95
[embed]
provider = "mine"
model = "m"
weight = 0.4

[teams]
"DEV-001" = "development"
[schedules]
nightly = "daily 02:00"
`

func TestDefault(t *testing.T) {
	for _, text := range []string{"", "\n# nothing\n", "[run]\n", "preset = \"seed\"\n", "\ufeff"} {
		equal(t, mustParse(t, text).Settings, Default())
	}
	got := map[string]string{}
	for _, v := range mustParse(t, "").Values() {
		got[v.Key] = v.Value
		if v.Origin != "default" {
			t.Errorf("%s comes from %s", v.Key, v.Origin)
		}
	}
	want := map[string]string{
		"preset": "seed", "exclude.min_age": "7d", "exclude.tags": `["permanent", "protected"]`, "exclude.consent_user": "false",
		"layers.enabled": "false", "layers.working_age": "15m", "layers.boost": "0.25", "layers.min_confidence": "0.8", "layers.semantic_age": "2h",
		"layers.similarity": "0.85", "layers.recurring": "3", "layers.semantic_window": "7d", "layers.episodic_window": "30d", "layers.success": "0.6",
		"layers.working_lifetime": "30m", "layers.episodic_lifetime": "P1Y",
		"merge.enabled": "true", "merge.tag_overlap": "0.8", "merge.content_similarity": "0.8", "merge.differences": "ask", "merge.max_variants": "8", "merge.variant_length": "0.5",
		"supersede.enabled": "true", "supersede.tag_overlap": "0.3", "supersede.content_similarity": "0.6",
		"summarise.enabled": "true", "summarise.min_age": "30d", "summarise.min_chars": "5000", "summarise.max_chars": "2000", "summarise.key_terms": "0.8", "summarise.timeline_keep": "3",
		"promote.enabled": "true", "promote.team_access": "5", "promote.global_access": "10", "archive.enabled": "true", "archive.unread_after": "7d", "archive.idle_after": "90d", "archive.count_from": "created", "archive.arrived": "", "expired.enabled": "true",
		"working.enabled": "true", "working.min_importance": "0.7", "working.min_access": "3",
		"retention.recency_weight": "0.4", "retention.activation_weight": "0.2", "retention.importance_weight": "0.4", "retention.supersession_weight": "0", "retention.half_life": "30d",
		"retention.recency_from": "used", "retention.activation": "log1p", "retention.activation_full": "20", "retention.importance": "stated",
		"retention.superseded_factor": "0.2", "retention.partial_factor": "0.7", "retention.hot": "0.6", "retention.warm": "0.3", "retention.cold": "0.1",
		"context.inject": "true", "context.min_tier": "warm", "context.token_budget": "4000", "context.prompt_tokens": "800", "context.max_chars": "9500", "context.max_per_group": "10", "context.min_relevance": "0.3",
		"context.summaries": "10", "context.summary_tokens": "2000", "context.min_coherence": "0.2", "context.min_confidence": "0.7", "context.prioritize": "relevance", "context.edges": "3", "context.adaptive": "false",
		"cluster.threshold": "0.2", "cluster.cosine": "0.85", "cluster.min": "3", "cluster.max": "20", "cluster.shared": "200", "cluster.wording": "quotes",
		"consolidate.min_memories": "0", "run.limit": "50", "run.pause": "100ms", "history.keep": "100", "files.allow_network": "false", "files.cache": "true", "workspace.worktrees": "auto",
		"triggers.automatic": "true", "triggers.index_overflow": "100", "triggers.index_overflow_step": "100", "triggers.index_overflow_repeat": "24h",
		"triggers.weekly": "0 0 * * 0", "triggers.quiet_time": "30s", "triggers.quiet_max": "15m", "triggers.retries": "3", "triggers.model_interval": "24h",
		"triggers.threshold": "false", "triggers.threshold_messages": "20", "triggers.threshold_working": "1000", "triggers.interval": "",
		"triggers.timezone": "local", "triggers.session_idle": "7d", "watch.metrics": "",
		"serve.addr": "127.0.0.1:7420", "serve.read_only": "false", "serve.allow_hosts": "[]", "serve.session": "12h", "serve.idle_exit": "0s",
		"remember.merge_similarity": "0.5", "remember.flag_similarity": "0.85", "secrets.rules": "", "sync.remote": "", "sync.branch": "", "promote.via": "direct", "sync.runs": "", "sync.interval": "0s",
		"model.enabled": "false", "model.allow_remote": "false", "model.chain": `["openai", "lmstudio", "ollama"]`, "model.timeout": "1m", "model.load_timeout": "3m",
		"model.context": "8192", "model.max_output": "2000", "model.run_tokens": "200000", "model.day_tokens": "1000000", "model.run_cost": "0", "model.day_cost": "0", "model.exclude_tags": `["private"]`,
		"deep.apply": "review", "deep.batch": "10", "deep.similarity": "0.5", "deep.replace_floor": "0.9", "embed.provider": "", "embed.model": "", "embed.weight": "1",
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}
}

// Every field of Settings is a row of the table, under its own name in snake
// case, and so is listed, explained and settable.
func TestEveryFieldIsASetting(t *testing.T) {
	s := mustParse(t, everyKey).Settings
	rows := map[any]setting{}
	for _, row := range s.table() {
		rows[row.p] = row
		if !strings.HasSuffix(row.doc, ".") {
			t.Errorf("%s is not explained: %q", row.key, row.doc)
		}
	}
	values := map[string]string{}
	for _, v := range mustParse(t, everyKey).Values() {
		values[v.Key] = v.Value
	}
	template := string(Template("seed"))
	fields, defaults := reflect.ValueOf(&s).Elem(), reflect.ValueOf(Default())
	check := func(field, def reflect.Value, key string) {
		row, ok := rows[field.Addr().Interface()]
		if !ok || row.key != key {
			t.Errorf("%s has the row %q", key, row.key)
			return
		}
		if values[key] != row.text() {
			t.Errorf("Values has %q for %s, want %q", values[key], key, row.text())
		}
		if name := key[strings.Index(key, ".")+1:]; !strings.Contains(template, "\n# "+row.doc+"\n# "+name+" = ") && key != "preset" {
			t.Errorf("Template doesn't explain %s", key)
		}
		if reflect.DeepEqual(field.Interface(), def.Interface()) {
			t.Errorf("everyKey leaves %s at its default: the tests that use it would prove nothing", key)
		}
		delete(rows, field.Addr().Interface())
	}
	for _, f := range reflect.VisibleFields(fields.Type()) {
		if f.Anonymous {
			continue // its fields come by themselves
		}
		field, name := fields.FieldByIndex(f.Index), snake(f.Name)
		switch {
		case name == "schedules":
			if values["schedules.nightly"] != "daily 02:00" || !strings.Contains(template, "\n# [schedules]\n") {
				t.Errorf("schedules are not listed or not in the template: %v", values)
			}
		case name == "teams":
			if values["teams.DEV-001"] != "development" || !strings.Contains(template, "\n# [teams]\n") {
				t.Errorf("teams are not listed or not in the template: %v", values)
			}
		case field.Kind() == reflect.Struct:
			for j := range field.NumField() {
				if field.Field(j).Kind() == reflect.Map { // the tables of [model]
					key := name + "." + snake(field.Type().Field(j).Name)
					if key == "model.servers" {
						key = "model.mine"
					}
					if values[key] == "" {
						t.Errorf("%s is not listed: %v", key, values)
					}
					continue
				}
				check(field.Field(j), defaults.FieldByIndex(f.Index).Field(j), name+"."+snake(field.Type().Field(j).Name))
			}
		default:
			check(field, defaults.FieldByIndex(f.Index), name)
		}
	}
	for _, row := range rows {
		t.Errorf("%s belongs to no field", row.key)
	}
}

func snake(name string) string {
	var b strings.Builder
	for i, r := range name {
		if unicode.IsUpper(r) && i > 0 {
			b.WriteByte('_')
		}
		b.WriteRune(unicode.ToLower(r))
	}
	return b.String()
}

// Any settings survive being listed and overridden, and being written as TOML
// and read.
func TestRoundTrip(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		c := &Config{Settings: Default(), set: assignments{}}
		for _, row := range c.Settings.table() {
			if !rapid.Bool().Draw(t, row.key) {
				continue
			}
			if err := c.Override(row.key, randomText(t, row), "flag"); err != nil {
				t.Fatal(err)
			}
		}
		if r := &c.Settings.Retention; r.unbalanced() != "" {
			shares := []string{"0.125", "0.5", "0.25", "0.125"}
			for i, key := range weights {
				if err := c.Override("retention."+key, shares[i], "flag"); err != nil {
					t.Fatal(err)
				}
			}
		}
		if rapid.Bool().Draw(t, "team") {
			if err := c.Override("teams.DEV-*", "development", "flag"); err != nil {
				t.Fatal(err)
			}
		}
		if name := rapid.StringMatching(`[a-z "é.]{0,8}`).Filter(func(s string) bool { return s == strings.TrimSpace(s) }).Draw(t, "schedule"); name != "" {
			when := rapid.SampledFrom([]string{"5m", "daily 02:00", "mon,thu-sat 23:59", "*/5 * * * *", "@daily", `{when = "PT1H", all = true, scope = "agent:a\"b"}`, `{ scope = "global", when = "2h" }`}).Draw(t, "when")
			if err := c.Override("schedules."+name, when, "flag"); err != nil {
				t.Fatal(err)
			}
		}
		again := &Config{Settings: Default(), set: assignments{}}
		var file strings.Builder
		section := ""
		for _, v := range c.Values() {
			if err := again.Override(v.Key, v.Value, v.Origin); err != nil {
				t.Fatal(err)
			}
			head, name, ok := strings.Cut(v.Key, ".")
			if !ok {
				head, name = "", v.Key
			}
			if head != section {
				section = head
				fmt.Fprintf(&file, "[%s]\n", head)
			}
			if row, ok := c.Settings.find(v.Key); ok {
				fmt.Fprintf(&file, "%s = %s\n", name, row.literal())
			} else if strings.HasPrefix(v.Value, "{") {
				fmt.Fprintf(&file, "%s = %s\n", tomledit.Quote(name), v.Value)
			} else {
				fmt.Fprintf(&file, "%s = %s\n", tomledit.Quote(name), tomledit.Quote(v.Value))
			}
		}
		equal(t, again.Settings, c.Settings)
		read, err := Parse("memory.toml", []byte(file.String()))
		if err != nil {
			t.Fatalf("%v\nin\n%s", err, file.String())
		}
		equal(t, read.Settings, c.Settings)
	})
}

// randomText draws a valid value for a setting, as Override takes it.
func randomText(t *rapid.T, row setting) string {
	switch v := row.value; v.p.(type) {
	case *Duration:
		ms := rapid.Int64Range(v.lo/1e6, v.hi/1e6).Draw(t, "ms")
		return fmt.Sprint(ms, "ms")
	case *int:
		return fmt.Sprint(rapid.Int64Range(v.lo, v.hi).Draw(t, "n"))
	case *float64:
		return fmt.Sprint(rapid.Float64Range(0, 1).Draw(t, "x"))
	case *bool:
		return fmt.Sprint(rapid.Bool().Draw(t, "b"))
	case *[]string:
		word := rapid.String().Filter(func(s string) bool { return strings.TrimSpace(s) != "" })
		list := rapid.SliceOf(word).Draw(t, "words")
		return words(&list).text()
	case *time.Time:
		return rapid.SampledFrom([]string{"", "2026-03-01T09:00:00Z", "2025-12-24"}).Draw(t, "time")
	}
	return rapid.SampledFrom(map[string][]string{
		"preset":                 Presets(),
		"context.min_tier":       {"hot", "warm", "cold", "archived"},
		"context.prioritize":     {"relevance", "recency", "activation"},
		"merge.differences":      {"ask", "latest-wins"},
		"deep.apply":             {"review", "guarded"},
		"triggers.weekly":        {"", "0 0 * * 0", "@weekly"},
		"triggers.interval":      {"", "5m", "PT1H", "*/5 * * * *", "@daily"},
		"serve.addr":             {"127.0.0.1:0", "[::1]:7420"},
		"watch.metrics":          {"", "127.0.0.1:0", "[::1]:9464", "localhost:80"},
		"triggers.timezone":      {"local", "UTC", "Europe/Berlin", "America/Argentina/Buenos_Aires", "Etc/GMT+5"},
		"secrets.rules":          {"", "secrets.toml", "house rules/ours.toml"},
		"sync.remote":            {"", "origin"},
		"sync.runs":              {"", "anna"},
		"promote.via":            {"direct", "branch"},
		"sync.branch":            {"", "main", "team/memories"},
		"retention.recency_from": {"used", "created"},
		"archive.count_from":     {"created", "used"},
		"workspace.worktrees":    {"auto", "own", "shared"},
		"cluster.wording":        {"quotes", "free"},
		"embed.provider":         {"", "ollama", "mine"},
		"embed.model":            {"", "nomic-embed-text"},
		"retention.activation":   {"log1p", "ln"},
		"retention.importance":   {"stated", "mean"},
	}[row.key]).Draw(t, "word")
}

// The weights of retention add up to 1, whoever sets them.
func TestWeights(t *testing.T) {
	for _, tt := range []struct {
		text    string
		environ []string
		want    string
	}{
		{"preset = \"subcog\"\n", nil, ""},
		{"[retention]\nrecency_weight = 0.5\nimportance_weight = 0.3\n", nil, ""},
		{"[retention]\nrecency_weight = 1\nactivation_weight = 0\nimportance_weight = 0.0\n", nil, ""},
		{"[retention]\nactivation_weight = 0.2\nrecency_weight = 0.5\n", nil, "memory.toml:3: the weights of [retention] add up to 1.1: write"},
		{"preset = \"subcog\"\n[retention]\nsupersession_weight = 0\n", nil, "memory.toml:3: the weights of [retention] add up to 0.9: write"},
		{"[retention]\nrecency_weight = -0.1\n", nil, "memory.toml:2: retention.recency_weight is -0.1: write a number from 0 to 1"},
		{"", []string{"MEMORY_RETENTION_RECENCY_WEIGHT=0.3"}, "environment: the weights of [retention] add up to 0.9: write"},
		{"", []string{"MEMORY_RETENTION_RECENCY_WEIGHT=0.3", "MEMORY_RETENTION_ACTIVATION_WEIGHT=0.3"}, ""},
	} {
		c, err := Parse("memory.toml", []byte(tt.text))
		if err == nil {
			err = c.Environ(tt.environ)
		}
		if (err == nil) != (tt.want == "") || err != nil && !strings.HasPrefix(err.Error(), tt.want) {
			t.Errorf("%q %v: %v, want %q", tt.text, tt.environ, err, tt.want)
		}
	}
}

func TestOff(t *testing.T) {
	if off := Default().Off(); off != nil {
		t.Errorf("by default %v are off", off)
	}
	all := []string{"merge", "supersede", "summarise", "promote", "archive", "expired", "working"}
	if off := mustParse(t, everyKey).Off(); !slices.Equal(off, all) {
		t.Errorf("off: %v", off)
	}
	if off := mustParse(t, "[supersede]\npropose = false\n").Off(); !slices.Equal(off, []string{"supersede"}) {
		t.Errorf("under the name of before: %v", off)
	}
}

// Layers bring their triggers along, and what is set stands.
func TestLayersBringTriggers(t *testing.T) {
	on := mustParse(t, "[layers]\nenabled = true\n").Triggers
	if on.Interval != "5m" || !on.Threshold {
		t.Errorf("interval %q, threshold %t", on.Interval, on.Threshold)
	}
	set := mustParse(t, "[layers]\nenabled = true\n[triggers]\ninterval = \"\"\nthreshold = false\n").Triggers
	if set.Interval != "" || set.Threshold {
		t.Errorf("what is set doesn't stand: interval %q, threshold %t", set.Interval, set.Threshold)
	}
}

// The budget grows from 50, 250 and 1,000 memories on, as settings.md says.
func TestStartFactor(t *testing.T) {
	on := Context{Adaptive: true}
	for memories, want := range map[int]float64{0: 1, 49: 1, 50: 1.5, 249: 1.5, 250: 2, 999: 2, 1000: 2.5, 100_000: 2.5} {
		if got := on.StartFactor(memories); got != want {
			t.Errorf("%d memories: %v, want %v", memories, got, want)
		}
		if got := (Context{}).StartFactor(memories); got != 1 {
			t.Errorf("%d memories, not adaptive: %v", memories, got)
		}
	}
}
