package host

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"path"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Unit is a program to be started.
type Unit struct {
	Name    string   // see [UnitName]
	Purpose string   // a few words for people
	Program string   // its absolute path
	Args    []string // without the program
	Log     string   // file for its output, where nothing else keeps that; "" = none
	User    string   // the person's account, for Windows
}

// Format is a way of starting programs.
type Format string

// The formats.
const (
	Systemd Format = "systemd"
	Launchd Format = "launchd"
	Windows Format = "windows"
)

// Formats lists all formats.
func Formats() []Format { return []Format{Systemd, Launchd, Windows} }

// For is the format of an operating system, as Go calls it; "" for none.
func FormatFor(system string) Format {
	switch system {
	case "linux":
		return Systemd
	case "darwin":
		return Launchd
	case "windows":
		return Windows
	}
	return ""
}

// unitMark stands in all that we write.
const unitMark = `Written by "memory service install"; "memory service uninstall" removes it.`

// IsOurUnit reports whether a text is one that we wrote.
func IsOurUnit(text []byte) bool {
	return bytes.Contains(text, []byte(unitMark)) || bytes.Contains(text, utf16le(unitMark))
}

// Name names a workspace's unit: by the directory's name, for people, and by its
// whole path.
func UnitName(workspace string) string {
	base := path.Base(strings.ReplaceAll(workspace, `\`, "/"))
	var b strings.Builder
	for _, r := range strings.ToLower(base) {
		switch {
		case r >= 'a' && r <= 'z' || r >= '0' && r <= '9':
			b.WriteRune(r)
		case b.Len() > 0 && !strings.HasSuffix(b.String(), "-"):
			b.WriteByte('-')
		}
	}
	slug := b.String()
	slug = strings.Trim(slug[:min(len(slug), 24)], "-")
	sum := sha256.Sum256([]byte(workspace))
	return strings.ReplaceAll("memory-"+slug+"-"+hex.EncodeToString(sum[:4]), "--", "-")
}

// File is the name of the unit's file, without a directory.
func (f Format) File(name string) string {
	switch f {
	case Systemd:
		return name + ".service"
	case Launchd:
		return launchdLabel(name) + ".plist"
	}
	return name + ".xml"
}

func launchdLabel(name string) string { return "com.github.memoryd." + name }

// task is the name of the task on Windows.
func taskName(name string) string { return `\memoryd\` + name }

// Text writes the unit. An argument that the format can't hold is an error.
func (f Format) Text(u Unit) ([]byte, error) {
	for _, s := range append([]string{u.Name, u.Purpose, u.Program, u.Log, u.User}, u.Args...) {
		if !utf8.ValidString(s) || strings.ContainsFunc(s, unicode.IsControl) || strings.ContainsAny(s, "\ufffe\uffff") {
			return nil, fmt.Errorf("%s can't be written into a unit: it holds characters that no text has", strconv.Quote(s))
		}
	}
	switch f {
	case Systemd:
		return systemd(u), nil
	case Launchd:
		return launchd(u)
	case Windows:
		return windows(u)
	}
	return nil, fmt.Errorf("there is no format %q", string(f))
}

// Command is what is to be run for a unit.
type Command struct {
	Args    []string
	Lenient bool // that it fails means only that there was nothing to do
}

// Enable lists the commands that bring a unit's file into force and start the
// program; user is the id of the person, for launchd. Where it runs already it is
// started again if the file has changed.
func (f Format) Enable(name, file string, user int, changed bool) []Command {
	switch f {
	case Systemd:
		verb := "start"
		if changed {
			verb = "restart"
		}
		unit := f.File(name)
		return []Command{{Args: []string{"systemctl", "--user", "daemon-reload"}}, {Args: []string{"systemctl", "--user", "enable", unit}}, {Args: []string{"systemctl", "--user", verb, unit}}}
	case Launchd:
		domain := fmt.Sprintf("gui/%d", user)
		commands := []Command{{Args: []string{"launchctl", "bootstrap", domain, file}, Lenient: !changed}}
		if changed {
			commands = append([]Command{{Args: []string{"launchctl", "bootout", domain + "/" + launchdLabel(name)}, Lenient: true}}, commands...)
		}
		return commands
	}
	commands := []Command{{Args: []string{"schtasks", "/Create", "/TN", taskName(name), "/XML", file, "/F"}}, {Args: []string{"schtasks", "/Run", "/TN", taskName(name)}}}
	if changed {
		commands = append([]Command{{Args: []string{"schtasks", "/End", "/TN", taskName(name)}, Lenient: true}}, commands...)
	}
	return commands
}

// Disable lists the commands that stop the program and put its unit out of force:
// those before its file is removed, and those after.
func (f Format) Disable(name string, user int) (before, after []Command) {
	switch f {
	case Systemd:
		return []Command{{Args: []string{"systemctl", "--user", "disable", "--now", f.File(name)}}}, []Command{{Args: []string{"systemctl", "--user", "daemon-reload"}}}
	case Launchd:
		return []Command{{Args: []string{"launchctl", "bootout", fmt.Sprintf("gui/%d/%s", user, launchdLabel(name))}, Lenient: true}}, nil
	}
	return []Command{{Args: []string{"schtasks", "/End", "/TN", taskName(name)}, Lenient: true}, {Args: []string{"schtasks", "/Delete", "/TN", taskName(name), "/F"}, Lenient: true}}, nil
}

// Ask is the command that prints the state of a unit; see [Format.State].
func (f Format) Ask(name string, user int) Command {
	switch f {
	case Systemd:
		return Command{Args: []string{"systemctl", "--user", "show", "--property=ActiveState,SubState,UnitFileState,MainPID", f.File(name)}}
	case Launchd:
		return Command{Args: []string{"launchctl", "print", fmt.Sprintf("gui/%d/%s", user, launchdLabel(name))}}
	}
	return Command{Args: []string{"schtasks", "/Query", "/TN", taskName(name), "/FO", "LIST"}}
}

// ErrNoState: an answer holds no state.
var ErrNoState = errors.New("the answer tells of no state")

// State reads the answer to [Format.Ask]: a few words for people. Where the words
// are those of the machine's language they are taken as they are.
func (f Format) State(answer string) (string, error) {
	fields := map[string]string{}
	var last string
	for line := range strings.Lines(answer) {
		key, value, ok := strings.Cut(line, map[Format]string{Systemd: "=", Launchd: " = ", Windows: ":"}[f])
		key, value = strings.TrimSpace(key), strings.TrimSpace(value)
		if !ok || value == "" {
			continue
		}
		if _, again := fields[key]; !again { // what is nested comes later
			fields[key] = value
		}
		last = value
	}
	state := ""
	switch f {
	case Systemd:
		if fields["ActiveState"] == "" {
			return "", ErrNoState
		}
		state = fields["ActiveState"]
		if sub := fields["SubState"]; sub != "" {
			state += " (" + sub + ")"
		}
		if enabled := fields["UnitFileState"]; enabled != "" {
			state += ", " + enabled
		}
		if pid := fields["MainPID"]; pid != "" && pid != "0" {
			state += ", pid " + pid
		}
	case Launchd:
		if state = fields["state"]; state != "" && fields["pid"] != "" {
			state += ", pid " + fields["pid"]
		}
	default: // the last line of the list is the status, in any language
		state = last
	}
	if state == "" {
		return "", ErrNoState
	}
	return state, nil
}
