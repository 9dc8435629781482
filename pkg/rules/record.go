package rules

import (
	"strings"

	"github.com/memoryd/memoryd/pkg/internal/jsonedit"
	"github.com/memoryd/memoryd/pkg/memory"
)

// standalone gives the record of a new file: one that comes out of a collection
// loses the indentation it had there.
func standalone(m *memory.Memory, raw []byte) []byte {
	if m.Whole() || !strings.Contains(string(raw), "\n") {
		return raw
	}
	return jsonedit.Indent(raw, "", "  ")
}
