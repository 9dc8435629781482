// Package process tells whether a process that was seen once still runs.
//
// A number alone doesn't: it is given to another process later. An [ID] therefore holds the time at which the process
// began, the boot of the machine, the namespace of process numbers and the machine. Whoever reads an ID on another machine or in
// another namespace, a container say, can't tell: [ID.State] is then [Unknown].
//
// Linux, macOS and Windows are known; elsewhere [Host] finds nothing.
package process

import (
	"os"
	"path/filepath"
	"strconv"
	"strings"
)

// ID identifies a process beyond its end. The zero value identifies none.
type ID struct {
	PID       int    `json:"pid,omitempty"`
	Start     string `json:"start,omitempty"`     // when it began, in a unit of the system's
	Boot      string `json:"boot,omitempty"`      // of the machine; "" where the start is a time of day
	Namespace string `json:"namespace,omitempty"` // of process numbers; "" where there is one only
	Machine   string `json:"machine,omitempty"`
}

// State is what is known of a process.
type State int

const (
	Unknown State = iota // it can't be known from here
	Running
	Ended
)

// State tells whether the process runs. A process of an earlier boot of this machine has ended.
func (id ID) State() State {
	here, ok := self()
	switch {
	case !ok || id.PID <= 0 || id.Start == "" || id.Machine != here.Machine:
		return Unknown
	case id.Boot != here.Boot:
		return Ended
	case id.Namespace != here.Namespace:
		return Unknown
	}
	_, start, _, err := stat(id.PID)
	switch {
	case err == nil && start == id.Start:
		return Running
	case err == nil || os.IsNotExist(err):
		return Ended
	}
	return Unknown
}

// mostShells bounds how many shells are passed over: a hook is started by one, at most two.
const mostShells = 8

// shells start programs on behalf of others.
var shells = map[string]bool{
	"sh": true, "bash": true, "dash": true, "zsh": true, "ksh": true, "fish": true, "ash": true, "busybox": true,
	"cmd": true, "powershell": true, "pwsh": true, "env": true, "timeout": true, "nice": true,
}

// Launcher is the environment variable in which a program that does nothing but start this one, as that of the
// npm package, tells its process id. It isn't the host.
const Launcher = "MEMORY_LAUNCHER"

// Host is the process that started this one, skipping shells and a launcher between them. It is false where that
// process is unknown or has ended.
func Host() (ID, bool) {
	id, ok := self()
	if !ok {
		return ID{}, false
	}
	pid := os.Getppid()
	for range mostShells {
		parent, start, name, err := stat(pid)
		if err != nil || pid <= 1 {
			return ID{}, false
		}
		if !shells[programName(name)] && strconv.Itoa(pid) != os.Getenv(Launcher) {
			id.PID, id.Start = pid, start
			return id, true
		}
		pid = parent
	}
	return ID{}, false
}

// programName is the name of a program without its directory and extension; a login shell's begins with "-".
func programName(name string) string {
	name = strings.ToLower(filepath.Base(strings.TrimPrefix(name, "-")))
	return strings.TrimSuffix(name, ".exe")
}
