package config

import (
	"strings"
	"testing"

	"pgregory.net/rapid"
)

func TestSet(t *testing.T) {
	const list = "[exclude]\ntags = [ # ours\n  \"permanent\", # for good\n  \"protected\",\n] # the end\nmin_age = \"1d\"\n"
	for _, tt := range []struct{ name, before, key, value, after string }{
		{"no file", "", "run.limit", "20", "[run]\nlimit = 20\n"},
		{"in place, with its comment", "# ours\n[run]\n  limit = 50  # enough\npause = \"1s\"\n", "run.limit", "20", "# ours\n[run]\n  limit = 20  # enough\npause = \"1s\"\n"},
		{"at the end of its section", "[run]\npause = \"1s\"\n\n# reads\n[archive]\nidle_after = \"30d\"\n", "run.limit", "20", "[run]\npause = \"1s\"\nlimit = 20\n\n# reads\n[archive]\nidle_after = \"30d\"\n"},
		{"a section of its own", "[archive]\nidle_after = \"30d\"", "run.limit", "20", "[archive]\nidle_after = \"30d\"\n\n[run]\nlimit = 20\n"},
		{"a section without settings", "[run] # runs\n[archive]\n", "run.limit", "20", "[run] # runs\nlimit = 20\n[archive]\n"},
		{"a string", "[archive]\nidle_after = \"90d\"\n", "archive.idle_after", "30d", "[archive]\nidle_after = \"30d\"\n"},
		{"a string with blanks", "[schedules]\nnightly = 'daily 01:00' # quiet\n", "schedules.nightly", "daily 02:30", "[schedules]\nnightly = \"daily 02:30\" # quiet\n"},
		{"line ends of Windows", "[run]\r\nlimit = 50\r\n", "run.limit", "20", "[run]\r\nlimit = 20\r\n"},
		{"line ends of Windows, a section", "[run]\r\nlimit = 50\r\n", "merge.enabled", "false", "[run]\r\nlimit = 50\r\n\r\n[merge]\r\nenabled = false\r\n"},
		{"before all sections", "[run]\nlimit = 5\n", "preset", "careful", "preset = \"careful\"\n[run]\nlimit = 5\n"},
		{"before all sections, in place", "# ours\npreset = 'seed' # as it was\n[run]\nlimit = 5\n", "preset", "careful", "# ours\npreset = \"careful\" # as it was\n[run]\nlimit = 5\n"},
		{"a byte order mark", "\ufeff[run]\nlimit = 5\n", "preset", "careful", "\ufeffpreset = \"careful\"\n[run]\nlimit = 5\n"},
		{"only a byte order mark", "\ufeff", "run.limit", "5", "\ufeff[run]\nlimit = 5\n"},
		{"a list over several lines", list, "exclude.tags", "[]", "[exclude]\ntags = [] # the end\nmin_age = \"1d\"\n"},
		{"behind a list over several lines", list[:strings.Index(list, "min_age")], "exclude.min_age", "2d", list[:strings.Index(list, "min_age")] + "min_age = \"2d\"\n"},
		{"a list", "[exclude]\ntags = [\"a\"]\n", "exclude.tags", `["b", "c"]`, "[exclude]\ntags = [\"b\", \"c\"]\n"},
		{"a text over several lines", "[archive]\nidle_after = \"\"\"\n90d\"\"\" # long\nunread_after = \"9d\"\n", "archive.idle_after", "30d", "[archive]\nidle_after = \"30d\" # long\nunread_after = \"9d\"\n"},
		{"the same key in another section", "[working]\nenabled = true\n[merge]\n# enabled = true\nenabled = true\n", "merge.enabled", "false", "[working]\nenabled = true\n[merge]\n# enabled = true\nenabled = false\n"},
		{"a key in quotes", "[\"run\"]\n'limit' = 7\n", "run.limit", "20", "[\"run\"]\n'limit' = 20\n"},
		{"a dotted key", "run.limit = 7\n", "run.limit", "20", "run.limit = 20\n"},
		{"beside a dotted key", "run . limit = 7 # few\npreset = \"seed\"\n", "run.pause", "1s", "run . limit = 7 # few\nrun . pause = \"1s\"\npreset = \"seed\"\n"},
		{"in an inline table", "run = { limit = 50, pause = \"1s\" } # runs\n", "run.limit", "20", "run = { limit = 20, pause = \"1s\" } # runs\n"},
		{"into an inline table", "run = { limit = 50 } # runs\n", "run.pause", "1s", "run = { limit = 50, pause = \"1s\" } # runs\n"},
		{"into an empty inline table", "run = {} # runs\n", "run.pause", "1s", "run = { pause = \"1s\" } # runs\n"},
		{"the other name of a section", "[summarize]\nmin_age = \"1d\"\n", "summarise.min_age", "2d", "[summarize]\nmin_age = \"2d\"\n"},
		{"into the other name of a section", "[summarize]\nmin_age = \"1d\"\n", "summarise.enabled", "false", "[summarize]\nmin_age = \"1d\"\nenabled = false\n"},
		{"the other name of a setting", "[supersede]\npropose = true\n", "supersede.enabled", "false", "[supersede]\npropose = false\n"},
		{"a schedule with a name to quote", "", "schedules.every night", "daily 02:30", "[schedules]\n\"every night\" = \"daily 02:30\"\n"},
		{"a schedule that is a table", "[schedules]\nx = { when = \"5m\", all = true }\n", "schedules.x", "10m", "[schedules]\nx = \"10m\"\n"},
		{"a section that another implies", "[model.ollama]\nmodel = \"m\"\n", "model.enabled", "true", "[model.ollama]\nmodel = \"m\"\n\n[model]\nenabled = true\n"},
		{"the value that is there already", "[run]\nlimit = 20\n", "run.limit", "20", "[run]\nlimit = 20\n"},
	} {
		got, err := Set("memory.toml", []byte(tt.before), tt.key, tt.value)
		if err != nil || string(got) != tt.after {
			t.Errorf("%s: %v\n%s", tt.name, err, got)
		}
	}
	for _, tt := range []struct{ name, before, key, value, want string }{
		{"a value that doesn't fit", "", "run.limit", "many", `memory.toml:2: run.limit is "many": write a whole number`},
		{"a number for a duration", "", "archive.unread_after", "5", `memory.toml:2: archive.unread_after is 5: a duration has quotes and a unit: write "5d"`},
		{"two settings at once", "", "run.limit", "20\npause = \"1s\"", "run.limit is "},
		{"a value with a comment", "", "run.limit", "20 # few", "run.limit is "},
		{"no TOML", "run.limit = = 3\n", "run.limit", "20", "memory.toml:1:13: not valid TOML: write one = between"},
		{"a schedule with a section", "[schedules.x]\nwhen = \"5m\"\n", "schedules.x", "10m", "schedules.x: it is not written as a value of its own: edit the file by hand"},
	} {
		if got, err := Set("memory.toml", []byte(tt.before), tt.key, tt.value); err == nil || !strings.Contains(err.Error(), tt.want) {
			t.Errorf("%s: %v\n%s", tt.name, err, got)
		}
	}
}

func TestUnset(t *testing.T) {
	for _, tt := range []struct{ name, before, key, after string }{
		{"a line", "# ours\n[run]\nlimit = 50 # few\n# pauses\npause = \"1s\"\n", "run.limit", "# ours\n[run]\n# pauses\npause = \"1s\"\n"},
		{"the last line", "[run]\r\nlimit = 50", "run.limit", "[run]\r\n"},
		{"a list over several lines", "[exclude]\ntags = [\n  \"a\", # b\n]\nmin_age = \"1d\"\n", "exclude.tags", "[exclude]\nmin_age = \"1d\"\n"},
		{"not set", "[run]\nlimit = 50\n", "run.pause", "[run]\nlimit = 50\n"},
		{"a schedule in quotes", "[schedules]\n\"a b\" = \"5m\"\nc = \"6m\"\n", "schedules.a b", "[schedules]\nc = \"6m\"\n"},
		{"a dotted key", "run.limit = 7\nrun.pause = \"1s\"\n", "run.limit", "run.pause = \"1s\"\n"},
		{"first in an inline table", "run = { limit = 50, pause = \"1s\" }\n", "run.limit", "run = { pause = \"1s\" }\n"},
		{"last in an inline table", "run = { limit = 50, pause = \"1s\" }\n", "run.pause", "run = { limit = 50 }\n"},
		{"alone in an inline table", "run = { limit = 50 }\n", "run.limit", "run = {}\n"},
		{"the first line, behind a byte order mark", "\ufeffpreset = \"seed\"\n[run]\n", "preset", "\ufeff[run]\n"},
	} {
		got, err := Unset("memory.toml", []byte(tt.before), tt.key)
		if err != nil || string(got) != tt.after {
			t.Errorf("%s: %v\n%s", tt.name, err, got)
		}
	}
	if _, err := Unset("memory.toml", []byte("[schedules.x]\nwhen = \"5m\"\n"), "schedules.x"); err == nil {
		t.Error("a section is taken out")
	}
}

// Whatever is set and taken out, one after the other, is what the file says in the end, and every line that nobody changed is still there.
func TestEditsProperty(t *testing.T) {
	values := map[string][]string{
		"run.limit": {"1", "7", "50"}, "archive.idle_after": {"30d", "12h"}, "merge.tag_overlap": {"0.5", "0.9"},
		"context.inject": {"true", "false"}, "exclude.tags": {"[]", `["a", "b"]`}, "preset": {"seed", "careful"},
		"summarise.min_age": {"1d", "2d"}, "schedules.x": {"5m", "sun 03:00"},
	}
	var keys []string
	for _, row := range new(Settings).table() {
		if values[row.key] != nil {
			keys = append(keys, row.key)
		}
	}
	keys = append(keys, "schedules.x")
	starts := []string{
		"", "# one\n[archive] # two\n# three\n", "run.limit = 3 # one\nrun.pause = \"1s\" # two\n# three\n",
		"\ufeff# one\r\nrun = { limit = 3, pause = \"1s\" } # two\r\n[exclude]\r\nmin_age = \"1d\" # three\r\n",
		"[summarize] # one\nmin_chars = 500 # two\n\n[exclude]\ntags = [\n  \"a\",\n  \"b\",\n] # three",
	}
	rapid.Check(t, func(t *rapid.T) {
		start := rapid.SampledFrom(starts).Draw(t, "start")
		text, want := []byte(start), map[string]string{}
		for range rapid.IntRange(1, 8).Draw(t, "edits") {
			key := rapid.SampledFrom(keys).Draw(t, "key")
			var err error
			if rapid.Bool().Draw(t, "unset") {
				text, err = Unset("memory.toml", text, key)
				want[key] = ""
			} else {
				want[key] = rapid.SampledFrom(values[key]).Draw(t, "value")
				text, err = Set("memory.toml", text, key, want[key])
			}
			if err != nil {
				t.Fatalf("%v\n%s", err, text)
			}
		}
		conf, err := Parse("memory.toml", text)
		if err != nil {
			t.Fatal(err)
		}
		got := conf.written()
		for key, value := range want {
			if got[key] != value {
				t.Errorf("%s is %s, want %s in\n%s", key, got[key], value, text)
			}
		}
		for line := range strings.Lines(start) {
			if !strings.Contains(line, "tags") && !strings.Contains(line, "limit") && !strings.Contains(string(text), strings.TrimRight(line, "\r\n")) && !strings.Contains(line, "]") && !strings.Contains(line, "\",") {
				t.Errorf("the line %q is gone:\n%s", line, text)
			}
		}
	})
}
