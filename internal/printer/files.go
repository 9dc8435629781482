package printer

import (
	"strconv"

	"github.com/memoryd/memoryd/internal/app"
	"github.com/memoryd/memoryd/internal/document"
	"github.com/memoryd/memoryd/internal/term"
	"github.com/memoryd/memoryd/pkg/audit"
)

// Findings prints what a check of the files found that agents read, a line each, as compilers do.
func Findings(p *Printer, doc *document.Findings) {
	for i, f := range doc.Findings {
		place := f.Path
		if f.Line > 0 {
			place += ":" + strconv.Itoa(f.Line)
		}
		word := p.Style.Yellow(string(f.Severity))
		if f.Severity == audit.Error {
			word = p.Style.Red(string(f.Severity))
		}
		p.Say("%s: %s: %s [%s]\n", p.Style.Bold(term.Printable(place)), word, term.Printable(f.Message), f.Rule)
		again := i+1 < len(doc.Findings) && doc.Findings[i+1].Hint == f.Hint
		if f.Hint != "" && !again {
			p.Say("    %s\n", p.Style.Dim(term.Printable(f.Hint)))
		}
	}
	if len(doc.Findings) == 0 {
		p.Say("clean: %s\n", app.Quantity(doc.Files, "file"))
		return
	}
	p.Say("\n%s, %s, %s; %s\n", app.Quantity(doc.Errors, "error"), app.Quantity(doc.Warnings, "warning"), app.Quantity(doc.Notes, "note"), app.Quantity(doc.Files, "file"))
}
