package cli

import (
	"cmp"
	"encoding/json"
	"errors"
	"slices"
	"strings"

	urfave "github.com/urfave/cli/v2"

	"github.com/memoryd/memoryd/internal/app"
	"github.com/memoryd/memoryd/internal/fail"
	"github.com/memoryd/memoryd/internal/hook"
	"github.com/memoryd/memoryd/internal/op/edit"
	"github.com/memoryd/memoryd/internal/op/record"
	"github.com/memoryd/memoryd/internal/op/saving"
	"github.com/memoryd/memoryd/internal/printer"
	"github.com/memoryd/memoryd/internal/term"
	"github.com/memoryd/memoryd/pkg/memory"
	"github.com/memoryd/memoryd/pkg/text"
)

var priorityNames = []string{"critical", "high", "medium", "low"}

func addCommand() *command {
	return &command{
		args:    "TEXT | --type TYPE [options] (--text TEXT | --content JSON | -)",
		purpose: "write a new memory",
		detail: `The content is a text, a JSON object, or either of them on the standard input
with "-". TEXT alone is a semantic memory by you. The first sentence of a long
text becomes its summary. Prints the id and the file. A text with a secret, such
as a password or an access token, is refused. If a memory of the same type,
scope and author says the same, nothing new is written, and the old one gains
the missing tags. If the new text says all that the old one does and more, it
takes its place under the old id; "memory show ID --original" prints what was
replaced. Anything else is saved as it is. If it is similar to a memory, or says
that it corrects one ("Correction: …", "no longer"), the two are flagged for
"memory review".`,
		example: `memory add --type procedural --scope agent:DEV-001 --tag deploy --text "Run the migration before the deploy."`,
		flags: []urfave.Flag{
			&urfave.StringFlag{Name: "type", Usage: "factual, procedural, episodic, semantic or working"},
			&urfave.StringFlag{Name: "subtype", Usage: "free text, such as decision"},
			scopeFlag("for whom it is, `SCOPE`: global, team:NAME, agent:NAME, project:NAME or session:NAME [global]"),
			&urfave.StringSliceFlag{Name: "tag", Usage: "a tag, or several with commas between them; may be repeated"},
			&urfave.StringFlag{Name: "priority", Usage: "critical, high, medium or low [medium]"},
			&urfave.StringFlag{Name: "by", Usage: "who writes it, `WHO` [MEMORY_AGENT, else USER]"},
			&urfave.StringFlag{Name: "text", Usage: "the content as text"},
			&urfave.StringFlag{Name: "content", Usage: "the content as `JSON`: an object or a string"},
			&urfave.StringFlag{Name: "id", Usage: "the id, instead of a new one"},
			&urfave.BoolFlag{Name: "no-check", Usage: "save it even if another memory says the same"},
			redactFlag(), allowSecretFlag(),
			aliasFlag(), ttlFlag(), reviewOnFlag(), supersedesFlag(), pinFlag(),
		},
		most: -1, writes: true, run: runAdd,
	}
}

func runAdd(c *call) error {
	draft, err := draftOf(c)
	if err != nil {
		return err
	}
	conf, err := c.settings()
	if err != nil {
		return err
	}
	at, err := app.InZone(c.at, conf.Settings)
	if err != nil {
		return err
	}
	if draft, err = extrasOf(c.flags).Draft(draft, at); err != nil {
		return err
	}
	store, snap, err := c.load()
	if err != nil {
		return err
	}
	out, err := saving.Save(c.ctx, store, conf.Settings, draft, saving.Options{
		At: c.at, Snapshot: snap, Started: c.started(), NoCheck: c.flags.Bool("no-check"), DryRun: c.dryRun(),
		Redact: c.flags.Bool("redact"), AllowSecret: c.flags.Bool("allow-secret"),
		Session: hook.NamedSession(c.env),
	})
	for _, w := range out.Notes {
		c.Note("%s", w)
	}
	if err != nil {
		return err
	}
	if !c.dryRun() {
		if err := saving.Crossed(store.Dir(), c.Env, conf.Settings, snap, draft, out); err != nil {
			c.Note("the working memories are not consolidated: %v", err)
		}
	}
	if c.JSON {
		return c.PrintJSON(out)
	}
	if bareText(c.args) && !c.flags.IsSet("type") && out.Status != saving.Merged {
		c.Note("saved as type %s, author %s: change this with --type and --by", draft.Type, draft.CreatedBy)
	}
	if c.IDs(out.ID) {
		return nil
	}
	if c.dryRun() {
		c.Say("would be %s; nothing was written: ", out.Status)
	}
	c.Printf("%s", term.Printable(out.ID))
	c.Say("  %s", term.Printable(out.File))
	c.Printf("\n")
	printer.Saved(&c.Printer, out)
	return nil
}

// draftOf is the memory that the flags describe.
func draftOf(c *call) (d memory.Draft, err error) {
	d = memory.Draft{
		ID: c.flags.String("id"), Type: c.flags.String("type"), Subtype: c.flags.String("subtype"),
		Tags: edit.SplitTags(c.flags.StringSlice("tag")), Priority: c.flags.String("priority"), CreatedBy: c.flags.String("by"),
		Scope: memory.Global,
	}
	bare := bareText(c.args)
	if bare && d.Type == "" {
		d.Type = memory.Semantic
		d.CreatedBy = cmp.Or(d.CreatedBy, c.env("MEMORY_AGENT"), c.env("USER"), c.env("USERNAME"), "USER")
	}
	switch {
	case d.Type == "":
		return d, fail.Usagef("--type is missing: write one of %s", strings.Join(record.Types, ", "))
	case slices.ContainsFunc(d.Tags, func(t string) bool { return strings.TrimSpace(t) == "" }):
		return d, fail.Usagef("--tag: a tag is empty")
	}
	if d.ID != "" && memory.FileName(d.ID) != text.Composed(d.ID) {
		return d, fail.WithHint(fail.Usagef("--id: %q can't be the name of a file", d.ID), "write letters, digits, -, _ and ., at most 100 bytes, and neither . nor _ first")
	}
	if d.CreatedBy == "" {
		d.CreatedBy = c.env("MEMORY_AGENT")
	}
	if d.CreatedBy == "" {
		d.CreatedBy = "USER"
	}
	scope, err := c.oneScope()
	if err != nil {
		return d, err
	}
	if scope != nil {
		d.Scope = *scope
	}
	d.Content, err = contentOf(c)
	return d, err
}

// bareText reports whether the arguments are the text.
func bareText(args []string) bool { return len(args) > 1 || len(args) == 1 && args[0] != "-" }

// contentOf reads what --text, --content or the standard input gives.
func contentOf(c *call) ([]byte, error) {
	stdin := len(c.args) == 1 && c.args[0] == "-"
	given := 0
	for _, is := range []bool{c.flags.IsSet("text"), c.flags.IsSet("content"), stdin, bareText(c.args)} {
		if is {
			given++
		}
	}
	if given != 1 {
		return nil, fail.Usagef("give the content once: a text, --text, --content, or - for the standard input")
	}
	switch {
	case c.flags.IsSet("content"):
		content := []byte(c.flags.String("content"))
		if !json.Valid(content) {
			return nil, fail.WithHint(fail.Usagef("--content is not valid JSON"), "for plain text write --text")
		}
		return content, nil
	case bareText(c.args):
		return givenText(strings.Join(c.args, " "))
	case stdin:
		text, err := c.readStdin()
		if err != nil {
			return nil, err
		}
		if trimmed := strings.TrimSpace(string(text)); strings.HasPrefix(trimmed, "{") && json.Valid(text) {
			return text, nil
		}
		return givenText(string(text))
	}
	return givenText(c.flags.String("text"))
}

func givenText(text string) ([]byte, error) {
	content, err := app.TextContent(text)
	if errors.Is(err, app.ErrEmptyText) {
		return nil, fail.Usagef("%w", err)
	}
	return content, err
}
