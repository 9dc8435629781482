package cli

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"strings"

	"github.com/memoryd/memoryd/pkg/workspace"
	"github.com/memoryd/memoryd/schemas"
)

// checkRecord holds a new record against the schema of memories and those of the
// workspace. What the old one (nil: none) had wrong already stands in nobody's
// way; of the rest, warnings are mentioned and errors refuse it.
func (c *call) checkRecord(old, raw []byte) error {
	extension, err := c.extension()
	if err != nil {
		return err
	}
	known := map[schemas.Finding]bool{}
	if old != nil {
		for _, f := range extension.ValidateMemory(old) {
			known[f] = true
		}
	}
	var refused []error
	for _, f := range extension.ValidateMemory(raw) {
		switch {
		case known[f]:
		case f.Severity == schemas.Error:
			refused = append(refused, errors.New(f.Message))
		default:
			c.note("%s", f.Message)
		}
	}
	return errors.Join(refused...)
}

// extension is what the workspace's own schemas demand.
func (c *call) extension() (*schemas.Extension, error) {
	entries, err := os.ReadDir(filepath.Join(c.store.Dir(), workspace.SchemasDir))
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("read schemas: %w", err)
	}
	files := map[string][]byte{}
	for _, e := range entries {
		if !e.Type().IsRegular() || !strings.HasSuffix(e.Name(), ".json") {
			continue
		}
		name := path.Join(workspace.SchemasDir, e.Name())
		if files[name], err = c.store.Read(name); err != nil {
			return nil, fmt.Errorf("read schema %s: %w", name, err)
		}
	}
	extension, findings := schemas.Extend(files)
	for _, f := range findings {
		c.note("%s", f.Message)
	}
	return extension, nil
}
