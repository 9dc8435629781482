package hook

import (
	"fmt"
	"strings"
	"time"

	"github.com/memoryd/memoryd/pkg/memory"
	"github.com/memoryd/memoryd/pkg/process"
	"github.com/memoryd/memoryd/pkg/workspace"
	"github.com/memoryd/memoryd/pkg/workspace/ops"
)

// sessionVariables are the environment variables in which hosts tell the programs that they start of their session.
var sessionVariables = []string{"CLAUDE_CODE_SESSION_ID", "GEMINI_SESSION_ID", "COPILOT_AGENT_SESSION_ID"}

// CurrentSession is the session in which a program works that a host has started: the latest one that hooks have told of for the host's
// process, else the one that the environment names; "" for neither. An environment may be that of an earlier session.
func CurrentSession(store *workspace.FileStore, host process.ID, env func(string) string) (string, error) {
	begun, _, err := store.Ops().Sessions(ops.SessionsDir)
	if err != nil {
		return "", err
	}
	var latest memory.Session
	for _, s := range begun {
		if s.ID != "" && s.Process == host && host.PID != 0 && !s.At.Before(latest.At) {
			latest = s
		}
	}
	if latest.ID != "" {
		return latest.ID, nil
	}
	return NamedSession(env), nil
}

// NamedSession is the session that the environment names; "" for none.
func NamedSession(env func(string) string) string {
	for _, name := range sessionVariables {
		if id := strings.TrimSpace(env(name)); id != "" {
			return id
		}
	}
	return ""
}

// EnsureSession is [CurrentSession], and begins one named after the host's process where there is none. It ends with that process.
// "" where the process isn't known either.
func EnsureSession(store *workspace.FileStore, host process.ID, env func(string) string, at time.Time) (string, error) {
	id, err := CurrentSession(store, host, env)
	if err != nil || id != "" || host.PID == 0 {
		return id, err
	}
	id = fmt.Sprintf("process-%d-%s", host.PID, host.Start)
	_, err = store.Ops().BeginSession(memory.Session{ID: id, Host: "mcp", At: at, Process: host})
	return id, err
}
