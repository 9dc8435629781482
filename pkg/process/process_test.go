package process

import (
	"bufio"
	"encoding/json"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"testing"
)

// TestMain is also the child of the tests: it prints who its host is.
func TestMain(m *testing.M) {
	if os.Getenv("PROCESS_CHILD") == "host" {
		id, ok := Host()
		if !ok {
			os.Exit(1)
		}
		_ = json.NewEncoder(os.Stdout).Encode(id)
		os.Exit(0)
	}
	os.Exit(m.Run())
}

func known(t *testing.T) ID {
	here, ok := self()
	if !ok {
		t.Skip("SKIPPED: processes can't be told on this system")
	}
	return here
}

func this(t *testing.T) ID {
	id := known(t)
	_, start, _, err := stat(os.Getpid())
	if err != nil {
		t.Fatal(err)
	}
	id.PID, id.Start = os.Getpid(), start
	return id
}

func TestState(t *testing.T) {
	id := this(t)
	for name, tt := range map[string]struct {
		change func(*ID)
		want   State
	}{
		"this process":                     {func(*ID) {}, Running},
		"the number was given once more":   {func(id *ID) { id.Start += "1" }, Ended},
		"another machine":                  {func(id *ID) { id.Machine = "elsewhere" }, Unknown},
		"an earlier boot":                  {func(id *ID) { id.Boot = "before" }, Ended},
		"another namespace":                {func(id *ID) { id.Namespace = "pid:[1]" }, Unknown},
		"an earlier boot, other namespace": {func(id *ID) { id.Boot, id.Namespace = "before", "pid:[1]" }, Ended},
		"none":                             {func(id *ID) { *id = ID{} }, Unknown},
	} {
		t.Run(name, func(t *testing.T) {
			other := id
			tt.change(&other)
			if got := other.State(); got != tt.want {
				t.Errorf("%+v: state %v, want %v", other, got, tt.want)
			}
		})
	}
}

func TestStateAfterTheEnd(t *testing.T) {
	id := known(t)
	child := exec.Command(os.Args[0], "-test.run", "^$")
	input, err := child.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := child.Start(); err != nil {
		t.Fatal(err)
	}
	_, start, _, err := stat(child.Process.Pid)
	if err != nil {
		t.Skip("SKIPPED: the child ended before it was looked at")
	}
	id.PID, id.Start = child.Process.Pid, start
	_ = input.Close()
	if err := child.Wait(); err != nil {
		t.Fatal(err)
	}
	if got := id.State(); got != Ended {
		t.Errorf("state %v of a process that has ended", got)
	}
}

// TestHost starts this program directly and through shells: its host is this process.
func TestHost(t *testing.T) {
	want := this(t)
	commands := map[string][]string{"directly": {os.Args[0]}}
	if sh, err := exec.LookPath("sh"); err == nil {
		commands["by a shell"] = []string{sh, "-c", `"$0" 2>/dev/null || true`, os.Args[0]}
		commands["by two shells"] = []string{sh, "-c", `sh -c '"$0" || true' "$0" || true`, os.Args[0]}
	}
	for name, words := range commands {
		t.Run(name, func(t *testing.T) {
			child := exec.Command(words[0], words[1:]...)
			child.Env = append(os.Environ(), "PROCESS_CHILD=host")
			out, err := child.Output()
			if err != nil {
				t.Fatal(err)
			}
			var got ID
			line, _ := bufio.NewReader(strings.NewReader(string(out))).ReadString('\n')
			if err := json.Unmarshal([]byte(line), &got); err != nil {
				t.Fatal(err)
			}
			if got != want {
				t.Errorf("host %+v, want %+v", got, want)
			}
		})
	}
}

// TestLauncher starts this program as the npm package does: its host is the one above.
func TestLauncher(t *testing.T) {
	known(t)
	want, ok := Host()
	if !ok {
		t.Skip("SKIPPED: the process above this one can't be told")
	}
	child := exec.Command(os.Args[0])
	child.Env = append(os.Environ(), "PROCESS_CHILD=host", Launcher+"="+strconv.Itoa(os.Getpid()))
	out, err := child.Output()
	if err != nil {
		t.Fatal(err)
	}
	var got ID
	if err := json.Unmarshal(out, &got); err != nil || got != want {
		t.Errorf("host %+v, %v, want %+v", got, err, want)
	}
}
