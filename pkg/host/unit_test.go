package host

import (
	"bytes"
	"encoding/binary"
	"encoding/xml"
	"errors"
	"flag"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"unicode/utf16"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"
)

var update = flag.Bool("update", false, "rewrite the golden files")

const nasty = `/home/Zoë O'Neil/50% "done" $HOME/a\b\`

func unit(workspace string) Unit {
	return Unit{
		Name: UnitName(workspace), Purpose: "watching " + workspace, Program: workspace + "/bin/memory",
		Args: []string{"--workspace", workspace, "watch", "", "$$", "%h", `\"`, "-->"}, Log: workspace + "/log & <more>.log", User: `DESKTOP\zoë`,
	}
}

func TestGolden(t *testing.T) {
	for _, f := range Formats() {
		workspace := nasty
		if f == Windows {
			workspace = `C:\Users\Zoë O'Neil\50% "done"\a b\`
		}
		u := unit(workspace)
		if f == Windows {
			u.Args = slices.DeleteFunc(u.Args, func(s string) bool { return s == "%h" })
			u.Program = `C:\Program Files\memory.exe`
		}
		got, err := f.Text(u)
		if err != nil {
			t.Fatal(err)
		}
		if !IsOurUnit(got) {
			t.Errorf("%s: we don't know our own", f)
		}
		name := filepath.Join("testdata", string(f)+".golden")
		if *update {
			if err := os.WriteFile(name, got, 0o644); err != nil {
				t.Fatal(err)
			}
		}
		want, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		if !bytes.Equal(got, want) {
			t.Errorf("%s (-want +got)\n%s", f, cmp.Diff(string(want), string(got)))
		}
	}
}

// TestArgumentsComeBack reads the units as their readers are documented to: what
// comes out is what was put in.
func TestArgumentsComeBack(t *testing.T) {
	word := rapid.StringOf(rapid.OneOf(rapid.SampledFrom([]rune(`ab /\\"'%$;#{}()<>&-=`)), rapid.RuneFrom([]rune("äß漢😀\u00a0\u2028"))))
	rapid.Check(t, func(t *rapid.T) {
		u := Unit{Name: "memory-x", Purpose: word.Draw(t, "purpose"), Program: "/" + word.Draw(t, "program"), Args: rapid.SliceOfN(word, 0, 5).Draw(t, "args")}
		want := append([]string{u.Program}, u.Args...)
		for f, read := range map[Format]func([]byte) ([]string, error){Systemd: readSystemd, Launchd: readLaunchd, Windows: readWindows} {
			text, err := f.Text(u)
			if f == Windows && err != nil && (strings.Contains(strings.Join(want, " "), "$(") || strings.Count(strings.Join(want, " "), "%") > 1) {
				continue
			}
			if err != nil {
				t.Fatal(err)
			}
			got, err := read(text)
			if err != nil {
				t.Fatalf("%s: %v\n%s", f, err, text)
			}
			if len(got) > 3 && got[0] == "/bin/sh" && f == Systemd {
				if !strings.ContainsAny(u.Program, `\"'`) || got[1] != "-c" || got[2] != `exec "$0" "$@"` {
					t.Fatalf("%s is started by %q", u.Program, got)
				}
				got = got[3:]
			}
			if !slices.Equal(got, want) {
				t.Fatalf("%s: read %q, want %q\n%s", f, got, want, text)
			}
		}
	})
}

// readSystemd follows systemd.syntax(7) and systemd.service(5): lines, words in
// quotes, C escapes, then specifiers in all, then variables in all but the program.
func readSystemd(text []byte) ([]string, error) {
	var line string
	section := ""
	joined := strings.ReplaceAll(string(text), "\\\n", " ")
	for l := range strings.Lines(joined) {
		l = strings.TrimSpace(l)
		switch {
		case strings.HasPrefix(l, "[") && strings.HasSuffix(l, "]"):
			section = l
		case l == "" || l[0] == '#' || l[0] == ';':
		case !strings.Contains(l, "="):
			return nil, errors.New("neither a section nor a setting: " + l)
		case strings.HasPrefix(l, "ExecStart=") && section == "[Service]":
			line = strings.TrimPrefix(l, "ExecStart=")
		}
	}
	var words []string
	for line = strings.TrimSpace(line); line != ""; line = strings.TrimLeft(line, " \t") {
		var w strings.Builder
		quote := byte(0)
		i := 0
		for ; i < len(line) && (quote != 0 || line[i] != ' '); i++ {
			switch c := line[i]; {
			case c == '\\':
				i++
				if i == len(line) || !strings.ContainsRune(`\"'`, rune(line[i])) {
					return nil, errors.New("an escape that we never write")
				}
				w.WriteByte(line[i])
			case quote == 0 && w.Len() == 0 && (c == '"' || c == '\''):
				quote = c
			case quote != 0 && c == quote:
				quote = 0
			default:
				w.WriteByte(c)
			}
		}
		if quote != 0 {
			return nil, errors.New("a quote is left open")
		}
		line = line[i:]
		word, err := undouble(w.String(), '%')
		if err == nil && len(words) > 0 {
			word, err = undouble(word, '$')
		}
		if err != nil {
			return nil, err
		}
		words = append(words, word)
	}
	return words, nil
}

// undouble reads a character that stands for itself only when it is doubled.
func undouble(s string, c byte) (string, error) {
	var b strings.Builder
	for i := 0; i < len(s); i++ {
		if s[i] == c {
			if i++; i == len(s) || s[i] != c {
				return "", errors.New("a single " + string(c) + " in " + s)
			}
		}
		b.WriteByte(s[i])
	}
	return b.String(), nil
}

func readLaunchd(doc []byte) ([]string, error) {
	var plist struct {
		Dict struct {
			Items []struct {
				XMLName xml.Name
				Text    string   `xml:",chardata"`
				Strings []string `xml:"string"`
			} `xml:",any"`
		} `xml:"dict"`
	}
	if err := xml.Unmarshal(doc, &plist); err != nil {
		return nil, err
	}
	for i, item := range plist.Dict.Items {
		if item.XMLName.Local == "key" && item.Text == "ProgramArguments" {
			return plist.Dict.Items[i+1].Strings, nil
		}
	}
	return nil, errors.New("no ProgramArguments")
}

func readWindows(doc []byte) ([]string, error) {
	if !bytes.HasPrefix(doc, []byte{0xff, 0xfe}) || len(doc)%2 != 0 {
		return nil, errors.New("not UTF-16")
	}
	units := make([]uint16, len(doc)/2-1)
	for i := range units {
		units[i] = binary.LittleEndian.Uint16(doc[2+2*i:])
	}
	var task struct {
		Command   string `xml:"Actions>Exec>Command"`
		Arguments string `xml:"Actions>Exec>Arguments"`
	}
	text := strings.Replace(string(utf16.Decode(units)), `encoding="UTF-16"`, `encoding="UTF-8"`, 1)
	if err := xml.Unmarshal([]byte(text), &task); err != nil {
		return nil, err
	}
	return append([]string{task.Command}, commandLineToArgv(task.Arguments)...), nil
}

// commandLineToArgv follows the documentation of CommandLineToArgvW for arguments
// behind the first.
func commandLineToArgv(line string) (args []string) {
	for line = strings.TrimLeft(line, " \t"); line != ""; line = strings.TrimLeft(line, " \t") {
		var b strings.Builder
		quoted, slashes, i := false, 0, 0
		for ; i < len(line); i++ {
			c := line[i]
			if c == '\\' {
				slashes++
				continue
			}
			if c == '"' {
				b.WriteString(strings.Repeat(`\`, slashes/2))
				odd := slashes%2 == 1
				slashes = 0
				if odd {
					b.WriteByte('"')
				} else {
					quoted = !quoted
				}
				continue
			}
			b.WriteString(strings.Repeat(`\`, slashes))
			slashes = 0
			if !quoted && (c == ' ' || c == '\t') {
				break
			}
			b.WriteByte(c)
		}
		b.WriteString(strings.Repeat(`\`, slashes))
		args, line = append(args, b.String()), line[i:]
	}
	return args
}

// TestSystemdReadsIt lets systemd itself read a unit whose program has every
// character in its path that must be escaped: it must find the program.
func TestSystemdReadsIt(t *testing.T) {
	analyze, err := exec.LookPath("systemd-analyze")
	if err != nil {
		t.Skip("SKIPPED: there is no systemd-analyze")
	}
	dir := t.TempDir() + "/50% of Zoë;$HOME ${x} #1/%h"
	if err := os.MkdirAll(filepath.Join(dir, "bin"), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, "bin/memory"), []byte("#!/bin/sh\n"), 0o755); err != nil {
		t.Fatal(err)
	}
	verify := func(u Unit) string {
		text, err := Systemd.Text(u)
		if err != nil {
			t.Fatal(err)
		}
		file := filepath.Join(t.TempDir(), Systemd.File(u.Name))
		if err := os.WriteFile(file, text, 0o644); err != nil {
			t.Fatal(err)
		}
		cmd := exec.Command(analyze, "--user", "--man=no", "verify", file)
		cmd.Env = append(os.Environ(), "XDG_RUNTIME_DIR="+t.TempDir(), "HOME="+t.TempDir())
		out, err := cmd.CombinedOutput()
		var exit *exec.ExitError
		if err != nil && !errors.As(err, &exit) {
			t.Fatal(err)
		}
		// It may complain about units of the machine.
		var about []string
		for line := range strings.Lines(string(out)) {
			if strings.Contains(line, u.Name) {
				about = append(about, line)
			}
		}
		return strings.Join(about, "")
	}
	for _, u := range []Unit{unit(dir), unit(nasty)} {
		if said := verify(u); said != "" {
			t.Errorf("systemd-analyze: %s", said)
		}
	}
	u := unit(dir)
	u.Program += "-gone"
	if said := verify(u); !strings.Contains(said, "memory-gone") {
		t.Skipf("SKIPPED: this systemd-analyze doesn't look for programs: %q", said)
	}
}

func TestRefused(t *testing.T) {
	for _, path := range []string{"/a\nb", "/a\x00", "/a\x7f", "/a\xff", "/a\ufffe", "/a\t"} {
		for _, f := range Formats() {
			u := Unit{Name: "n", Program: "/memory", Args: []string{path}}
			if text, err := f.Text(u); err == nil {
				t.Errorf("%s took %q:\n%s", f, path, text)
			}
		}
	}
	if _, err := Windows.Text(Unit{Program: `C:\%TEMP%\memory.exe`}); err == nil {
		t.Error("the scheduler of Windows would replace the variable")
	}
	if _, err := Format("cron").Text(Unit{}); err == nil {
		t.Error("there is no format cron")
	}
	if IsOurUnit([]byte("[Unit]\nDescription=memory\n")) {
		t.Error("somebody else's unit is taken for ours")
	}
}

func TestName(t *testing.T) {
	for workspace, want := range map[string]string{
		"/home/z/My Notes!":               "memory-my-notes-",
		"/":                               "memory-",
		"/home/z/漢字":                      "memory-",
		`C:\Users\z\notes`:                "memory-notes-",
		"/a/" + strings.Repeat("x-", 100): "memory-x-x-x-x-x-x-x-x-x-x-x-x-",
	} {
		got := UnitName(workspace)
		if !strings.HasPrefix(got, want) || len(got) != len(want)+8 {
			t.Errorf("%q is named %q, want %q and 8 digits", workspace, got, want)
		}
	}
	if UnitName("/a/notes") == UnitName("/b/notes") {
		t.Error("two workspaces have one name")
	}
}

func TestState(t *testing.T) {
	for _, tt := range []struct {
		f            Format
		answer, want string
	}{
		{Systemd, "ActiveState=active\nSubState=running\nUnitFileState=enabled\nMainPID=42\n", "active (running), enabled, pid 42"},
		{Systemd, "ActiveState=inactive\nSubState=dead\nUnitFileState=\nMainPID=0\n", "inactive (dead)"},
		{Systemd, "", ""},
		{Launchd, "com.github.memoryd.x = {\n\tactive count = 1\n\tstate = running\n\n\tpid = 77\n\tspawn = {\n\t\tstate = active\n\t}\n}\n", "running, pid 77"},
		{Launchd, "Could not find service\n", ""},
		{Windows, "\r\nFolder: \\memoryd\r\nHostName:      PC\r\nTaskName:      \\memoryd\\x\r\nNext Run Time: N/A\r\nStatus:        Running\r\n", "Running"},
		{Windows, "", ""},
	} {
		got, err := tt.f.State(tt.answer)
		if got != tt.want || (err != nil) != (tt.want == "") {
			t.Errorf("%s: %q: %q, %v", tt.f, tt.answer, got, err)
		}
	}
}

func TestCommands(t *testing.T) {
	lines := func(commands []Command) (all []string) {
		for _, c := range commands {
			all = append(all, strings.Join(c.Args, " "))
		}
		return all
	}
	got := map[string][]string{}
	for _, f := range Formats() {
		before, after := f.Disable("n", 501)
		got[string(f)] = slices.Concat(lines(f.Enable("n", "FILE", 501, true)), []string{"--"}, lines(before), []string{"rm"}, lines(after), lines([]Command{f.Ask("n", 501)}))
	}
	want := map[string][]string{
		"systemd": {"systemctl --user daemon-reload", "systemctl --user enable n.service", "systemctl --user restart n.service", "--",
			"systemctl --user disable --now n.service", "rm", "systemctl --user daemon-reload", "systemctl --user show --property=ActiveState,SubState,UnitFileState,MainPID n.service"},
		"launchd": {"launchctl bootout gui/501/com.github.memoryd.n", "launchctl bootstrap gui/501 FILE", "--",
			"launchctl bootout gui/501/com.github.memoryd.n", "rm", "launchctl print gui/501/com.github.memoryd.n"},
		"windows": {`schtasks /End /TN \memoryd\n`, `schtasks /Create /TN \memoryd\n /XML FILE /F`, `schtasks /Run /TN \memoryd\n`, "--",
			`schtasks /End /TN \memoryd\n`, `schtasks /Delete /TN \memoryd\n /F`, "rm", `schtasks /Query /TN \memoryd\n /FO LIST`},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}
}
