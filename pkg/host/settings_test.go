package host

import (
	"strings"
	"testing"

	"github.com/tidwall/gjson"
	"github.com/tidwall/jsonc"
	"pgregory.net/rapid"
)

var want = Settings{
	Head: [][2]string{{"version", "1"}},
	Hooks: []Hook{
		{"SessionStart", `{"hooks":[{"type":"command","command":"memory","args":["hook","claude","SessionStart"]}]}`},
		{"SessionEnd", `{"hooks":[{"type":"command","command":"memory","args":["hook","claude","SessionEnd"]}]}`},
	},
}

const theirs = `{
    "permissions": {"allow": ["Bash(ls:*)"], "n": 1e400},
    "hooks": {
        "SessionStart": [
            {
                "matcher": "startup",
                "hooks": [{"type": "command", "command": "memory-bank load"}]
            }
        ],
        "Stop": [{"hooks": [{"type": "command", "command": "say memory hook"}]}]
    },
    "x": "a\/b"
}
`

func TestNewFile(t *testing.T) {
	for _, doc := range [][]byte{nil, []byte("\n"), []byte("{}")} {
		got, err := AddSettings(doc, want)
		if err != nil || !strings.HasPrefix(string(got), "{\n  \"version\": 1,\n  \"hooks\": {\n    \"SessionStart\": [\n") {
			t.Errorf("%q: %v\n%s", doc, err, got)
		}
		if _, bare, err := RemoveSettings(got, want); err != nil || !bare {
			t.Errorf("%q: left with %v, %v", doc, bare, err)
		}
	}
}

func TestAddAndRemove(t *testing.T) {
	got, err := AddSettings([]byte(theirs), want)
	if err != nil {
		t.Fatal(err)
	}
	for path, n := range map[string]int64{"hooks.SessionStart.#": 2, "hooks.SessionEnd.#": 1, "hooks.Stop.#": 1} {
		if is := gjson.GetBytes(got, path).Int(); is != n {
			t.Errorf("%s: %d entries, want %d\n%s", path, is, n, got)
		}
	}
	if gjson.GetBytes(got, "version").Exists() {
		t.Error("the head went into a file that was there")
	}
	again, err := AddSettings(got, want)
	if err != nil || string(again) != string(got) {
		t.Errorf("not idempotent: %v\n%s", err, again)
	}
	left, bare, err := RemoveSettings(got, want)
	if err != nil || bare || string(left) != theirs {
		t.Errorf("removed: %v, bare %v\n%s", err, bare, left)
	}
}

// Entries of ours from another time make way; what somebody put into our group
// stays.
func TestOlderEntries(t *testing.T) {
	older := `{"hooks":{"SessionStart":[{"hooks":[{"command":"echo hi"},{"command":"/usr/bin/memory hook claude SessionStart"}]}],"Stop":[{"command":"'memory' hook claude Stop"}],"SessionEnd":[{"hooks":[{"command":"C:\\bin\\memory.exe","args":["hook","claude","SessionEnd"]}]}]}}`
	got, err := AddSettings([]byte(older), want)
	if err != nil {
		t.Fatal(err)
	}
	for path, value := range map[string]string{
		"hooks.SessionStart.0": `{"hooks":[{"command":"echo hi"}]}`,
		"hooks.SessionStart.1": want.Hooks[0].Entry,
		"hooks.SessionEnd":     "[" + want.Hooks[1].Entry + "]",
		"hooks.Stop":           "",
	} {
		if is := gjson.GetBytes(got, path).Raw; is != value {
			t.Errorf("%s is %s", path, is)
		}
	}
	left, _, err := RemoveSettings(got, want)
	if err != nil || string(left) != `{"hooks":{"SessionStart":[{"hooks":[{"command":"echo hi"}]}]}}` {
		t.Errorf("%v\n%s", err, left)
	}
}

func TestRefuses(t *testing.T) {
	for doc, reason := range map[string]string{
		"{\n  // mine\n":                      "not JSON: line 3",
		`{"a":1,,}`:                           "not JSON",
		`{"a":1} /* open`:                     "not JSON",
		"{\n  // mine\n}":                     "a comment would be lost",
		`{"hooks": {/* mine */}}`:             "a comment would be lost",
		`[]`:                                  "no JSON object",
		`{"hooks":[]}`:                        "hooks is no object",
		`{"hooks":{"SessionStart":{}}}`:       "hooks.SessionStart is no list",
		`{"hooks":{"x":[]},"hooks":{"y":[]}}`: "duplicate key",
	} {
		got, err := AddSettings([]byte(doc), want)
		if err == nil || !strings.Contains(err.Error(), reason) || got != nil {
			t.Errorf("%s: %v, %s", doc, err, got)
		}
	}
}

// Whatever stands in a file: what was added can be removed, and then all that was
// there is there.
func TestRemoveUndoesAdd(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		commands := rapid.SampledFrom([]string{`{"command":"a"}`, `{"hooks":[{"command":"b"},{"command":"c","args":["hook"]}]}`, `7`, `null`, `"memory hook"`, `{"hooks":{"command":"memory"}}`})
		var members []string
		for _, event := range rapid.SliceOfNDistinct(rapid.SampledFrom([]string{"SessionStart", "SessionEnd", "Stop", ""}), 1, 4, rapid.ID[string]).Draw(t, "events") {
			members = append(members, `"`+event+`": [`+strings.Join(rapid.SliceOfN(commands, 1, 3).Draw(t, "entries"), ", ")+`]`)
		}
		doc := rapid.SampledFrom([]string{
			`{"k": 1, "hooks": {%}}`, "\ufeff{\r\n\t\"hooks\": {%}\r\n}", `{"hooks": {%}, "z": [1.0]}`,
			"// mine\n{\n  /* all \"of\" it */ \"hooks\": {%}, // here\n}", "{\"hooks\": {%,}, \"url\": \"http://x\" /* { */}\r\n// end",
		}).Draw(t, "file")
		doc = strings.Replace(doc, "%", strings.Join(members, ", "), 1)
		got, err := AddSettings([]byte(doc), want)
		if err != nil {
			t.Fatal(err)
		}
		left, bare, err := RemoveSettings(got, want)
		if err != nil || bare || string(left) != doc {
			t.Fatalf("%v, bare %v\nwas  %s\nis   %s\nwith %s", err, bare, doc, left, got)
		}
	})
}

// Comments and commas behind the last item stay, and what is added is read with them.
func TestComments(t *testing.T) {
	for _, doc := range []string{
		"{\n  \"model\": \"x\", // \"hooks\": {}\n  /* two\n     lines */\n}\n",
		"// head\n{\"hooks\": {\"Stop\": [1, /* a */ 2,],},}\n// tail",
	} {
		got, err := AddSettings([]byte(doc), want)
		if err != nil {
			t.Errorf("%s: %v", doc, err)
			continue
		}
		if plain := jsonc.ToJSON(got); !gjson.ValidBytes(plain) || gjson.GetBytes(plain, "hooks.SessionEnd.#").Int() != 1 || strings.Count(string(got), "//")+strings.Count(string(got), "/*") != strings.Count(doc, "//")+strings.Count(doc, "/*") {
			t.Errorf("%s", got)
		}
		if left, bare, err := RemoveSettings(got, want); err != nil || bare || string(left) != doc {
			t.Errorf("%v, bare %v\nwas %s\nis  %s\nwith %s", err, bare, doc, left, got)
		}
	}
}

func FuzzAdd(f *testing.F) {
	for _, doc := range []string{theirs, "", "{}", "{ // mine\n\"a\": [1,],}", `{"hooks":{"SessionEnd":[{"hooks":[{"command":"memory hook"}]}]}}`} {
		f.Add(doc)
	}
	f.Fuzz(func(t *testing.T, doc string) {
		got, err := AddSettings([]byte(doc), want)
		if err != nil {
			return
		}
		if again, err := AddSettings(got, want); err != nil || string(again) != string(got) {
			t.Fatalf("not idempotent: %v\n%s\n%s", err, got, again)
		}
		if _, _, err := RemoveSettings(got, want); err != nil {
			t.Fatal(err)
		}
	})
}
