package hook

import (
	"context"
	"errors"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/memoryd/memoryd/pkg/memory"
)

// A hub that answers late, wrongly or not at all never holds the host up, and the person is told once a session, where the host has a line
// for that.
func TestHubInTime(t *testing.T) {
	slow := func(ctx context.Context, _ []byte) (string, error) { <-ctx.Done(); return "", ctx.Err() }
	off := func(context.Context, []byte) (string, error) { return "", errors.New("connection refused") }
	late := func(context.Context, []byte) (string, error) { time.Sleep(time.Second); return "late", nil }
	given := func(_ context.Context, input []byte) (string, error) { return "given " + string(input), nil }
	broken := func(context.Context, []byte) (string, error) { panic("broken") }
	event := `{"session_id":"s1","cwd":"/p","prompt":"Which port?"}`
	for name, x := range map[string]struct {
		host, event, input string
		ask                func(context.Context, []byte) (string, error)
		first, second      string // what an answer holds; "" for the silent one
		most               time.Duration
	}{
		"answered":          {"claude", "SessionStart", event, given, "given " + event, "given " + event, 0},
		"slow at a start":   {"claude", "SessionStart", event, slow, "no memories are given", "", 700 * time.Millisecond},
		"late":              {"codex", "UserPromptSubmit", event, late, "no memories are given", "", 700 * time.Millisecond},
		"away":              {"gemini", "BeforeAgent", event, off, "connection refused", "", 0},
		"away at the end":   {"claude", "SessionEnd", event, off, "", "", 0},
		"slow at the end":   {"claude", "SessionEnd", event, slow, "", "", 400 * time.Millisecond},
		"no line":           {"copilot", "userPromptSubmitted", event, off, "", "", 0},
		"no name":           {"claude", "UserPromptSubmit", `{"cwd":"/p","prompt":"x"}`, off, "", "", 0},
		"no name, at start": {"claude", "SessionStart", `{"cwd":"/p"}`, off, "connection refused", "connection refused", 0},
		"panic":             {"claude", "SessionStart", event, broken, "", "", 0},
		"not asked":         {"claude", "Stop", event, given, "", "", 0},
		"takes no text":     {"cursor", "beforeSubmitPrompt", event, given, "", "", 0},
		"of no project":     {"claude", "SessionStart", `{"session_id":"s1","cwd":"/elsewhere"}`, given, "", "", 0},
	} {
		inBubble(t, name, func(t *testing.T) {
			told := map[string]bool{}
			for _, want := range []string{x.first, x.second} {
				host := Named(x.host)
				c, _ := call(host, x.event, t.TempDir(), strings.NewReader(x.input))
				c.Find = func(string) string { return "" }
				c.Hub = func(dir string) *Hub {
					if dir != "/p" {
						return nil
					}
					return &Hub{Name: "acme at https://hub.example", Ask: x.ask}
				}
				c.Once = func(name string) bool { first := !told[name]; told[name] = true; return first }
				begun := time.Now()
				answer := c.Run()
				if took := time.Since(begun); took > x.most {
					t.Errorf("it took %s", took)
				}
				time.Sleep(time.Second) // of the bubble: what is under way ends
				if want == "" && answer != host.silence(x.event) || !strings.Contains(answer, want) {
					t.Errorf("answered %q, want %q", answer, want)
				}
			}
		})
	}
}

// What is not an event is refused, and a hub isn't asked.
func TestHubOfNonsense(t *testing.T) {
	for _, input := range []string{`{"session_id":"` + strings.Repeat("s", maxSession+1) + `"}`, `{"session_id":"a\u0000b"}`, `{`, `[`} {
		c, _ := call(Named("claude"), "SessionStart", t.TempDir(), strings.NewReader(input))
		c.Hub = func(string) *Hub {
			return &Hub{Ask: func(context.Context, []byte) (string, error) {
				t.Errorf("%.40s: the hub was asked", input)
				return "", nil
			}}
		}
		if answer, err := c.Answer(); answer != "" || !errors.Is(err, ErrEvent) {
			t.Errorf("%.40s: %q, %v", input, answer, err)
		}
	}
}

// With a principal, sessions of one name are apart; their ends have the name that the host gave.
func TestPrincipals(t *testing.T) {
	dir := t.TempDir()
	if err := os.MkdirAll(dir+"/ops", 0o755); err != nil {
		t.Fatal(err)
	}
	event := `{"session_id":"s1","cwd":"/p","source":"startup"}`
	var ended []string
	tell := func(who, event, input string) {
		c, _ := call(Named("claude"), event, dir, strings.NewReader(input))
		c.Principal, c.End = who, func(s memory.Session) error { ended = append(ended, who+" "+s.ID); return nil }
		if _, err := c.Answer(); err != nil {
			t.Error(err)
		}
	}
	tell("ada", "SessionStart", event)
	tell("bob", "SessionStart", event)
	tell("ada", "SessionEnd", event)
	left := opsDir(t, dir)
	if strings.Join(ended, ", ") != "ada s1" || strings.Contains(left, `sessions/ada`) || !strings.Contains(left, `"session":"bob/s1"`) || strings.Contains(left, "spool/") {
		t.Errorf("%q\n%s", ended, left)
	}
}
