package hook

import (
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/rogpeppe/go-internal/txtar"

	"github.com/memoryd/memoryd/pkg/workspace"
)

var random = regexp.MustCompile(`"by":"[0-9a-f]{16}"`)

var update = flag.Bool("update", false, "rewrite the golden files")

var at = time.Date(2026, 3, 1, 9, 0, 0, 0, time.UTC)

// call is an event in the project /p, whose workspace is dir.
func call(host *Host, event, dir string, input io.Reader) (c *Call, settled *[]string) {
	settled = &[]string{}
	return &Call{
		Host: host, Event: event, Input: input, At: at, Dir: "/start",
		Env: func(string) string { return "" },
		Find: func(from string) string {
			if from == "/p" || strings.HasPrefix(from, "/p/") {
				return dir
			}
			return ""
		},
		Open:   workspace.Open,
		Settle: func(dir string) error { *settled = append(*settled, dir); return nil },
	}, settled
}

// inBubble runs a subtest whose time goes on only when everybody waits.
func inBubble(t *testing.T, name string, f func(t *testing.T)) {
	t.Run(name, func(t *testing.T) { synctest.Test(t, f) })
}

// ops lists the files below ops/, one file to a line.
func opsDir(t *testing.T, dir string) string {
	t.Helper()
	var b strings.Builder
	err := filepath.WalkDir(filepath.Join(dir, "ops"), func(name string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			if errors.Is(err, fs.ErrNotExist) {
				return nil
			}
			return err
		}
		text, err := os.ReadFile(name)
		rel, _ := filepath.Rel(dir, name)
		b.WriteString(filepath.ToSlash(rel) + " " + strings.TrimSpace(string(text)) + "\n")
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return b.String()
}

// checkGolden compares what was answered with a file, or rewrites it.
func checkGolden(t *testing.T, file string, out *txtar.Archive, want map[string]string) {
	t.Helper()
	if *update {
		if err := os.WriteFile(file, txtar.Format(out), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	for _, f := range out.Files {
		if string(f.Data) != want[f.Name] {
			t.Errorf("%s is\n%s\nwant\n%s", f.Name, f.Data, want[f.Name])
		}
	}
}

// Each host's events, in the order of the file, in one workspace: the answers and
// the traces in it are as in testdata. Every known event of the host is there.
func TestGolden(t *testing.T) {
	for _, name := range Names() {
		t.Run(name, func(t *testing.T) {
			host, file := Named(name), filepath.Join("testdata", name+".txtar")
			golden, err := txtar.ParseFile(file)
			if err != nil {
				t.Fatal(err)
			}
			want := map[string]string{}
			var inputs []txtar.File
			for _, f := range golden.Files {
				want[f.Name] = string(f.Data)
				if strings.HasSuffix(f.Name, ".in") {
					inputs = append(inputs, f)
				}
			}
			if len(inputs) != len(host.Events()) {
				t.Errorf("%d events, want %v", len(inputs), host.Events())
			}
			dir := t.TempDir()
			out := &txtar.Archive{Comment: golden.Comment}
			for _, f := range inputs {
				event := strings.TrimSuffix(f.Name, ".in")
				if _, known := host.events[event]; !known {
					t.Errorf("%s is no event of it", event)
				}
				c, settled := call(host, event, dir, strings.NewReader(string(f.Data)))
				c.Brief = func(_ *workspace.FileStore, to Recipient) (string, error) {
					return fmt.Sprintf("<memory-context>\n  %s %s %s %q starts: %t resumes: %t\n</memory-context>\n", to.Host, to.Session, to.Project, to.Prompt, to.Starts, to.Resumes), nil
				}
				answer, err := c.Answer() // however busy the machine is
				if err != nil {
					t.Errorf("%s: %v", event, err)
				}
				if (len(*settled) > 0) != (host.kind(event) == end) {
					t.Errorf("%s: settled %v", event, *settled)
				}
				out.Files = append(out.Files, f, txtar.File{Name: event + ".out", Data: []byte(answer)}, txtar.File{Name: event + ".ops", Data: []byte(random.ReplaceAllString(opsDir(t, dir), `"by":"RANDOM"`))})
			}
			checkGolden(t, file, out, want)
		})
	}
}

// A host is never failed: the answer is the silent one, and the log says why.
func TestFailsOpen(t *testing.T) {
	claude := Named("claude")
	const ok = `{"session_id":"s","cwd":"/p"}`
	for _, tt := range []struct {
		name  string
		input io.Reader
		wreck func(*Call)
		log   string // "": none
	}{
		{"nothing on the input", strings.NewReader(""), nil, ""},
		{"no JSON", strings.NewReader("hello"), nil, "read the event: invalid character"},
		{"cut off", strings.NewReader(`{"session_id":"s`), nil, "cut off"},
		{"too long", io.MultiReader(strings.NewReader(`"`), endless{}), nil, "cut off, or longer than"},
		{"no object", strings.NewReader(`[1,2]`), nil, ""},
		{"other types", strings.NewReader(`{"session_id":7,"cwd":["/p"],"workspace_roots":"/p"}`), nil, ""},
		{"byte order mark", strings.NewReader("\xef\xbb\xbf" + ok), nil, ""},
		{"silent host", nil, nil, "not done after 400ms"},
		{"reading fails", broken{}, nil, "no more"},
		{"panic", strings.NewReader(ok), func(c *Call) { c.Settle = func(string) error { panic("oh") } }, "panic: oh"},
		{"no process", strings.NewReader(ok), func(c *Call) { c.Settle = func(string) error { return errors.New("no more processes") } }, "start the settling: no more processes"},
		{"no store", strings.NewReader(ok), func(c *Call) { c.Open = failFirst(c.Open) }, "can't open"},
	} {
		inBubble(t, tt.name, func(t *testing.T) { // where a slow machine is never late
			if tt.input == nil { // a host that neither writes nor closes
				never, writer := io.Pipe()
				defer func() { // it goes away
					_ = writer.CloseWithError(io.ErrClosedPipe)
					synctest.Wait()
				}()
				tt.input = never
			}
			dir := t.TempDir()
			c, _ := call(claude, "SessionEnd", dir, tt.input)
			c.Dir = "/p"
			if tt.wreck != nil {
				tt.wreck(c)
			}
			if answer := c.Run(); answer != "" {
				t.Errorf("answer %q", answer)
			}
			text, _ := os.ReadFile(filepath.Join(dir, "ops", LogFile))
			if tt.log == "" && len(text) > 0 || !strings.Contains(string(text), tt.log) || tt.log != "" && strings.Count(string(text), "\n") != 1 {
				t.Errorf("log: %s", text)
			}
		})
	}
}

// What goes wrong with a text leaves the rest as it is, and one that comes too late is
// not given.
func TestBriefFailsOpen(t *testing.T) {
	const ok = `{"session_id":"s","cwd":"/p","prompt":"Why?"}`
	forever := make(chan struct{})
	t.Cleanup(func() { close(forever) })
	for _, tt := range []struct {
		name, event string
		brief       func(*workspace.FileStore, Recipient) (string, error)
		answer, log string
	}{
		{"a text", "SessionStart", func(*workspace.FileStore, Recipient) (string, error) { return "a \"text\" <b>", nil }, `a "text" <b>`, ""},
		{"none", "UserPromptSubmit", func(*workspace.FileStore, Recipient) (string, error) { return "", nil }, "", ""},
		{"a text and a trouble", "UserPromptSubmit", func(*workspace.FileStore, Recipient) (string, error) { return "text", errors.New("no receipt") }, "text", "no receipt"},
		{"fails", "SessionStart", func(*workspace.FileStore, Recipient) (string, error) { return "", errors.New("oh") }, "", "oh"},
		{"panics", "SessionStart", func(*workspace.FileStore, Recipient) (string, error) { panic("oh") }, "", "panic: oh"},
		{"hangs", "UserPromptSubmit", func(*workspace.FileStore, Recipient) (string, error) { <-forever; return "late", nil }, "", "not done after 700ms"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			dir := t.TempDir()
			c, _ := call(Named("claude"), tt.event, dir, strings.NewReader(ok))
			c.Brief = tt.brief
			ahead := ""
			c.Late = func(dir string) error { ahead = dir; return nil }
			answer := c.Run()
			if late := ahead == dir; late != (tt.name == "hangs") {
				t.Errorf("the next time is seen to: %t", late)
			}
			var got struct {
				HookSpecificOutput struct{ HookEventName, AdditionalContext string }
			}
			if err := json.Unmarshal([]byte(answer), &got); tt.answer != "" && (err != nil || got.HookSpecificOutput.HookEventName != tt.event) {
				t.Errorf("%v: %s", err, answer)
			}
			if got.HookSpecificOutput.AdditionalContext != tt.answer || tt.answer == "" && answer != "" {
				t.Errorf("answer %s", answer)
			}
			text, _ := os.ReadFile(filepath.Join(dir, "ops", LogFile))
			if tt.log == "" && len(text) > 0 || !strings.Contains(string(text), tt.log) {
				t.Errorf("log: %s", text)
			}
			_, err := os.Stat(filepath.Join(dir, "ops", "sessions", "s.json"))
			if begun := err == nil; begun != (tt.event == "SessionStart") {
				t.Errorf("the session has begun: %t", begun)
			}
		})
	}
}

// A notice is shown to the person once a session, in the form of the host; when what it is about is mended, a host that waits for
// its block with a prompt is given it.
func TestNotice(t *testing.T) {
	for name, shown := range map[string]string{"claude": `{"systemMessage":"mend \"it\""}`, "codex": `{"systemMessage":"mend \"it\""}`, "gemini": `{"systemMessage":"mend \"it\""}`, "cursor": `{"continue":true}`, "copilot": ""} {
		inBubble(t, name, func(t *testing.T) {
			dir, host := t.TempDir(), Named(name)
			i := slices.IndexFunc(host.Events(), func(event string) bool { return host.kind(event) == prompt })
			event := host.Events()[i]
			for i, want := range []string{shown, strings.TrimSpace(host.silence(event))} {
				c, _ := call(host, event, dir, strings.NewReader(fmt.Sprintf(`{"session_id":"s","cwd":"/p","prompt":"number %d"}`, i)))
				c.Brief = func(*workspace.FileStore, Recipient) (string, error) { return "", Notice{Err: errors.New(`mend "it"`)} }
				if answer := strings.TrimSpace(c.Run()); answer != want {
					t.Errorf("prompt %d: %s, want %s", i, answer, want)
				}
			}
			if log, err := os.ReadFile(filepath.Join(dir, "ops", LogFile)); host.takes(prompt) && (err != nil || strings.Count(string(log), "mend") != 2) {
				t.Errorf("log: %v, %s", err, log)
			}
		})
	}
	inBubble(t, "owed", func(t *testing.T) {
		dir := t.TempDir()
		for i, broken := range []bool{true, false} {
			c, _ := call(Named("gemini"), "BeforeAgent", dir, strings.NewReader(fmt.Sprintf(`{"session_id":"s","cwd":"/p","prompt":"number %d"}`, i)))
			starts := false
			c.Brief = func(_ *workspace.FileStore, to Recipient) (string, error) {
				if starts = to.Starts; broken {
					return "", Notice{Err: errors.New("mend it")}
				}
				return "text", nil
			}
			if c.Run(); !starts {
				t.Errorf("prompt %d doesn't bring the block", i)
			}
		}
	})
}

// Hooks that are installed twice, by a plugin and in the settings say, run at the same
// time: the session is given its memories once.
func TestStartsOnce(t *testing.T) {
	for _, tt := range []struct {
		source string
		want   int32
	}{{"startup", 1}, {"", 1}, {"compact", 1}, {"clear", 1}, {"resume", 1}} {
		dir := t.TempDir()
		var given atomic.Int32
		var group sync.WaitGroup
		for range 8 {
			c, _ := call(Named("claude"), "SessionStart", dir, strings.NewReader(`{"session_id":"s","cwd":"/p","source":"`+tt.source+`"}`))
			c.Brief = func(*workspace.FileStore, Recipient) (string, error) { return "text", nil }
			group.Go(func() {
				if c.Run() != "" {
					given.Add(1)
				}
			})
		}
		group.Wait()
		if text, _ := os.ReadFile(filepath.Join(dir, "ops", LogFile)); given.Load() != tt.want && len(text) == 0 {
			t.Errorf("%q: given %d times, want %d", tt.source, given.Load(), tt.want)
		}
		c, _ := call(Named("claude"), "SessionStart", dir, strings.NewReader(`{"session_id":"s","cwd":"/p","source":"startup"}`))
		c.At = at.Add(time.Hour)
		c.Brief = func(*workspace.FileStore, Recipient) (string, error) { return "text", nil }
		if c.Run() == "" {
			t.Errorf("%q: not given an hour later", tt.source)
		}
	}
}

// A host that loses the text of a start when the session goes on is given the block beside the first prompt, and once more
// where its context was emptied.
func TestBlockBesidePrompt(t *testing.T) {
	for _, host := range []struct{ name, start, prompt, emptied string }{
		{"gemini", "SessionStart", "BeforeAgent", "PreCompress"},
		{"copilot", "sessionStart", "userPromptSubmitted", ""},
	} {
		inBubble(t, host.name, func(t *testing.T) {
			dir, now := t.TempDir(), at
			tell := func(event, input string) (given bool, to Recipient) {
				t.Helper()
				now = now.Add(time.Minute)
				c, _ := call(Named(host.name), event, dir, strings.NewReader(input))
				c.At = now
				c.Brief = func(_ *workspace.FileStore, r Recipient) (string, error) {
					given, to = true, r
					return "text", nil
				}
				if answer := c.Run(); given != strings.Contains(answer, "text") {
					t.Errorf("%s: answer %q", event, answer)
				}
				return given, to
			}
			start := func(source string) {
				t.Helper()
				if given, _ := tell(host.start, `{"session_id":"s","cwd":"/p","source":"`+source+`"}`); given {
					t.Errorf("%s: given at the start", source)
				}
			}
			prompt := func(text string, wantBlock bool) {
				t.Helper()
				given, to := tell(host.prompt, `{"session_id":"s","cwd":"/p","prompt":"`+text+`"}`)
				if !given || to.Starts != wantBlock {
					t.Errorf("%s: given %t, the block %t, want %t", text, given, to.Starts, wantBlock)
				}
			}
			start("startup")
			prompt("one", true)
			prompt("two", false)
			start("resume")
			prompt("three", false)
			if host.emptied != "" {
				tell(host.emptied, `{"session_id":"s","cwd":"/p"}`)
				prompt("four", true)
				prompt("five", false)
			}
			start("clear")
			prompt("six", true)
			prompt("seven", false)
		})
	}
}

func TestTyped(t *testing.T) {
	for in, want := range map[string]string{
		"why?": "why?",
		"<hook_context>notes of another hook</hook_context>\n\nwhy?":        "why?",
		"<hook_context>a</hook_context> <hook_context>b</hook_context>why?": "why?",
		"<hook_context>never closed why?":                                   "<hook_context>never closed why?",
		"what does <hook_context>x</hook_context> mean?":                    "what does <hook_context>x</hook_context> mean?",
	} {
		if got := typed(in); got != want {
			t.Errorf("%q: %q, want %q", in, got, want)
		}
	}
}

type endless struct{}

func (endless) Read(p []byte) (int, error) {
	for i := range p {
		p[i] = 'a'
	}
	return len(p), nil
}

type broken struct{}

func (broken) Read([]byte) (int, error) { return 0, errors.New("no more") }

func failFirst(open func(string) (*workspace.FileStore, error)) func(string) (*workspace.FileStore, error) {
	failed := false
	return func(dir string) (*workspace.FileStore, error) {
		if !failed {
			failed = true
			return nil, errors.New("can't open")
		}
		return open(dir)
	}
}

// Where there is no workspace, nothing happens.
func TestNoWorkspace(t *testing.T) {
	for _, name := range Names() {
		host := Named(name)
		for _, event := range append(host.Events(), "Unheard") {
			dir := t.TempDir()
			c, settled := call(host, event, dir, strings.NewReader(`{"session_id":"s","cwd":"/q","workspace_roots":["relative"]}`))
			if answer := c.Run(); answer != host.silence(event) || len(*settled) > 0 {
				t.Errorf("%s %s: %q, settled %v", name, event, answer, *settled)
			}
			if left := opsDir(t, dir); left != "" {
				t.Errorf("%s %s: %s", name, event, left)
			}
		}
	}
}

// What an earlier end has left is settled when the next session starts.
func TestStartSettlesLeftovers(t *testing.T) {
	for _, tt := range []struct {
		name, file, text string
		want             int
	}{
		{"nothing", "sessions/s1.json", `{"session":"s1","at":"2026-02-28T00:00:00Z"}`, 0},
		{"an end", "spool/x.json", `{"session":"s1","at":"2026-02-28T00:00:00Z"}`, 1},
		{"abandoned", "sessions/s1.json", `{"session":"s1","at":"2026-02-22T09:00:00Z"}`, 1},
	} {
		inBubble(t, tt.name, func(t *testing.T) {
			dir := t.TempDir()
			file := filepath.Join(dir, "ops", filepath.FromSlash(tt.file))
			if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
				t.Fatal(err)
			}
			if err := os.WriteFile(file, []byte(tt.text), 0o644); err != nil {
				t.Fatal(err)
			}
			c, settled := call(Named("codex"), "SessionStart", dir, strings.NewReader(`{"session_id":"s2","cwd":"/p"}`))
			c.Run()
			if len(*settled) != tt.want {
				t.Errorf("settled %v", *settled)
			}
		})
	}
}

// The log doesn't grow for ever.
func TestLogIsBounded(t *testing.T) {
	dir := t.TempDir()
	store, err := workspace.Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	defer store.Close()
	cause := errors.New(strings.Repeat("x", maxLog/4) + "\nsecond line")
	for range 12 {
		Log(store, at, "test", cause)
	}
	files, err := os.ReadDir(filepath.Join(dir, "ops"))
	if err != nil || len(files) != 2 {
		t.Fatalf("%v, %v", files, err)
	}
	for _, f := range files {
		info, err := f.Info()
		if err != nil || info.Size() > 2*maxLog {
			t.Errorf("%s: %d bytes, %v", f.Name(), info.Size(), err)
		}
	}
}

// Whatever a host writes, the answer is the silent one, nothing panics, and what
// is written lies in the spools, or is the log or the list of events.
func FuzzEvent(f *testing.F) {
	for _, text := range []string{`{"session_id":"s","cwd":"/p"}`, `{"conversation_id":"../../x","workspace_roots":["/p"]}`, "\xef\xbb\xbf{}", `{"session_id":"\u0000\ud800","cwd":"/p/.."}`, "{"} {
		f.Add(text, 0, true)
	}
	f.Fuzz(func(t *testing.T, text string, n int, ends bool) {
		host := hosts[uint(n)%uint(len(hosts))]
		event := host.Events()[uint(n)%uint(len(host.events))]
		if ends {
			host, event = hosts[0], "SessionEnd"
		}
		dir := t.TempDir()
		c, _ := call(host, event, dir, strings.NewReader(text))
		c.Dir = "/p"
		if answer := c.Run(); answer != host.silence(event) {
			t.Fatalf("%s %s: %q", host.Name, event, answer)
		}
		for _, line := range strings.Split(strings.TrimSuffix(opsDir(t, dir), "\n"), "\n") {
			ours := strings.HasPrefix(line, "ops/sessions/") || strings.HasPrefix(line, "ops/spool/") || strings.HasPrefix(line, "ops/hook.log ") || strings.HasPrefix(line, "ops/events.jsonl ")
			if line != "" && !ours || strings.Contains(line, "panic") {
				t.Fatalf("%s %s: %q", host.Name, event, line)
			}
		}
	})
}
