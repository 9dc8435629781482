package printer

import (
	"cmp"
	"fmt"
	"strings"

	"github.com/memoryd/memoryd/internal/app"
	"github.com/memoryd/memoryd/internal/document"
	"github.com/memoryd/memoryd/internal/term"
	"github.com/memoryd/memoryd/pkg/oplog"
	"github.com/memoryd/memoryd/pkg/provider"
	"github.com/memoryd/memoryd/pkg/refine"
)

// Preview prints a preview for people.
func Preview(p *Printer, models bool, request *provider.Request, preview *provider.Preview) {
	switch {
	case !models:
		p.Printf("nothing would be sent: no model is set up and enabled\n")
	case request == nil:
		p.Printf("nothing would be sent: there is nothing to ask about that may be sent\n")
	case preview == nil:
		p.Printf("nothing would be sent: these memories may go to no model that is ready (reach: %s)\n", request.Reach)
	default:
		t := p.Facts()
		t.Row("to", fmt.Sprintf("%s (%s), %s, %s", preview.Provider, preview.Model, preview.URL, whereServer(preview.Local)))
		t.Row("about", strings.Join(request.IDs, ", "))
		t.Row("size", fmt.Sprintf("%s bytes, at most %s tokens with the answer", app.Thousands(len(preview.Body)), app.Thousands(preview.Tokens)))
		if preview.Cost > 0 {
			t.Row("cost", fmt.Sprintf("at most %.4f", preview.Cost))
		}
		p.Printf("%s\n%s\n", t.Format("", p.Style), term.Printable(preview.Body))
	}
}

// Judged says what came of asking models about pairs; changes is what became of the verdicts that pass the guards.
func Judged(p *Printer, r *refine.Report, changes string) {
	for _, why := range r.Degraded {
		p.Note("without a model: %s", why)
	}
	if r.Unsent > 0 {
		p.Note("%s may be sent to no model", app.Quantity(r.Unsent, "pair"))
	}
	if r.Pairs+r.Planned+r.Flagged+r.Full == 0 {
		return
	}
	text := fmt.Sprintf("a model was asked about %s: %s judged, %s, %s put to a person; %s, %s tokens", app.Quantity(r.Pairs, "pair"),
		app.Thousands(r.Judged), changes, app.Thousands(r.Flagged), app.Quantity(r.Requests, "answer"), app.Thousands(r.Tokens))
	if r.Pairs == 0 {
		text = fmt.Sprintf("what a model said in an earlier run: %s, %s put to a person", changes, app.Thousands(r.Flagged))
	}
	if r.Full > 0 {
		text += fmt.Sprintf("; %s left for the next run, since this one is full", app.Quantity(r.Full, "verdict"))
	}
	if r.Dropped > 0 {
		text += fmt.Sprintf("; %s left out, with an id or a number that isn't there", app.Quantity(r.Dropped, "verdict"))
	}
	if r.Cost > 0 {
		text += fmt.Sprintf("; cost %.4f", r.Cost)
	}
	p.Note("%s", text)
}

// ModelUse says what asking models came to.
func ModelUse(p *Printer, use *oplog.ModelUse) {
	if use == nil {
		return
	}
	const shown = 5
	for _, why := range use.Degraded[:min(len(use.Degraded), shown)] {
		p.Note("without a model: %s", why)
	}
	if more := len(use.Degraded) - shown; more > 0 {
		p.Note("without a model: %s more", app.Thousands(more))
	}
	if use.Deferred > 0 {
		p.Note("%s left for another run: the budget is used up", app.Quantity(use.Deferred, "question"))
	}
	if use.Requests+use.Cached == 0 {
		return
	}
	text := fmt.Sprintf("%s, %s tokens", app.Quantity(use.Requests, "request"), app.Thousands(use.TokensIn+use.TokensOut))
	if use.Cached > 0 {
		text += fmt.Sprintf("; %s answered before", app.Thousands(use.Cached))
	}
	if use.Cost > 0 {
		text += fmt.Sprintf("; cost %.4f", use.Cost)
	}
	p.Note("models: %s", text)
}

// ModelStatus prints the servers of models, and what today has used.
func ModelStatus(p *Printer, doc *document.ModelStatus) {
	facts := p.Facts()
	if doc.Enabled {
		facts.Row("models", "on")
	} else {
		facts.Row("models", "off: set model.enabled = true in memory.toml to use them")
	}
	if doc.AllowRemote {
		facts.Row("remote", "allowed, for the scopes that [model.scopes] names remote")
	} else {
		facts.Row("remote", "not allowed: nothing leaves this machine")
	}
	today := fmt.Sprintf("%s, %s tokens", app.Quantity(doc.Today.Requests, "request"), app.Thousands(doc.Today.Tokens))
	if doc.DayTokens > 0 {
		today += " of " + app.Thousands(doc.DayTokens)
	}
	if doc.Today.Cost > 0 || doc.DayCost > 0 {
		today += fmt.Sprintf(", cost %.4f", doc.Today.Cost)
	}
	facts.Row("today", today)
	p.Printf("%s\n", facts.Format("", p.Style))
	t := &term.Table{Head: []string{"SERVER", "MODEL", "ADDRESS", "WHERE", "STATE"}, Cut: true}
	for _, s := range doc.Servers {
		t.Row(s.Name, cmp.Or(s.Model, "-"), s.BaseURL, whereServer(s.Local), cmp.Or(s.Missing, "ready"))
	}
	p.Printf("%s", t.Format("", p.Style))
}

func whereServer(local bool) string {
	if local {
		return "local"
	}
	return "remote"
}

// ModelTests prints whether servers answer.
func ModelTests(p *Printer, all []document.ModelTest) error {
	if p.JSON {
		return p.PrintJSON(document.ModelTests{Tests: all})
	}
	t := &term.Table{Head: []string{"SERVER", "MODEL", "OUTCOME", "MS", "TOKENS", "DETAIL"}, Right: map[int]bool{3: true, 4: true}, Cut: true}
	for _, r := range all {
		t.Row(r.Server, cmp.Or(r.Model, "-"), cmp.Or(string(r.Outcome), "not asked"), app.Thousands(int(r.MS)), app.Thousands(r.TokensIn+r.TokensOut), r.Detail)
	}
	p.Printf("%s", t.Format("", p.Style))
	return nil
}

// ModelReceipts lists requests to models.
func ModelReceipts(p *Printer, all []provider.Receipt) {
	if len(all) == 0 {
		p.Printf("no receipts\n")
		return
	}
	t := &term.Table{
		Head:  []string{"WHEN", "TASK", "SERVER", "MODEL", "SCOPE", "OUTCOME", "IN", "OUT", "COST", "MS", "ABOUT"},
		Right: map[int]bool{6: true, 7: true, 8: true, 9: true}, Cut: true, Spare: []int{3, 9, 8},
	}
	for _, r := range all {
		said := string(r.Outcome)
		if r.Estimated {
			said += " (estimated)"
		}
		t.Row(p.When(r.At), r.Task, r.Provider, r.Model, cmp.Or(r.Scope, "-"), said, app.Thousands(r.TokensIn), app.Thousands(r.TokensOut),
			fmt.Sprintf("%.4f", r.Cost), app.Thousands(int(r.MS)), strings.Join(r.IDs, ", "))
	}
	p.Printf("%s", t.Format("", p.Style))
}
