package host

import (
	"bytes"
	"errors"
	"fmt"
	"strings"

	"github.com/tidwall/gjson"
	"github.com/tidwall/jsonc"

	"github.com/memoryd/memoryd/pkg/internal/jsonedit"
)

// ServerName is the name of our MCP server, in settings and as it calls itself.
const ServerName = "memory"

// Hook is an entry for an event.
type Hook struct {
	Event string
	Entry string // a JSON object
}

// Server is an MCP server as a host starts it.
type Server struct {
	Key   string // of the object that it stands in, such as mcpServers
	Name  string
	Entry string // a JSON object
}

// Settings are the hooks and servers that a host's file should hold.
type Settings struct {
	// Head are members that a new file begins with, such as "version": 1, as pairs
	// of name and JSON.
	Head    [][2]string
	Hooks   []Hook
	Servers []Server
}

const hooksKey = "hooks"

// ErrOtherServer says that the name of a server is taken by one that isn't ours.
var ErrOtherServer = errors.New("is another server")

// document is a settings file as it is, and with spaces for what isn't JSON: comments, and commas behind the last item.
type document struct{ text, plain []byte }

// parse refuses what can't be edited without a loss.
func parse(text []byte) (*document, error) {
	d := &document{text, text}
	err := jsonedit.Check(text)
	if err != nil {
		if d.plain = jsonc.ToJSON(text); len(d.plain) == len(text) {
			err = jsonedit.Check(d.plain)
		}
	}
	if err != nil {
		return nil, fmt.Errorf("not JSON: %w", err)
	}
	if !gjson.ParseBytes(d.object()).IsObject() {
		return nil, errors.New("the file holds no JSON object")
	}
	return d, nil
}

// object is the value of the document, without white space and byte order mark.
func (d *document) object() []byte {
	start, end := jsonedit.Span(d.plain)
	return d.plain[start:end]
}

func (d *document) members() map[string]gjson.Result { return gjson.ParseBytes(d.object()).Map() }

func (d *document) get(path ...string) (gjson.Result, bool) { return jsonedit.Get(d.plain, path...) }

// remarks counts the bytes that aren't JSON.
func (d *document) remarks() (n int) {
	for i, b := range d.plain {
		if d.text[i] != b {
			n++
		}
	}
	return n
}

func (d *document) apply(edits ...jsonedit.Edit) error {
	text, plain, err := jsonedit.ApplyCommented(d.text, d.plain, edits...)
	if err == nil {
		d.text, d.plain = text, plain
	}
	return err
}

// AddSettings puts the hooks and servers into a file; nil stands for one that doesn't exist.
// Hooks of ours that differ from the wanted ones make way for them, at any event;
// what is there already stays where it is, and a server of ours stays as it is. An
// error says what of the file can't be edited, with line and column where it is no
// JSON. [ErrOtherServer]: the name of a server is taken.
func AddSettings(text []byte, want Settings) ([]byte, error) {
	if len(bytes.TrimSpace(text)) == 0 {
		text = []byte("{}\n")
	}
	doc, err := parse(text)
	if err != nil {
		return nil, err
	}
	if len(doc.members()) == 0 && bytes.Equal(doc.text, doc.plain) {
		err = doc.apply(jsonedit.Set(want.text()))
		return doc.text, err
	}
	before := doc.remarks()
	entries := map[string]string{}
	for _, h := range want.Hooks {
		entries[h.Event] = string(jsonedit.Compact([]byte(h.Entry)))
	}
	if len(want.Hooks) > 0 {
		err = doc.removeHooks(func(event, entry string) bool { return string(jsonedit.Compact([]byte(entry))) != entries[event] })
		if err != nil {
			return nil, err
		}
	}
	for _, h := range want.Hooks {
		if err := doc.addHook(h); err != nil {
			return nil, err
		}
	}
	for _, s := range want.Servers {
		if err := doc.addServer(s); err != nil {
			return nil, err
		}
	}
	if doc.remarks() < before {
		return nil, errors.New("a comment would be lost that stands in an empty object or list")
	}
	return doc.text, nil
}

// text is a file with nothing else in it, laid out as people write it.
func (want Settings) text() []byte {
	var members []string
	for _, h := range want.Head {
		members = append(members, string(jsonedit.Quote(h[0]))+":"+h[1])
	}
	if len(want.Hooks) > 0 {
		var lists []string
		for _, h := range want.Hooks {
			lists = append(lists, string(jsonedit.Quote(h.Event))+":["+h.Entry+"]")
		}
		members = append(members, `"hooks":{`+strings.Join(lists, ",")+"}")
	}
	for _, s := range want.Servers {
		members = append(members, string(jsonedit.Quote(s.Key))+":{"+string(jsonedit.Quote(s.Name))+":"+s.Entry+"}")
	}
	return jsonedit.Indent([]byte("{"+strings.Join(members, ",")+"}"), "", "  ")
}

// addHook appends a hook to its event's list unless it is there.
func (d *document) addHook(h Hook) error {
	list, ok := jsonedit.Elements(d.plain, hooksKey, h.Event)
	for _, e := range list {
		if string(jsonedit.Compact([]byte(e.Raw))) == string(jsonedit.Compact([]byte(h.Entry))) {
			return nil
		}
	}
	if ok {
		return d.apply(jsonedit.Append([]byte(h.Entry), hooksKey, h.Event))
	}
	path, raw := []string{hooksKey, h.Event}, "["+h.Entry+"]"
	if _, ok := d.get(hooksKey); !ok {
		path, raw = path[:1], "{"+string(jsonedit.Quote(h.Event))+":"+raw+"}"
	}
	if _, there := d.get(path...); there {
		return fmt.Errorf("%s is not a list", strings.Join(path, "."))
	}
	return d.apply(jsonedit.Set([]byte(raw), path...))
}

// RemoveSettings takes all hooks and the wanted servers of ours out of a file, and lists and objects that are
// empty without them. bare tells that nothing is left but what want would begin a
// new file with.
func RemoveSettings(text []byte, want Settings) (left []byte, bare bool, err error) {
	doc, err := parse(text)
	if err != nil {
		return nil, false, err
	}
	if len(want.Hooks) > 0 {
		err = doc.removeHooks(func(string, string) bool { return true })
	}
	for _, s := range want.Servers {
		if err == nil {
			err = doc.removeServer(s)
		}
	}
	if err != nil {
		return nil, false, err
	}
	rest := doc.members()
	for _, h := range want.Head {
		if rest[h[0]].Raw == h[1] {
			delete(rest, h[0])
		}
	}
	return doc.text, len(rest) == 0 && bytes.Equal(doc.text, doc.plain), nil
}

// removeHooks takes out entries of ours for which gone holds.
func (d *document) removeHooks(gone func(event, entry string) bool) error {
	hooks, ok := d.get(hooksKey)
	if !ok {
		return nil
	}
	if !hooks.IsObject() {
		return errors.New("hooks is not an object")
	}
	var err error
	hooks.ForEach(func(key, list gjson.Result) bool {
		event := jsonedit.Text(key)
		for i := len(list.Array()) - 1; list.IsArray() && i >= 0 && err == nil; i-- {
			entry := list.Array()[i]
			if gone(event, entry.Raw) {
				err = d.removeEntry(entry, event, i)
			}
		}
		return err == nil
	})
	return err
}

// removeEntry takes out an entry that is ours, or what of a group is ours.
func (d *document) removeEntry(entry gjson.Result, event string, i int) error {
	index := fmt.Sprint(i)
	inner := entry.Get(hooksKey).Array()
	var edits []jsonedit.Edit
	for j := len(inner) - 1; j >= 0; j-- {
		if isOurHook(inner[j]) {
			edits = append(edits, jsonedit.Delete(hooksKey, event, index, hooksKey, fmt.Sprint(j)))
		}
	}
	switch {
	case isOurHook(entry), len(edits) > 0 && len(edits) == len(inner):
		edits = []jsonedit.Edit{jsonedit.Delete(hooksKey, event, index)}
	case len(edits) == 0:
		return nil
	}
	if err := d.apply(edits...); err != nil {
		return err
	}
	if list, _ := jsonedit.Elements(d.plain, hooksKey, event); len(list) > 0 {
		return nil
	}
	if err := d.apply(jsonedit.Delete(hooksKey, event)); err != nil {
		return err
	}
	if hooks, _ := d.get(hooksKey); len(hooks.Map()) > 0 {
		return nil
	}
	return d.apply(jsonedit.Delete(hooksKey))
}

// isOurHook reports whether a hook runs "memory hook", with or without a shell.
func isOurHook(hook gjson.Result) bool {
	if !hook.IsObject() {
		return false
	}
	if args := hook.Get("args").Array(); len(args) > 0 {
		return isProgram(hook.Get("command").Str) && args[0].Str == "hook"
	}
	for _, key := range []string{"command", "bash", "powershell"} {
		words := strings.Fields(strings.TrimPrefix(hook.Get(key).Str, "try { ")) // as PowerShell has it
		if len(words) > 1 && isProgram(strings.Trim(words[0], `"'`)) && words[1] == "hook" {
			return true
		}
	}
	return false
}

// isProgram reports whether a command names the program, at whatever place.
func isProgram(command string) bool {
	name := command[strings.LastIndexAny(command, `/\`)+1:]
	return name == "memory" || name == "memory.exe"
}

// addServer adds a server unless it is there.
func (d *document) addServer(s Server) error {
	servers, ok := d.get(s.Key)
	if ok && !servers.IsObject() {
		return fmt.Errorf("%s is not an object", s.Key)
	}
	if entry, ok := d.get(s.Key, s.Name); ok {
		if !isOurServer(entry) {
			return fmt.Errorf("%s.%s %w", s.Key, s.Name, ErrOtherServer)
		}
		return nil
	}
	if !ok {
		return d.apply(jsonedit.Set([]byte("{"+string(jsonedit.Quote(s.Name))+":"+s.Entry+"}"), s.Key))
	}
	return d.apply(jsonedit.Set([]byte(s.Entry), s.Key, s.Name))
}

// removeServer removes a server that is ours, and the object that it leaves empty.
func (d *document) removeServer(s Server) error {
	entry, ok := d.get(s.Key, s.Name)
	if !ok || !isOurServer(entry) {
		return nil
	}
	if servers, _ := d.get(s.Key); len(servers.Map()) == 1 {
		return d.apply(jsonedit.Delete(s.Key))
	}
	return d.apply(jsonedit.Delete(s.Key, s.Name))
}

// isOurServer reports whether a server runs "memory mcp".
func isOurServer(entry gjson.Result) bool {
	args := entry.Get("args").Array()
	return entry.IsObject() && isProgram(entry.Get("command").Str) && len(args) > 0 && args[0].Str == "mcp"
}
