package adopting

import (
	"fmt"
	"strings"

	"github.com/memoryd/memoryd/internal/app"
	"github.com/memoryd/memoryd/internal/op/firstrun"
	"github.com/memoryd/memoryd/internal/term"
	"github.com/memoryd/memoryd/pkg/layout"
	"github.com/memoryd/memoryd/pkg/workspace"
)

// Text says what adopting a folder found or did. Name is the folder as the person wrote it, brief shortens paths.
func Text(found *Result, name string, brief func(string) string) string {
	var b strings.Builder
	say := func(format string, args ...any) { fmt.Fprintf(&b, format, args...) }
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
	return b.String()
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

// LeavingText says what giving a folder back did or, without apply, would do.
func LeavingText(left *workspace.Leaving, name string, apply bool) string {
	would := ""
	if !apply {
		would = "would be "
	}
	var b strings.Builder
	fmt.Fprintf(&b, "%s %srestored", app.Quantity(len(left.Restored), "file"), would)
	if n := len(left.Removed); n > 0 {
		fmt.Fprintf(&b, ", %s that memoryd wrote %sremoved", app.Quantity(n, "page"), would)
	}
	if n := len(left.Left); n > 0 {
		fmt.Fprintf(&b, ", %s left that somebody else changed", app.Quantity(n, "file"))
	}
	b.WriteString("\n")
	for _, file := range left.Left {
		fmt.Fprintf(&b, "  left: %s\n", term.Printable(file))
	}
	switch {
	case !apply:
		fmt.Fprintf(&b, "Nothing was written. To do it: memory unadopt %s --apply\n", term.Printable(name))
	case left.Moved != "":
		fmt.Fprintf(&b, "The log and the archive are in %s.\n", term.Printable(left.Moved))
	}
	return b.String()
}
