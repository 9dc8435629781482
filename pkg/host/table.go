package host

import (
	"errors"
	"fmt"
	"maps"
	"reflect"
	"strings"

	"github.com/memoryd/memoryd/pkg/internal/tomledit"
)

// Table is an MCP server as a host keeps it in TOML: [Key.Name] with a command and
// arguments. Key and Name are bare keys.
type Table struct {
	Key, Name string
	Command   string
	Args      []string
}

func (t Table) header() string { return "[" + t.Key + "." + t.Name + "]" }

func (t Table) text() string {
	var args []string
	for _, a := range t.Args {
		args = append(args, fmt.Sprintf("%q", a))
	}
	return fmt.Sprintf("%s\ncommand = %q\nargs = [%s]\n", t.header(), t.Command, strings.Join(args, ", "))
}

// AddTable puts a server behind all else in a TOML file; nil stands for one that
// doesn't exist. A server of ours that is there stays as it is.
func AddTable(doc []byte, want Table) ([]byte, error) {
	before, err := readTOML(doc)
	if err != nil {
		return nil, err
	}
	if entry, ok := want.in(before); ok {
		if !isOurTable(entry) {
			return nil, fmt.Errorf("%s.%s %w", want.Key, want.Name, ErrOtherServer)
		}
		return doc, nil
	}
	text := string(doc)
	if _, there := before[want.Key]; there && !strings.Contains("\n"+strings.NewReplacer(" ", "", "\t", "").Replace(text), "\n["+want.Key) {
		return nil, fmt.Errorf("a table %s doesn't fit into it: %s is not written as tables", want.header(), want.Key)
	}
	end := lineEnd(doc)
	if text != "" && !strings.HasSuffix(text, "\n") {
		text += end
	}
	if strings.TrimSpace(text) != "" {
		text += end
	}
	after := []byte(text + strings.ReplaceAll(want.text(), "\n", end))
	if err := want.only(before, after); err != nil {
		return nil, err
	}
	return after, nil
}

// RemoveTable takes a server of ours out of a TOML file, with the tables below it.
// bare tells that nothing is left.
func RemoveTable(doc []byte, want Table) (left []byte, bare bool, err error) {
	before, err := readTOML(doc)
	if err != nil {
		return nil, false, err
	}
	if entry, ok := want.in(before); !ok || !isOurTable(entry) {
		return doc, false, nil
	}
	left = []byte(want.cut(string(doc)))
	after, err := readTOML(left)
	if _, still := want.in(after); still || err != nil {
		return nil, false, fmt.Errorf("%s.%s is not written as a table of its own", want.Key, want.Name)
	}
	if err := want.only(after, doc); err != nil {
		return nil, false, err
	}
	return left, strings.TrimSpace(string(left)) == "", nil
}

// cut leaves out the lines of the server's tables, and an empty line before them.
// Comments before the next table stay with that.
func (t Table) cut(doc string) string {
	lines := strings.SplitAfter(doc, "\n")
	var kept []string
	inside := false
	var after []string // empty lines and comments since the last line of the server
	for _, line := range lines {
		trimmed := strings.TrimSpace(line)
		switch {
		case strings.HasPrefix(trimmed, "["):
			was := inside
			inside = strings.HasPrefix(trimmed, t.header()) || strings.HasPrefix(trimmed, strings.TrimSuffix(t.header(), "]")+".")
			if was && !inside {
				kept = append(kept, after...)
			}
			after = nil
			if n := len(kept); inside && !was && n > 0 && strings.TrimSpace(kept[n-1]) == "" {
				kept = kept[:n-1]
			}
			if !inside {
				kept = append(kept, line)
			}
		case !inside:
			kept = append(kept, line)
		case trimmed == "" || strings.HasPrefix(trimmed, "#"):
			after = append(after, line)
		default:
			after = nil
		}
	}
	return strings.Join(append(kept, after...), "")
}

// in finds the server in what a file says.
func (t Table) in(file map[string]any) (entry map[string]any, ok bool) {
	servers, _ := file[t.Key].(map[string]any)
	value, ok := servers[t.Name]
	entry, _ = value.(map[string]any)
	return entry, ok
}

// only checks that a file says what another says and the server besides, nothing
// else.
func (t Table) only(without map[string]any, with []byte) error {
	file, err := readTOML(with)
	if err != nil {
		return fmt.Errorf("a table %s doesn't fit into it: %w", t.header(), err)
	}
	servers, _ := file[t.Key].(map[string]any)
	servers = maps.Clone(servers)
	delete(servers, t.Name)
	if file[t.Key] = servers; len(servers) == 0 {
		delete(file, t.Key)
		if old, ok := without[t.Key].(map[string]any); ok && len(old) == 0 {
			without = maps.Clone(without)
			delete(without, t.Key)
		}
	}
	if !reflect.DeepEqual(file, without) {
		return errors.New("the server can't be told from the rest of the file")
	}
	return nil
}

func isOurTable(entry map[string]any) bool {
	command, _ := entry["command"].(string)
	args, _ := entry["args"].([]any)
	return isProgram(command) && len(args) > 0 && args[0] == "mcp"
}

// CodexTrusts reports whether a config.toml of Codex says that a directory is trusted. It doesn't look at those above it. A text that
// isn't TOML, or has more keys than are read, trusts nothing.
func CodexTrusts(doc []byte, dir string) bool {
	var conf struct {
		Projects map[string]struct {
			Trust string `toml:"trust_level"`
		} `toml:"projects"`
	}
	return tomledit.Decode(doc, &conf) == nil && conf.Projects[dir].Trust == "trusted"
}

func readTOML(doc []byte) (map[string]any, error) {
	file := map[string]any{}
	if err := tomledit.Decode(doc, &file); err != nil {
		return nil, fmt.Errorf("not TOML: %w", err)
	}
	return file, nil
}
