package printer

import (
	"time"

	"github.com/memoryd/memoryd/internal/app"
	"github.com/memoryd/memoryd/internal/op/adopting"
	"github.com/memoryd/memoryd/internal/op/firstrun"
	"github.com/memoryd/memoryd/internal/term"
	"github.com/memoryd/memoryd/pkg/layout"
	"github.com/memoryd/memoryd/pkg/workspace"
)

// Adopted says what adopting a folder found or did. Name is the folder as the person wrote it, brief shortens paths.
func Adopted(p *Printer, found *adopting.Result, name string, brief func(string) string) {
	say := p.Say
	say("%s: %s (%s), %s\n", term.Printable(brief(found.Dir)), found.Host, found.Why, levelText(found.Level))
	say("  %s", app.Quantity(found.Notes, "note"))
	if found.Copies > 0 {
		say(", %s", app.Quantity(found.Copies, "exact copy"))
	}
	say("\n")
	if found.Index != "" {
		say("  %s: %s, %s characters, %d %% of what the host loads\n", found.Index, app.Quantity(found.Lines, "line"), app.Thousands(found.Units), found.Share)
		say("  %s in it that the host doesn't load, %s without an entry, %s\n", app.Quantity(len(found.Hidden), "note"), app.Quantity(len(found.Orphans), "note"), app.Quantity(len(found.Dead), "dead link"))
	}
	if len(found.Unseen) > 0 {
		say("  %s without a type, which the host doesn't list\n", app.Quantity(len(found.Unseen), "note"))
	}
	for _, r := range found.Refused {
		say("  left alone: %s\n", term.Printable(r))
	}
	switch {
	case found.Applied:
		say("It is a workspace now; no note was changed. In that folder:\n  memory plan           see what consolidation would do\n  memory consolidate    do it\n  memory unadopt .      give the folder back as it was\n")
	case found.Adopted:
		say("It is adopted already.\n")
	case found.Other != "":
		say("It can't be adopted too: %s is adopted.\n", term.Printable(brief(found.Other)))
	case found.Level != layout.Tend:
		say("memoryd only reads such a folder. To search its notes: memory import\n")
	default:
		if found.First != nil {
			say("%s\n", firstrun.Text(found.First))
		}
		say("Nothing was written. To do it: memory adopt %s --apply\n", term.Printable(name))
	}
}

func levelText(l layout.Level) string {
	switch l {
	case layout.Tend:
		return "notes and index are tended"
	case layout.Entries:
		return "one file of several memories"
	}
	return "only read"
}

// Unadopted says what giving a folder back did or, without apply, would do.
func Unadopted(p *Printer, left *workspace.Leaving, name string, apply bool) {
	would := ""
	if !apply {
		would = "would be "
	}
	p.Say("%s %srestored", app.Quantity(len(left.Restored), "file"), would)
	if n := len(left.Removed); n > 0 {
		p.Say(", %s that memoryd wrote %sremoved", app.Quantity(n, "page"), would)
	}
	if n := len(left.Left); n > 0 {
		p.Say(", %s left that somebody else changed", app.Quantity(n, "file"))
	}
	p.Say("\n")
	for _, file := range left.Left {
		p.Say("  left: %s\n", term.Printable(file))
	}
	switch {
	case !apply:
		p.Say("Nothing was written. To do it: memory unadopt %s --apply\n", term.Printable(name))
	case left.Moved != "":
		p.Say("The log and the archive are in %s.\n", term.Printable(left.Moved))
	}
}

// Folders lists the folders of hosts that were found. Brief shortens paths.
func Folders(p *Printer, all []adopting.Folder, brief func(string) string) {
	for _, f := range all {
		p.Printf("%s\n", term.Printable(brief(f.Dir)))
		if f.Error != "" {
			p.Printf("  can't be read: %s\n", term.Printable(f.Error))
			continue
		}
		p.Printf("  %s, %s", f.Host, app.Quantity(f.Notes, "note"))
		if f.Index != "" && f.Level == layout.Tend {
			p.Printf(", %d %% of what the host loads", f.Share)
			if n := len(f.Hidden); n > 0 {
				p.Printf(", %s not loaded", app.Quantity(n, "note"))
			}
			if n := len(f.Orphans); n > 0 {
				p.Printf(", %s without an entry", app.Quantity(n, "note"))
			}
		}
		if f.Copies > 0 {
			p.Printf(", %s", app.Quantity(f.Copies, "exact copy"))
		}
		p.Printf("\n  ")
		switch {
		case f.Adopted && f.LastRun != nil:
			p.Printf("adopted, last run %s, %s to review\n", f.LastRun.At.Format(time.DateOnly), app.Quantity(f.Review, "pair"))
		case f.Adopted:
			p.Printf("adopted, no run yet\n")
		case f.Other != "":
			p.Printf("%s is adopted\n", term.Printable(brief(f.Other)))
		case f.Level == layout.Tend:
			p.Printf("not adopted: memory adopt %s\n", term.Printable(brief(f.Dir)))
		default:
			p.Printf("only read\n")
		}
	}
}
