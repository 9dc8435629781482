package cli

import (
	"strings"

	"github.com/memoryd/memoryd/internal/fail"
	"github.com/memoryd/memoryd/schemas"
)

func schemaCommand() *command {
	return &command{
		args:    "[NAME]",
		purpose: "print the JSON Schema of a file: " + strings.Join(schemas.Names(), ", "),
		example: "memory schema memory",
		most:    1, run: runSchema, words: func(*call) []string { return schemas.Names() },
	}
}

func runSchema(c *call) error {
	if len(c.args) == 0 {
		if c.json {
			return c.printJSON(schemas.Names())
		}
		c.printf("%s\n", strings.Join(schemas.Names(), "\n"))
		return nil
	}
	text, ok := schemas.Source(c.args[0])
	if !ok {
		return fail.WithHint(fail.Errorf(fail.ExitNotFound, "%s: no such schema", c.args[0]), "there are "+strings.Join(schemas.Names(), ", "))
	}
	_, err := c.out.Write(text)
	return err
}
