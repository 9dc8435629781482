package memoryd_test

import (
	"bytes"
	"io/fs"
	"maps"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// mostLines is how many lines a package may have, and mostOfOperations one below internal/op, which holds one noun. A larger one is
// several packages under one name.
const (
	mostLines        = 9_500
	mostOfOperations = 1_200
)

// Lines are counted as they are, with comments; tests are left out.
func TestPackagesAreSmall(t *testing.T) {
	lines := map[string]int{}
	err := filepath.WalkDir(".", func(name string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if d.IsDir() {
			if n := d.Name(); name != "." && (strings.HasPrefix(n, ".") || strings.HasPrefix(n, "_") || n == "testdata" || n == "node_modules") {
				return filepath.SkipDir
			}
			return nil
		}
		if !strings.HasSuffix(name, ".go") || strings.HasSuffix(name, "_test.go") {
			return nil
		}
		text, err := os.ReadFile(name)
		lines[path.Dir(filepath.ToSlash(name))] += bytes.Count(text, []byte("\n"))
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	if len(lines) < 50 {
		t.Fatalf("only %d packages were found", len(lines))
	}
	for _, name := range slices.Sorted(maps.Keys(lines)) {
		limit := mostLines
		if strings.HasPrefix(name, "internal/op/") {
			limit = mostOfOperations
		}
		if n := lines[name]; n > limit {
			t.Errorf("%s has %d lines, more than %d: split it", name, n, limit)
		}
	}
}
