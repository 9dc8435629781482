package cli

import (
	"github.com/memoryd/memoryd/internal/document"
	"github.com/memoryd/memoryd/internal/op/firstrun"
)

// printFirstRun says what the first run would do, and how to see it; first is nil where that isn't known.
func printFirstRun(p *printer, first *document.FirstRun) {
	if first == nil {
		p.say("To see what the first run would do: memory plan\n")
		return
	}
	p.say("%s\nTo see it: memory plan\n", firstrun.Text(first))
}
