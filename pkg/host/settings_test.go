package host

import (
	"fmt"
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
		`{"hooks":[]}`:                        "hooks is not an object",
		`{"hooks":{"SessionStart":{}}}`:       "hooks.SessionStart is not a list",
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

var server = Settings{Servers: []Server{{"mcpServers", "memory", `{"command":"memory","args":["mcp"]}`}}}

func TestServers(t *testing.T) {
	for _, c := range []struct{ name, doc, want string }{
		{"no file", "", "{\n  \"mcpServers\": {\n    \"memory\": {\n      \"command\": \"memory\",\n      \"args\": [\n        \"mcp\"\n      ]\n    }\n  }\n}"},
		{"other servers", `{"mcpServers": {"x": {"command": "x"}}, "n": 1.0}`, `{"mcpServers": {"x": {"command": "x"}, "memory": {"command": "memory", "args": ["mcp"]}}, "n": 1.0}`},
		{"no servers", `{"n": 1.0}`, `{"n": 1.0, "mcpServers": {"memory": {"command": "memory", "args": ["mcp"]}}}`},
		{"ours, edited", `{"mcpServers":{"memory":{"command":"/opt/memory","args":["mcp","-v"],"env":{}}}}`, `{"mcpServers":{"memory":{"command":"/opt/memory","args":["mcp","-v"],"env":{}}}}`},
	} {
		got, err := AddSettings([]byte(c.doc), server)
		if err != nil || strings.TrimSpace(string(got)) != c.want {
			t.Errorf("%s: %v\n%s", c.name, err, got)
		}
		left, bare, err := RemoveSettings(got, server)
		if err != nil || bare != (c.name == "no file" || c.name == "ours, edited") || !bare && string(left) != c.doc {
			t.Errorf("%s: removed: %v, bare %v\n%s", c.name, err, bare, left)
		}
	}
	both := Settings{Hooks: want.Hooks, Servers: server.Servers}
	got, err := AddSettings([]byte(theirs), both)
	if err != nil || !gjson.GetBytes(got, "mcpServers.memory").Exists() || gjson.GetBytes(got, "hooks.SessionEnd.#").Int() != 1 {
		t.Errorf("%v\n%s", err, got)
	}
	if left, _, err := RemoveSettings(got, both); err != nil || string(left) != theirs {
		t.Errorf("%v\n%s", err, left)
	}
	for doc, reason := range map[string]string{
		`{"mcpServers":[]}`:                              "mcpServers is not an object",
		`{"mcpServers":{"memory":{"command":"npx"}}}`:    "mcpServers.memory is another server",
		`{"mcpServers":{"memory":{"command":"memory"}}}`: "mcpServers.memory is another server",
	} {
		if _, err := AddSettings([]byte(doc), server); err == nil || err.Error() != reason {
			t.Errorf("%s: %v", doc, err)
		}
		if left, _, err := RemoveSettings([]byte(doc), server); err != nil || string(left) != doc {
			t.Errorf("%s: %v, %s", doc, err, left)
		}
	}
}

var table = Table{Key: "mcp_servers", Name: "memory", Command: "memory", Args: []string{"mcp"}}

const block = "[mcp_servers.memory]\ncommand = \"memory\"\nargs = [\"mcp\"]\n"

// A file with more keys than are read trusts nothing, and is refused at once.
func TestCodexTrusts(t *testing.T) {
	trusted := "[projects.\"/p\"]\ntrust_level = \"trusted\"\n"
	var many strings.Builder
	for i := range 20_000 {
		fmt.Fprintf(&many, "k%d = 1\n", i)
	}
	for _, c := range []struct {
		doc, dir string
		want     bool
	}{
		{trusted, "/p", true},
		{trusted, "/p/q", false},
		{strings.Replace(trusted, `"trusted"`, `"untrusted"`, 1), "/p", false},
		{trusted + "[", "/p", false},
		{"projects = 1", "/p", false},
		{"", "", false},
		{many.String() + trusted, "/p", false},
	} {
		if got := CodexTrusts([]byte(c.doc), c.dir); got != c.want {
			t.Errorf("%.60q trusts %s: %v, want %v", c.doc, c.dir, got, c.want)
		}
	}
}

func TestTables(t *testing.T) {
	for _, c := range []struct{ name, doc, want string }{
		{"no file", "", block},
		{"a file", "model = \"x\" # mine\n\n[tui]\nn = 0x10\n", "model = \"x\" # mine\n\n[tui]\nn = 0x10\n\n" + block},
		{"Windows", "model = \"x\"\r\n", "model = \"x\"\r\n\r\n" + strings.ReplaceAll(block, "\n", "\r\n")},
		{"another server", "[mcp_servers.x]\ncommand = \"x\"\n", "[mcp_servers.x]\ncommand = \"x\"\n\n" + block},
		{"ours, edited", "a = 1\n\n[mcp_servers.memory]\nargs = [\"mcp\", \"-v\"]\ncommand = 'C:\\bin\\memory.exe'\n", "a = 1\n\n[mcp_servers.memory]\nargs = [\"mcp\", \"-v\"]\ncommand = 'C:\\bin\\memory.exe'\n"},
	} {
		got, err := AddTable([]byte(c.doc), table)
		if err != nil || string(got) != c.want {
			t.Errorf("%s: %v\n%s", c.name, err, got)
			continue
		}
		left, bare, err := RemoveTable(got, table)
		was := c.doc
		if c.name == "ours, edited" {
			was = "a = 1\n"
		}
		if err != nil || bare != (was == "") || string(left) != was {
			t.Errorf("%s: removed: %v, bare %v\n%q", c.name, err, bare, left)
		}
	}
	// What follows our table is kept, with its comment; what is nested in our table is removed.
	doc := block + "# kept open\n\n[mcp_servers.memory.env]\nA = \"1\"\n\n# theirs\n[tui]\nn = 1\n"
	left, bare, err := RemoveTable([]byte(doc), table)
	if err != nil || bare || string(left) != "\n# theirs\n[tui]\nn = 1\n" {
		t.Errorf("%v, %v, %q", err, bare, left)
	}
	for doc, reason := range map[string]string{
		"a = ":                         "not TOML",
		"mcp_servers = {}\n":           "doesn't fit into it",
		"mcp_servers = 1\n":            "doesn't fit into it",
		"[mcp_servers.memory]\nurl=1":  "mcp_servers.memory is another server",
		"[mcp_servers]\nmemory = true": "mcp_servers.memory is another server",
	} {
		if got, err := AddTable([]byte(doc), table); err == nil || !strings.Contains(err.Error(), reason) || got != nil {
			t.Errorf("%q: %v, %q", doc, err, got)
		}
	}
	for _, doc := range []string{
		"mcp_servers = {memory = {command = \"memory\", args = [\"mcp\"]}}\n",
		"[mcp_servers]\nmemory.command = \"memory\"\nmemory.args = [\"mcp\"]\n",
		"[mcp_servers.memory]\ncommand = \"memory\"\nargs = [\n\"mcp\", [\n\"x\"]\n]\n[\"mcp_servers\".memory.x]\n",
	} {
		if got, err := AddTable([]byte(doc), table); err != nil || string(got) != doc {
			t.Errorf("%q: %v, %q", doc, err, got)
		}
		if left, _, err := RemoveTable([]byte(doc), table); err == nil {
			t.Errorf("%q: %q", doc, left)
		}
	}
}

func TestRemoveTableUndoesAddTable(t *testing.T) {
	line := rapid.SampledFrom([]string{"", "# note", "[a]", "[[b]]", "[mcp_servers.other]", "x = 1", "y = '''\n[mcp_servers.memory]\n'''", "z = [\n  1,\n]"})
	rapid.Check(t, func(t *rapid.T) {
		doc := ""
		if lines := rapid.SliceOf(line).Draw(t, "lines"); len(lines) > 0 {
			doc = strings.Join(lines, "\n") + "\n"
		}
		got, err := AddTable([]byte(doc), table)
		if err != nil {
			return // no TOML: a key twice, say
		}
		if again, err := AddTable(got, table); err != nil || string(again) != string(got) {
			t.Fatalf("not idempotent: %v\n%s", err, again)
		}
		left, _, err := RemoveTable(got, table)
		if err != nil && strings.Contains(doc, "'''\n[mcp") {
			return // told apart by nobody: refused
		}
		if err != nil || strings.TrimSpace(doc) != "" && string(left) != doc {
			t.Fatalf("%v\nwas %q\nis  %q", err, doc, left)
		}
	})
}

func FuzzTable(f *testing.F) {
	for _, doc := range []string{"", block, "a = 1\n" + block + "[mcp_servers.memory.env]\n", "[mcp_servers]\n"} {
		f.Add(doc)
	}
	f.Fuzz(func(t *testing.T, doc string) {
		got, err := AddTable([]byte(doc), table)
		if err != nil {
			return
		}
		if again, err := AddTable(got, table); err != nil || string(again) != string(got) {
			t.Fatalf("not idempotent: %v\n%s\n%s", err, got, again)
		}
		if left, _, err := RemoveTable(got, table); err == nil {
			if file, err := readTOML(left); err != nil {
				t.Fatalf("%v\n%s", err, left)
			} else if _, ok := table.in(file); ok {
				t.Fatalf("still there:\n%s", left)
			}
		}
	})
}
