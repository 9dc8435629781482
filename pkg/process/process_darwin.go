package process

import (
	"os"
	"sync"
	"time"

	"golang.org/x/sys/unix"
)

// self is an ID without a process: what all processes seen from here share.
var self = sync.OnceValues(func() (ID, bool) {
	boot, err := unix.Sysctl("kern.bootsessionuuid")
	if err != nil {
		return ID{}, false
	}
	name, _ := os.Hostname()
	id, _ := unix.Sysctl("kern.uuid")
	return ID{Boot: boot, Machine: id + "/" + name}, true
})

// stat reads the parent, the start and the name of a process.
func stat(pid int) (parent int, start, name string, err error) {
	info, err := unix.SysctlKinfoProc("kern.proc.pid", pid)
	if err != nil || int(info.Proc.P_pid) != pid {
		return 0, "", "", os.ErrNotExist // the system answers with nothing for a process that isn't there
	}
	at := info.Proc.P_starttime
	return int(info.Eproc.Ppid), startText(time.Unix(at.Sec, int64(at.Usec)*1000)), unix.ByteSliceToString(info.Proc.P_comm[:]), nil
}
