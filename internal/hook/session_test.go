package hook

import (
	"testing"
	"time"

	"github.com/memoryd/memoryd/pkg/memory"
	"github.com/memoryd/memoryd/pkg/process"
	"github.com/memoryd/memoryd/pkg/workspace"
)

// A server works in the session that hooks have told of last for its host's process; else in that of the environment; else it begins one.
func TestEnsureSession(t *testing.T) {
	store, err := workspace.Open(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = store.Close() }()
	host, other := process.ID{PID: 7, Start: "1", Machine: "m"}, process.ID{PID: 8, Start: "1", Machine: "m"}
	nothing := func(string) string { return "" }
	gemini := func(name string) string {
		return map[string]string{"GEMINI_SESSION_ID": "from-environment"}[name]
	}
	check := func(what, got, want string, err error) {
		t.Helper()
		if err != nil || got != want {
			t.Errorf("%s: %q, %v, want %q", what, got, err, want)
		}
	}
	id, err := CurrentSession(store, host, nothing)
	check("nothing is known", id, "", err)
	id, err = EnsureSession(store, process.ID{}, nothing, at)
	check("not even the process", id, "", err)
	id, err = EnsureSession(store, host, gemini, at)
	check("the environment names it", id, "from-environment", err)
	id, err = EnsureSession(store, host, nothing, at)
	check("one is begun", id, "process-7-1", err)
	for i, s := range []memory.Session{{ID: "first", Process: host}, {ID: "second", Process: host}, {ID: "foreign", Process: other}} {
		s.At = at.Add(time.Duration(i+1) * time.Hour)
		if _, err := store.Ops().BeginSession(s); err != nil {
			t.Fatal(err)
		}
	}
	id, err = EnsureSession(store, host, gemini, at.Add(9*time.Hour))
	check("hooks have told of it", id, "second", err)
}
