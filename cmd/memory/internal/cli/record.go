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
	var refused []error
	for _, f := range extension.ValidateEdit(old, raw) {
		if f.Severity == schemas.Error {
			refused = append(refused, errors.New(f.Message))
		} else {
			c.note("%s", f.Message)
		}
	}
	return errors.Join(refused...)
}
