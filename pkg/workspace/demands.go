package workspace

import (
	"crypto/sha256"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"path"
	"slices"
	"strings"

	"github.com/memoryd/memoryd/pkg/internal/durable"
	"github.com/memoryd/memoryd/schemas"
)

// demands are what a workspace demands of its memories besides our schema.
type demands struct {
	schemas  *schemas.Extension
	findings []schemas.Finding // about the schemas themselves
	sum      [sha256.Size]byte // of the files that they were read from
}

// Schemas compiles what the workspace demands of its memories besides our schema:
// the files in schemas/ that extend it. One that can't be compiled is a finding.
func (s *FileStore) Schemas() (*schemas.Extension, []schemas.Finding, error) {
	d, err := s.demands()
	return d.schemas, d.findings, err
}

func (s *FileStore) demands() (d demands, err error) {
	entries, err := s.root.ReadDir(SchemasDir)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return d, fmt.Errorf("read schemas: %w", err)
	}
	files := map[string][]byte{}
	for _, e := range entries {
		if e.Kind != durable.Regular || !strings.HasSuffix(e.Name, ".json") {
			continue
		}
		name := path.Join(SchemasDir, e.Name)
		if files[name], err = s.Read(name); err != nil {
			return d, fmt.Errorf("read schema %s: %w", name, err)
		}
	}
	var text []byte
	for _, name := range slices.Sorted(maps.Keys(files)) {
		text = fmt.Appendf(text, "%q %x\n", name, sha256.Sum256(files[name]))
	}
	d.sum = sha256.Sum256(text)
	d.schemas, d.findings = schemas.Extend(files)
	return d, nil
}
