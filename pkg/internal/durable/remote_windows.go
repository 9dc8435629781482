package durable

import (
	"path/filepath"
	"strings"

	"golang.org/x/sys/windows"
)

func remote(dir string) (string, error) {
	volume := filepath.VolumeName(dir)
	if strings.HasPrefix(volume, `\\`) && !strings.HasPrefix(volume, `\\?\`) {
		return "a network share", nil
	}
	root, err := windows.UTF16PtrFromString(volume + `\`)
	if err != nil {
		return "", describe("look up the drive of", dir, err)
	}
	if windows.GetDriveType(root) == windows.DRIVE_REMOTE {
		return "a network drive", nil
	}
	return "", nil
}
