package workspace

import (
	"github.com/memoryd/memoryd/pkg/internal/durable"
	"github.com/memoryd/memoryd/pkg/memory"
	"github.com/memoryd/memoryd/pkg/workspace/disk"
)

// Documents are the files of a workspace, for callers that look whether one has changed, or how files are replaced.
type Documents struct{ s *FileStore }

// Documents gives the files of the workspace.
func (s *FileStore) Documents() Documents { return Documents{s} }

// Stat describes a file or directory of the workspace. An absent one is [fs.ErrNotExist].
func (d Documents) Stat(name string) (disk.Info, error) { return d.s.root.Stat(name) }

// SwapMode says how the file system lets files be replaced; see [durable.Mode].
// It tries that out with temporary files in ops/.
func (d Documents) SwapMode() (durable.Mode, error) { return durable.Probe(d.s.root, memory.OpsDir) }
