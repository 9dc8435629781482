package document

import "github.com/memoryd/memoryd/pkg/audit"

// Findings are what a check of the files found that agents read, as --json prints it.
type Findings struct {
	Findings []audit.Finding `json:"findings"`
	Files    int             `json:"files" jsonschema:"that were checked"`
	Errors   int             `json:"errors"`
	Warnings int             `json:"warnings"`
	Notes    int             `json:"notes" jsonschema:"findings that don't make the check fail"`
	Known    int             `json:"known,omitempty" jsonschema:"findings of the baseline, which are left out"`
}

// Add adds a finding, and counts it.
func (d *Findings) Add(f audit.Finding) {
	d.Findings = append(d.Findings, f)
	switch f.Severity {
	case audit.Error:
		d.Errors++
	case audit.Warning:
		d.Warnings++
	case audit.Advice:
		d.Notes++
	}
}
