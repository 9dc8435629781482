package main

import (
	"bufio"
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
)

// executed builds memory so that it counts, runs a command in a new workspace and prints how many of the module's
// functions it executed, in how many files and packages.
func executed(dir string, args []string) error {
	made, err := os.MkdirTemp("", "shape")
	if err != nil {
		return err
	}
	defer os.RemoveAll(made)
	binary, counts, workspace := filepath.Join(made, "memory"), filepath.Join(made, "counts"), filepath.Join(made, "workspace")
	if err := os.Mkdir(counts, 0o777); err != nil {
		return err
	}
	for _, step := range []struct {
		env  []string
		args []string
	}{
		{nil, []string{"go", "build", "-cover", "-coverpkg=./...", "-o", binary, "./cmd/memory"}},
		{[]string{"GOCOVERDIR=" + made}, []string{binary, "init", workspace}},
		{[]string{"GOCOVERDIR=" + counts}, append([]string{binary, "--workspace", workspace}, args...)},
	} {
		cmd := exec.Command(step.args[0], step.args[1:]...)
		cmd.Dir, cmd.Env = dir, append(os.Environ(), step.env...)
		if out, err := cmd.CombinedOutput(); err != nil {
			return fmt.Errorf("%s: %w: %s", strings.Join(step.args, " "), err, out)
		}
	}
	cmd := exec.Command("go", "tool", "covdata", "func", "-i="+counts)
	cmd.Dir = dir
	out, err := cmd.Output()
	if err != nil {
		return fmt.Errorf("go tool covdata func: %w", err)
	}
	functions, files, packages := 0, map[string]bool{}, map[string]bool{}
	for lines := bufio.NewScanner(bytes.NewReader(out)); lines.Scan(); {
		// file.go:LINE:  name  12.3%
		fields := strings.Fields(lines.Text())
		if len(fields) < 3 || fields[0] == "total" || fields[len(fields)-1] == "0.0%" {
			continue
		}
		file, _, _ := strings.Cut(fields[0], ":")
		functions++
		files[file], packages[filepath.Dir(file)] = true, true
	}
	fmt.Printf("memory %s: %d functions in %d files of %d packages\n", args[0], functions, len(files), len(packages))
	return nil
}
