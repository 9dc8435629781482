package host

import (
	"bytes"
	"errors"
	"fmt"
	"strings"

	"github.com/tidwall/gjson"

	"github.com/memoryd/memoryd/pkg/internal/jsonedit"
)

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

// AddSettings puts the hooks and servers into a file; nil stands for one that doesn't exist.
// Hooks of ours that differ from the wanted ones make way for them, at any event;
// what is there already stays where it is, and a server of ours stays as it is. An
// error says what of the file can't be edited,
// with line and column where it is no JSON.
func AddSettings(doc []byte, want Settings) ([]byte, error) {
	if len(bytes.TrimSpace(doc)) == 0 {
		doc = []byte("{}\n")
	}
	if err := checkObject(doc); err != nil {
		return nil, err
	}
	entries := map[string]string{}
	for _, h := range want.Hooks {
		entries[h.Event] = string(jsonedit.Compact([]byte(h.Entry)))
	}
	var err error
	if len(want.Hooks) > 0 {
		doc, err = removeHooks(doc, func(event, entry string) bool { return string(jsonedit.Compact([]byte(entry))) != entries[event] })
		if err != nil {
			return nil, err
		}
	}
	fresh := len(gjson.ParseBytes(object(doc)).Map()) == 0
	if fresh { // laid out as people write it
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
		return jsonedit.Apply(doc, jsonedit.Set(jsonedit.Indent([]byte("{"+strings.Join(members, ",")+"}"), "", "  ")))
	}
	for _, h := range want.Hooks {
		if doc, err = addHook(doc, h); err != nil {
			return nil, err
		}
	}
	for _, s := range want.Servers {
		if doc, err = addServer(doc, s); err != nil {
			return nil, err
		}
	}
	return doc, nil
}

// addHook appends a hook to its event's list unless it is there.
func addHook(doc []byte, h Hook) ([]byte, error) {
	list, ok := jsonedit.Elements(doc, hooksKey, h.Event)
	for _, e := range list {
		if string(jsonedit.Compact([]byte(e.Raw))) == string(jsonedit.Compact([]byte(h.Entry))) {
			return doc, nil
		}
	}
	if ok {
		return jsonedit.Apply(doc, jsonedit.Append([]byte(h.Entry), hooksKey, h.Event))
	}
	path, raw := []string{hooksKey, h.Event}, "["+h.Entry+"]"
	if _, ok := jsonedit.Get(doc, hooksKey); !ok {
		path, raw = path[:1], "{"+string(jsonedit.Quote(h.Event))+":"+raw+"}"
	}
	if _, there := jsonedit.Get(doc, path...); there {
		return nil, fmt.Errorf("%s is no list", strings.Join(path, "."))
	}
	return jsonedit.Apply(doc, jsonedit.Set([]byte(raw), path...))
}

// RemoveSettings takes all hooks and the wanted servers of ours out of a file, and lists and objects that are
// empty without them. bare tells that nothing is left but what want would begin a
// new file with.
func RemoveSettings(doc []byte, want Settings) (left []byte, bare bool, err error) {
	if err := checkObject(doc); err != nil {
		return nil, false, err
	}
	left = doc
	if len(want.Hooks) > 0 {
		left, err = removeHooks(doc, func(string, string) bool { return true })
	}
	for _, s := range want.Servers {
		if err == nil {
			left, err = removeServer(left, s)
		}
	}
	if err != nil {
		return nil, false, err
	}
	rest := gjson.ParseBytes(object(left)).Map()
	for _, h := range want.Head {
		if rest[h[0]].Raw == h[1] {
			delete(rest, h[0])
		}
	}
	return left, len(rest) == 0, nil
}

// removeHooks takes out entries of ours for which gone holds.
func removeHooks(doc []byte, gone func(event, entry string) bool) ([]byte, error) {
	hooks, ok := jsonedit.Get(doc, hooksKey)
	if !ok {
		return doc, nil
	}
	if !hooks.IsObject() {
		return nil, errors.New("hooks is no object")
	}
	var err error
	hooks.ForEach(func(key, list gjson.Result) bool {
		event := jsonedit.Text(key)
		for i := len(list.Array()) - 1; list.IsArray() && i >= 0 && err == nil; i-- {
			entry := list.Array()[i]
			if gone(event, entry.Raw) {
				doc, err = removeEntry(doc, entry, event, i)
			}
		}
		return err == nil
	})
	return doc, err
}

// removeEntry takes out an entry that is ours, or what of a group is ours.
func removeEntry(doc []byte, entry gjson.Result, event string, i int) ([]byte, error) {
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
		return doc, nil
	}
	doc, err := jsonedit.Apply(doc, edits...)
	if err != nil {
		return nil, err
	}
	if list, _ := jsonedit.Elements(doc, hooksKey, event); len(list) > 0 {
		return doc, nil
	}
	if doc, err = jsonedit.Apply(doc, jsonedit.Delete(hooksKey, event)); err != nil {
		return nil, err
	}
	if hooks, _ := jsonedit.Get(doc, hooksKey); len(hooks.Map()) > 0 {
		return doc, nil
	}
	return jsonedit.Apply(doc, jsonedit.Delete(hooksKey))
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

// checkObject refuses what can't be edited without a loss.
func checkObject(doc []byte) error {
	if err := jsonedit.Check(doc); err != nil {
		return fmt.Errorf("not strict JSON: %w", err)
	}
	root := gjson.ParseBytes(object(doc))
	if !root.IsObject() {
		return errors.New("the file holds no JSON object")
	}
	return nil
}

// object is the value of a document, without white space and byte order mark.
func object(doc []byte) []byte {
	start, end := jsonedit.Span(doc)
	return doc[start:end]
}
