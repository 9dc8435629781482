package printer

import (
	"strings"

	"github.com/memoryd/memoryd/internal/app"
	"github.com/memoryd/memoryd/internal/term"
	"github.com/memoryd/memoryd/pkg/memory"
	"github.com/memoryd/memoryd/pkg/oplog"
)

// markdownRoom is how much of a plan is written as Markdown, in bytes: a comment on GitHub has 65,536 characters at most.
const markdownRoom = 60_000

// headings are the sections of a plan as Markdown, in their order. An action of another type has a section of its own behind them.
var headings = [...]struct{ action, title string }{
	{oplog.Merge, "Merge"}, {oplog.Promote, "Promote"}, {oplog.Propose, "Propose"}, {oplog.Summarize, "Summarise"}, {oplog.Archive, "Archive"},
	{oplog.Restore, "Restore"}, {oplog.Edit, "Edit"}, {oplog.Tend, "Index"}, {oplog.Review, "Questions"},
}

// PlanMarkdown prints a plan for a comment on a pull request: a heading with the totals, and a section for each kind of action. Texts of memories are in
// code blocks, so that nothing in them is markup or a mention. What has no room is counted.
func PlanMarkdown(p *Printer, snap *memory.Snapshot, plan *memory.Plan, do string) {
	plain := *p
	plain.Style = term.Style{}
	p = &plain
	if plan.Empty() {
		p.Printf("## Memories: nothing to do\n")
		return
	}
	p.Printf("## Memories: %s\n\nAs of %s. Nothing has been written: `memory %s` does it.\n", app.Planned(plan.Stats()), p.When(plan.At), do)
	shown, more := listed(p, plan.LogActions())
	texts := actionTexts(p, snap, plan, shown)
	byType := map[string][]string{}
	for i, text := range texts {
		kind := plan.Actions[shown[i]].Type
		byType[kind] = append(byType[kind], text)
	}
	room, left := markdownRoom, 0
	section := func(title string, texts []string) {
		var fits []string
		for _, text := range texts {
			if room -= len(text); room < 0 {
				left++
				continue
			}
			fits = append(fits, strings.TrimRight(text, "\n"))
		}
		if len(fits) > 0 {
			body := strings.Join(fits, "\n\n")
			fence := fenceFor(body)
			p.Printf("\n<details><summary>%s (%d)</summary>\n\n%stext\n%s\n%s\n\n</details>\n", title, len(texts), fence, body, fence)
		}
	}
	for _, h := range headings {
		section(h.title, byType[h.action])
		delete(byType, h.action)
	}
	var rest []string
	for i, text := range texts {
		if byType[plan.Actions[shown[i]].Type] != nil {
			rest = append(rest, text)
		}
	}
	section("Other", rest)
	if left += more.questions; left > 0 {
		p.Printf("\n%s: `memory plan --verbose` shows all.\n", app.Quantity(left, "more action"))
	}
}

// fenceFor is a line of backticks that a text doesn't have.
func fenceFor(body string) string {
	fence := "```"
	for strings.Contains(body, fence) {
		fence += "`"
	}
	return fence
}
