package check

import (
	"errors"
	"fmt"
	"io/fs"
	"path"
	"strings"

	"github.com/memoryd/memoryd/pkg/internal/durable"
	"github.com/memoryd/memoryd/pkg/internal/jsonedit"
	"github.com/memoryd/memoryd/pkg/memory"
	"github.com/memoryd/memoryd/schemas"
)

// Schemas compiles what a workspace demands of its memories besides our schema: the files in
// schemas/ that extend it. One that can't be compiled is a finding.
func Schemas(root durable.FS) (*schemas.Extension, []schemas.Finding, error) {
	entries, err := root.ReadDir(memory.SchemasDir)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, nil, fmt.Errorf("read schemas: %w", err)
	}
	files := map[string][]byte{}
	for _, e := range entries {
		if e.Kind != durable.Regular || !strings.HasSuffix(e.Name, ".json") {
			continue
		}
		name := path.Join(memory.SchemasDir, e.Name)
		if files[name], _, err = root.Read(name, jsonedit.MaxSize); err != nil {
			return nil, nil, fmt.Errorf("read schema %s: %w", name, err)
		}
	}
	extension, findings := schemas.Extend(files)
	return extension, findings, nil
}
