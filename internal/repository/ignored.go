package repository

import (
	"context"
	"fmt"
	"os"
	"strings"
)

// Ignored lists what git ignores below a directory: files, and directories all of which it ignores. It is empty where the directory is in
// no repository of git or is itself ignored, and where git isn't there.
func Ignored(ctx context.Context, dir string) (map[string]bool, error) {
	if info, err := os.Stat(dir); err != nil {
		return nil, fmt.Errorf("ask git what it ignores: %w", err)
	} else if !info.IsDir() {
		return nil, nil
	}
	g := &git{dir: dir}
	if _, err := g.run(ctx, nil, "check-ignore", "--quiet", "."); err == nil {
		return nil, nil
	}
	out, err := g.run(ctx, nil, "ls-files", "-z", "--others", "--ignored", "--exclude-standard", "--directory")
	if err != nil {
		return nil, ctx.Err() // no repository, or no git
	}
	ignored := map[string]bool{}
	for name := range strings.SplitSeq(string(out), "\x00") {
		if name != "" && name != "./" {
			ignored[strings.TrimSuffix(name, "/")] = true
		}
	}
	return ignored, nil
}
