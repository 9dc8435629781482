package cli

import (
	"errors"
	"slices"
	"strings"

	urfave "github.com/urfave/cli/v2"

	"github.com/memoryd/memoryd/internal/document"
	"github.com/memoryd/memoryd/internal/fail"
	"github.com/memoryd/memoryd/internal/op/find"
	"github.com/memoryd/memoryd/internal/op/record"
	"github.com/memoryd/memoryd/internal/term"
	"github.com/memoryd/memoryd/pkg/edgefile"
	"github.com/memoryd/memoryd/pkg/graph"
	"github.com/memoryd/memoryd/pkg/memory"
	"github.com/memoryd/memoryd/pkg/oplog"
)

func graphCommand() *command {
	return &command{
		args:    "[ID] [options]",
		purpose: "show how memories are linked",
		detail: `Edges come from fields of records (references, supersedes, promoted_to), from
texts that name another memory by its id, its file or its title, from people
("memory link") and, if one is used, from a model. With ID only the edges of that
memory. --dot prints the graph for Graphviz. With --quiet the ids of the linked
memories are printed.`,
		example: "memory graph mem_k3x9q0a7b2cd --kind DEPENDS_ON",
		flags: []urfave.Flag{
			&urfave.StringFlag{Name: "kind", Usage: "only edges of `KIND`, such as DEPENDS_ON"},
			&urfave.BoolFlag{Name: "dot", Usage: "print it in the language of Graphviz"},
		},
		least: 0, most: 1, run: runGraph, words: liveIDs,
	}
}

func runGraph(c *call) error {
	if c.JSON && c.flags.Bool("dot") {
		return fail.Usagef("--json and --dot: choose one")
	}
	kind := c.flags.String("kind")
	_, snap, err := c.load()
	if err != nil {
		return err
	}
	if err := find.Known(snap, c.args...); err != nil {
		return err
	}
	id := ""
	if len(c.args) > 0 {
		id = c.args[0]
	}
	doc := document.NewGraph(snap, id, kind)
	switch {
	case c.JSON:
		return c.PrintJSON(doc)
	case c.flags.Bool("dot"):
		c.Text = true
		c.Printf("%s", term.Printable(doc.Dot()))
		return nil
	case len(doc.Edges) == 0:
		c.Say("no edges\n")
		return nil
	}
	var ids []string
	for _, e := range doc.Edges {
		ids = append(ids, e.From, e.To)
	}
	if c.IDs(slices.DeleteFunc(ids, func(one string) bool { return one == id })...) {
		return nil
	}
	t := &term.Table{Head: []string{"FROM", "TYPE", "TO", "WHY"}, Cut: true}
	for _, e := range doc.Edges {
		t.Row(e.From, e.Type, e.To, e.Why)
	}
	c.Printf("%s", t.Format("", c.Style))
	return nil
}

func linkCommand() *command {
	return &command{
		args:    "ID TYPE ID",
		purpose: "state how one memory is linked to another",
		detail: `TYPE is ` + edgeTypes() + `
The edge is stored in _edges.json next to the index. No model changes it.`,
		example: "memory link mem_k3x9q0a7b2cd DEPENDS_ON mem_p1r8t5v2x9z4",
		flags:   []urfave.Flag{reasonFlag(), allowSecretFlag()},
		least:   3, most: 3, needs: needsSnapshot, writes: true, run: runLink, words: linkWords,
	}
}

func unlinkCommand() *command {
	return &command{
		args:    "ID TYPE ID",
		purpose: "take a link between two memories away",
		detail: `An edge that was stated with "memory link" goes. One that a text or a model states
is refused, and not proposed again. Fields of records are changed with
"memory edit".`,
		example: "memory unlink mem_k3x9q0a7b2cd DEPENDS_ON mem_p1r8t5v2x9z4",
		flags:   []urfave.Flag{reasonFlag(), allowSecretFlag()},
		least:   3, most: 3, needs: needsSnapshot, writes: true, run: runUnlink, words: linkWords,
	}
}

// edgeTypes lists the types of edges on lines of a help text.
func edgeTypes() string {
	types := edgefile.Types()
	n := len(types) - 1
	return strings.Join(types[:3], ", ") + ",\n" + strings.Join(types[3:n], ", ") + " or " + types[n] + "."
}

func linkWords(c *call) []string { return append(edgefile.Types(), liveIDs(c)...) }

func runLink(c *call) error { return changeEdge(c, graph.Link, "linked") }

func runUnlink(c *call) error { return changeEdge(c, graph.Unlink, "unlinked") }

// changeEdge applies what build makes of the arguments.
func changeEdge(c *call, build func(*memory.Snapshot, edgefile.Name, string) (memory.Action, error), done string) error {
	n := edgefile.Name{From: c.args[0], Type: strings.ToUpper(strings.ReplaceAll(c.args[1], "-", "_")), To: c.args[2]}
	action, err := build(c.snap, n, strings.TrimSpace(c.flags.String("reason")))
	var missing *memory.NotLiveError
	switch {
	case errors.Is(err, graph.ErrNothing):
		c.Say("%s\n", term.Printable(err.Error()))
		if c.JSON {
			return printEmpty(c)
		}
		return nil
	case errors.As(err, &missing) && len(c.snap.Find(missing.ID)) == 0:
		return find.Missing(c.snap, missing.ID)
	case errors.As(err, &missing):
		return fail.WithHint(err, "edges are between live memories, each with an id of its own")
	case errors.Is(err, graph.ErrNoEdge):
		return fail.WithHint(fail.Errorf(fail.ExitNotFound, "%w", err), "\"memory graph "+n.From+"\" lists the edges of it")
	case err != nil:
		return fail.Usagef("%w", err)
	}
	conf, err := c.settings()
	if err != nil {
		return err
	}
	for _, e := range action.Edges {
		if e.Now != "" {
			if _, _, err := record.Clean(c.store, conf.Settings, nil, []byte(e.Now), secretsOf(c.flags)); err != nil {
				return err
			}
		}
	}
	return applyCommand(c, []memory.Action{action}, func([]oplog.Action) { c.Say("%s: %s\n", done, term.Printable(n.String())) })
}
