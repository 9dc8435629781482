package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
)

// listed is a package as the go command lists it.
type listed struct {
	ImportPath     string
	Dir            string
	Export         string // file with the types that it exports
	GoFiles        []string
	IgnoredGoFiles []string // of other systems
	Standard       bool
	Module         *struct{ Main bool }

	Main bool `json:"-"` // of the module at hand
}

// list lists the packages of a module that match a pattern and all that they import.
func list(dir, pattern string) ([]*listed, error) {
	cmd := exec.Command("go", "list", "-deps", "-export", "-json=ImportPath,Dir,Export,GoFiles,IgnoredGoFiles,Standard,Module", pattern)
	cmd.Dir, cmd.Stderr = dir, os.Stderr
	out, err := cmd.Output()
	if err != nil {
		return nil, fmt.Errorf("go list in %s: %w", dir, err)
	}
	var pkgs []*listed
	for dec := json.NewDecoder(bytes.NewReader(out)); ; {
		p := new(listed)
		if err := dec.Decode(p); errors.Is(err, io.EOF) {
			return pkgs, nil
		} else if err != nil {
			return nil, fmt.Errorf("read what go list says: %w", err)
		}
		p.Main = p.Module != nil && p.Module.Main
		pkgs = append(pkgs, p)
	}
}

// name is the path of the package inside its module.
func (p *listed) name() string {
	parts := strings.SplitN(p.ImportPath, "/", 4)
	if len(parts) < 4 {
		return "."
	}
	return parts[3]
}

// lines counts those of the files without tests, for every system.
func (p *listed) lines() (n int, err error) {
	for _, file := range append(p.GoFiles[:len(p.GoFiles):len(p.GoFiles)], p.IgnoredGoFiles...) {
		if strings.HasSuffix(file, "_test.go") {
			continue
		}
		text, err := os.ReadFile(filepath.Join(p.Dir, file))
		if err != nil {
			return 0, err
		}
		n += bytes.Count(text, []byte("\n"))
	}
	return n, nil
}
