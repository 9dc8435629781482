package host

import (
	"strings"
	"testing"

	"github.com/tidwall/gjson"
	"pgregory.net/rapid"
)

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
		`{"mcpServers":[]}`:                              "mcpServers is no object",
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
	// What stands behind ours stays, with its comment; what stands below ours goes.
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
