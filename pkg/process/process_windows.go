package process

import (
	"errors"
	"os"
	"sync"
	"time"
	"unsafe"

	"golang.org/x/sys/windows"
)

// self is an ID without a process. Starts are times of day here, which no later boot repeats.
var self = sync.OnceValues(func() (ID, bool) {
	name, err := os.Hostname()
	return ID{Machine: name}, err == nil
})

// stat reads the parent, the start and the name of a process.
func stat(pid int) (parent int, start, name string, err error) {
	list, err := windows.CreateToolhelp32Snapshot(windows.TH32CS_SNAPPROCESS, 0)
	if err != nil {
		return 0, "", "", err
	}
	defer func() { _ = windows.CloseHandle(list) }() // nothing was written
	entry := windows.ProcessEntry32{}
	entry.Size = uint32(unsafe.Sizeof(entry))
	for err = windows.Process32First(list, &entry); err == nil; err = windows.Process32Next(list, &entry) {
		if int(entry.ProcessID) == pid {
			start, err = startOf(entry.ProcessID)
			return int(entry.ParentProcessID), start, windows.UTF16ToString(entry.ExeFile[:]), err
		}
	}
	if errors.Is(err, windows.ERROR_NO_MORE_FILES) {
		err = os.ErrNotExist
	}
	return 0, "", "", err
}

func startOf(pid uint32) (string, error) {
	process, err := windows.OpenProcess(windows.PROCESS_QUERY_LIMITED_INFORMATION, false, pid)
	if err != nil {
		return "", err
	}
	defer func() { _ = windows.CloseHandle(process) }() // nothing was written
	var created, ended, kernel, user windows.Filetime
	if err := windows.GetProcessTimes(process, &created, &ended, &kernel, &user); err != nil {
		return "", err
	}
	return startText(time.Unix(0, created.Nanoseconds())), nil
}
