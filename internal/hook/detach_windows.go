package hook

import (
	"syscall"

	"golang.org/x/sys/windows"
)

// detached gives a process neither the host's console nor its group.
func detached() *syscall.SysProcAttr {
	return &syscall.SysProcAttr{CreationFlags: windows.DETACHED_PROCESS | windows.CREATE_NEW_PROCESS_GROUP, HideWindow: true}
}
