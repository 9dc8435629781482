package note

import (
	"encoding/json"
	"fmt"
	"io/fs"
	"time"

	"github.com/memoryd/memoryd/pkg/layout"
)

// Names in the hidden directory of an adopted folder.
const (
	OwnDir       = ".memory"
	ManifestFile = "adopted.json" // makes the directory that of an adopted folder
	OriginalsDir = "originals"    // the bytes of each file as it was adopted, under its SHA-256
)

// Manifest is the folder as it was adopted.
type Manifest struct {
	Version int           `json:"version"`
	Layout  string        `json:"layout"`
	Level   layout.Level  `json:"level"`
	Adopted time.Time     `json:"adopted_at"`
	Project string        `json:"project,omitempty"`
	Files   []AdoptedFile `json:"files"`
}

// AdoptedFile is a file of the folder as it was adopted.
type AdoptedFile struct {
	Path     string      `json:"path"`
	Sum      string      `json:"sha256"`
	Mode     fs.FileMode `json:"mode"`
	Modified time.Time   `json:"mtime"`
}

// ReadManifest reads a manifest.
func ReadManifest(doc []byte) (m Manifest, l layout.Layout, err error) {
	if err := json.Unmarshal(doc, &m); err != nil {
		return m, l, fmt.Errorf("%s: %w", ManifestFile, err)
	}
	l, ok := layout.Named(m.Layout)
	if !ok {
		return m, l, fmt.Errorf("%s: layout %q is not one of %v", ManifestFile, m.Layout, layout.Names())
	}
	if m.Level != "" {
		l.Level = m.Level
	}
	return m, l, nil
}
