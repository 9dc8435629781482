package cli

import (
	"errors"

	"github.com/memoryd/memoryd/schemas"
)

// checkRecord holds a new record against the schema of memories and those of the
// workspace. What the old one (nil: none) had wrong already stands in nobody's
// way; of the rest, warnings are mentioned and errors refuse it.
func (c *call) checkRecord(old, raw []byte) error {
	extension, findings, err := c.store.Schemas()
	if err != nil {
		return err
	}
	for _, f := range findings {
		c.note("%s", f.Message)
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
