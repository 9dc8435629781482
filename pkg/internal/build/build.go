// Package build tells this build of the program from others.
package build

import (
	"fmt"
	"os"
	"runtime/debug"
	"sync"
)

// ID differs between builds that may act differently: by what the program is made of, and, as
// that says nothing of changes that were not committed, by the size and the time of its file.
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
