package build

import (
	"fmt"
	"os"
	"runtime/debug"
	"sync"
)

// ID is different for builds that may behave differently. It is made of the build
// information and, since that leaves out uncommitted changes, of the size and the
// modification time of the executable.
var ID = sync.OnceValue(func() (text string) {
	if info, ok := debug.ReadBuildInfo(); ok {
		text = info.String()
	}
	if name, err := os.Executable(); err == nil {
		if info, err := os.Stat(name); err == nil {
			text += fmt.Sprintf("%d %d", info.Size(), info.ModTime().UnixNano())
		}
	}
	return text
})
