package workspace

import (
	"fmt"

	"github.com/memoryd/memoryd/pkg/indexfile"
)

// lineNow is lineOf. The bytes may have to be read first: a record that has changed or gone
// meanwhile, or can't be read, is an error, as its line would say nothing.
func lineNow(m *Memory) (indexfile.Line, error) {
	if m.Raw() == nil {
		return indexfile.Line{}, fmt.Errorf("%w %s: it has changed or gone meanwhile, or the disk fails: try again", errReading, m.Ref)
	}
	return lineOf(m), nil
}
