package cli

import (
	"fmt"

	"github.com/memoryd/memoryd/internal/app"
)

// reading tells how many files have been read, and stops the reading when the
// command is interrupted.
func (c *call) reading(done, total int) error {
	c.Line.At(fmt.Sprintf("%s of %s read", app.Thousands(done), app.Quantity(total, "file")))
	return c.ctx.Err()
}

// comparing tells how many memories have been compared, and ends the planning when the
// command is interrupted.
func (c *call) comparing(done, total int) error {
	c.Line.At(fmt.Sprintf("%s of %s compared", app.Thousands(done), app.Quantity(total, "memory")))
	return c.ctx.Err()
}
