package check

import (
	"fmt"
	"sync"

	"github.com/memoryd/memoryd/pkg/indexfile"
	"github.com/memoryd/memoryd/pkg/memory"
	"github.com/memoryd/memoryd/pkg/workspace/internal/index"
	"github.com/memoryd/memoryd/schemas"
)

// Notes are what one reading of all files finds out about each memory while its bytes are at
// hand: what is wrong with it, and its line in an index. Reading the files once more for that
// would cost as much as all the rest.
type Notes struct {
	schemas *schemas.Extension // nil: memories are not validated

	mu  sync.Mutex
	all map[string]note // by the places of memories
}

type note struct {
	checksum memory.Checksum
	findings []schemas.Finding
	line     indexfile.Line
}

// NewNotes returns notes of nothing. With nil, memories are not validated.
func NewNotes(extension *schemas.Extension) *Notes {
	return &Notes{schemas: extension, all: map[string]note{}}
}

// Look notes a memory whose bytes are at hand. It may be called by several goroutines.
func (n *Notes) Look(m *memory.Memory) {
	noted := note{checksum: m.Checksum(), line: memory.Line(m)}
	if n.schemas != nil {
		noted.findings = n.schemas.ValidateMemory(m.Raw())
	}
	n.mu.Lock()
	defer n.mu.Unlock()
	n.all[m.Ref.String()] = noted
}

// of is what is noted of a memory with the same bytes at the same place.
func (n *Notes) of(m *memory.Memory) (note, bool) {
	noted, ok := n.all[m.Ref.String()]
	return noted, ok && noted.checksum == m.Checksum()
}

// Lines gives what an index says of memories. One that was not noted and whose bytes have
// changed or gone meanwhile is [index.ErrReading].
func (n *Notes) Lines(ms []*memory.Memory) ([]indexfile.Line, error) {
	lines := make([]indexfile.Line, len(ms))
	for i, m := range ms {
		if noted, ok := n.of(m); ok {
			lines[i] = noted.line
			continue
		}
		if m.Raw() == nil {
			return nil, fmt.Errorf("%w %s: it has changed or gone meanwhile, or the disk fails: try again", index.ErrReading, m.Ref)
		}
		lines[i] = memory.Line(m)
	}
	return lines, nil
}
