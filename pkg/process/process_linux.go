package process

import (
	"bytes"
	"fmt"
	"os"
	"strconv"
	"strings"
	"sync"
)

// self is an ID without a process: what all processes seen from here share.
var self = sync.OnceValues(func() (ID, bool) {
	boot, err := os.ReadFile("/proc/sys/kernel/random/boot_id")
	if err != nil {
		return ID{}, false
	}
	namespace, err := os.Readlink("/proc/self/ns/pid")
	if err != nil {
		return ID{}, false
	}
	return ID{Boot: strings.TrimSpace(string(boot)), Namespace: namespace, Machine: machine()}, true
})

// machine is the machine's id (machine-id(5)) with its name: containers of one image share the id.
func machine() string {
	id, _ := os.ReadFile("/etc/machine-id") // may be missing: the name alone is used
	name, _ := os.Hostname()
	return strings.TrimSpace(string(id)) + "/" + name
}

// stat reads the parent, the start (in clock ticks since the boot) and the name of a process; see proc_pid_stat(5).
func stat(pid int) (parent int, start, name string, err error) {
	text, err := os.ReadFile("/proc/" + strconv.Itoa(pid) + "/stat")
	if err != nil {
		return 0, "", "", err
	}
	open, end := bytes.IndexByte(text, '('), bytes.LastIndexByte(text, ')')
	if open < 0 || end < open {
		return 0, "", "", fmt.Errorf("/proc/%d/stat: no name in parentheses", pid)
	}
	fields := strings.Fields(string(text[end+1:])) // from the third field on
	if len(fields) < 20 {
		return 0, "", "", fmt.Errorf("/proc/%d/stat: %d fields are too few", pid, len(fields)+2)
	}
	if state := fields[0]; state == "Z" || state == "X" { // it has ended, and its parent hasn't asked for the outcome
		return 0, "", "", os.ErrNotExist
	}
	parent, err = strconv.Atoi(fields[1])
	return parent, fields[19], string(text[open+1 : end]), err
}
