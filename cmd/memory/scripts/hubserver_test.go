package scripts_test

import (
	"bufio"
	"os"
	"os/exec"
	"strings"
	"syscall"

	"github.com/rogpeppe/go-internal/testscript"
)

// hubProcess is the hub of a script.
type hubProcess struct{ *exec.Cmd }

// hubServer starts "memory-hub" on the database of the script's environment, at the same address each time; "off" ends it. The address
// is $HUB_URL.
func hubServer(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 1 || args[0] != "on" && args[0] != "off" {
		ts.Fatalf("usage: hub on|off")
	}
	hub := ts.Value("hub").(*hubProcess)
	if args[0] == "off" {
		ts.Check(hub.Process.Signal(syscall.SIGTERM))
		ts.Check(hub.Wait())
		hub.Cmd = nil
		return
	}
	address, again := strings.CutPrefix(ts.Getenv("HUB_URL"), "http://")
	if !again {
		address = "127.0.0.1:0"
	}
	hub.Cmd = exec.Command("memory-hub", "serve", "--db", ts.Getenv("MEMORY_HUB_DB"), "--addr", address, "--workers", "0", "--quiet")
	hub.Dir, hub.Stderr = ts.Getenv("WORK"), os.Stderr
	out, err := hub.StdoutPipe()
	ts.Check(err)
	ts.Check(hub.Start())
	ts.Defer(func() {
		if hub.Cmd != nil {
			_ = hub.Process.Kill()
			_ = hub.Wait()
		}
	})
	url, err := bufio.NewReader(out).ReadString('\n')
	ts.Check(err)
	ts.Setenv("HUB_URL", strings.TrimSpace(url))
}
