package cli

import (
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/memoryd/memoryd/pkg/config"
)

func TestSetSetting(t *testing.T) {
	for _, tt := range []struct{ name, before, key, value, after string }{
		{"no file", "", "run.limit", "20", "[run]\nlimit = 20\n"},
		{"in place, with its comment", "# ours\n[run]\n  limit = 50  # enough\npause = \"1s\"\n", "run.limit", "20", "# ours\n[run]\n  limit = 20  # enough\npause = \"1s\"\n"},
		{"at the end of its section", "[run]\npause = \"1s\"\n\n# reads\n[archive]\nidle_after = \"30d\"\n", "run.limit", "20", "[run]\npause = \"1s\"\nlimit = 20\n\n# reads\n[archive]\nidle_after = \"30d\"\n"},
		{"a section of its own", "[archive]\nidle_after = \"30d\"", "run.limit", "20", "[archive]\nidle_after = \"30d\"\n\n[run]\nlimit = 20\n"},
		{"a string", "[archive]\nidle_after = \"90d\"\n", "archive.idle_after", "30d", "[archive]\nidle_after = \"30d\"\n"},
		{"line ends of Windows", "[run]\r\nlimit = 50\r\n", "run.limit", "20", "[run]\r\nlimit = 20\r\n"},
		{"before all sections", "[run]\nlimit = 5\n", "preset", "careful", "preset = \"careful\"\n[run]\nlimit = 5\n"},
	} {
		got, err := setSetting([]byte(tt.before), tt.key, tt.value)
		if err != nil || string(got) != tt.after {
			t.Errorf("%s: %v\n%s", tt.name, err, got)
		}
	}
	for _, tt := range []struct{ name, before, key, value string }{
		{"no such setting", "", "run.speed", "1"},
		{"a section", "", "run", "1"},
		{"a value that doesn't fit", "", "run.limit", "many"},
		{"an inline table", "run = { limit = 50 }\n", "run.limit", "20"},
		{"no TOML", "run.limit = = 3\n", "run.limit", "20"},
	} {
		if got, err := setSetting([]byte(tt.before), tt.key, tt.value); err == nil {
			t.Errorf("%s: no error\n%s", tt.name, got)
		}
	}
}

// Whatever is set, one after the other, is what the file says in the end, and its comments are still there.
func TestSetSettingProperty(t *testing.T) {
	values := map[string][]string{"run.limit": {"1", "7", "50"}, "archive.idle_after": {"30d", "12h"}, "merge.tag_overlap": {"0.5", "0.9"}, "context.inject": {"true", "false"}}
	keys := []string{"run.limit", "archive.idle_after", "merge.tag_overlap", "context.inject"}
	rapid.Check(t, func(t *rapid.T) {
		text := []byte("# one\n[archive] # two\n# three\n")
		want := map[string]string{}
		for range rapid.IntRange(1, 8).Draw(t, "sets") {
			key := rapid.SampledFrom(keys).Draw(t, "key")
			value := rapid.SampledFrom(values[key]).Draw(t, "value")
			var err error
			if text, err = setSetting(text, key, value); err != nil {
				t.Fatal(err)
			}
			want[key] = value
		}
		conf, err := config.Parse("memory.toml", text)
		if err != nil {
			t.Fatal(err)
		}
		got := valuesOf(conf)
		for key, value := range want {
			if got[key] != value {
				t.Errorf("%s is %s, want %s in\n%s", key, got[key], value, text)
			}
		}
		if strings.Count(string(text), "#") != 3 {
			t.Errorf("a comment is gone:\n%s", text)
		}
	})
}
