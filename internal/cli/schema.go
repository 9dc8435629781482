package cli

import (
	"strings"

	"github.com/memoryd/memoryd/internal/app"
	"github.com/memoryd/memoryd/internal/document"
	"github.com/memoryd/memoryd/internal/fail"
	"github.com/memoryd/memoryd/schemas"
)

func schemaCommand() *command {
	return &command{
		args:    "[NAME]",
		purpose: "print the JSON Schema of a file or of a document of --json",
		detail: `Without NAME the schemas are listed: those of files of a workspace, and those of
the documents that --json, the MCP server and the dashboard give.`,
		page:    "json.md",
		example: "memory schema recall",
		most:    1, text: true, run: runSchema, words: func(*call) []string { return append(schemas.Names(), document.Names()...) },
	}
}

func runSchema(c *call) error {
	if len(c.args) == 0 {
		doc := document.Schemas{Files: schemas.Names(), Documents: document.Names(), Revision: document.Revision}
		if c.JSON {
			return c.PrintJSON(doc)
		}
		c.Printf("files:      %s\ndocuments:  %s\n", strings.Join(doc.Files, ", "), strings.Join(doc.Documents, ", "))
		return nil
	}
	if text, ok := schemas.Source(c.args[0]); ok {
		_, err := c.Out.Write(text)
		return err
	}
	if s, ok := document.Schema(c.args[0]); ok {
		return c.PrintJSON(s)
	}
	err := fail.Errorf(fail.ExitNotFound, "%s: no such schema", c.args[0])
	if near := app.Closest(c.args[0], append(schemas.Names(), document.Names()...)); near != "" {
		return fail.WithHint(err, "did you mean "+near+"?")
	}
	return fail.WithHint(err, `"memory schema" lists them`)
}
