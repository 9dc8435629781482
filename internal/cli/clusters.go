package cli

import (
	"fmt"
	"slices"
	"strings"

	urfave "github.com/urfave/cli/v2"

	"github.com/memoryd/memoryd/internal/document"
	"github.com/memoryd/memoryd/internal/fail"
	"github.com/memoryd/memoryd/internal/op/find"
	"github.com/memoryd/memoryd/internal/term"
	"github.com/memoryd/memoryd/pkg/enrich"
)

func clustersCommand() *command {
	return &command{
		args:    "[ID] [options]",
		purpose: "list groups of memories that are about one subject",
		detail: `With the ID of a cluster, of its summary that is, or of a memory in it, its
memories are listed. "memory enrich" keeps a summary for each.`,
		example: "memory clusters --json",
		flags:   []urfave.Flag{scopesFlag()},
		least:   0, most: 1, run: runClusters, words: liveIDs,
	}
}

func runClusters(c *call) error {
	scope, err := c.scopes()
	if err != nil {
		return err
	}
	conf, err := c.settings()
	if err != nil {
		return err
	}
	line := c.progress("reading")
	defer line.end()
	_, snap, err := c.load()
	if err != nil {
		return err
	}
	if err := unknownChosen(c, snap); err != nil {
		return err
	}
	line.now("comparing")
	found := enrich.Clusters(snap, conf.Settings, scope)
	line.end()
	docs := document.NewClusters(found)
	if len(c.args) > 0 {
		id := c.args[0]
		i := slices.IndexFunc(docs, func(d document.Cluster) bool { return d.ID == id || slices.Contains(d.Members, id) })
		switch {
		case i < 0 && len(snap.Find(id)) == 0:
			return find.Missing(snap, id)
		case i < 0:
			return fail.Errorf(fail.ExitNotFound, "%s is in no cluster", id)
		case c.json:
			return c.printJSON(document.Clusters{Clusters: docs[i : i+1], Page: document.Page{Total: 1}})
		}
		if !c.ids(docs[i].Members...) {
			printCluster(&c.printer, docs[i], found[i])
		}
		return nil
	}
	if c.json {
		return c.printJSON(document.Clusters{Clusters: docs, Page: document.Page{Total: len(docs)}})
	}
	if len(docs) == 0 {
		c.say("no clusters: there are no %d memories of one scope about one subject\n", conf.Cluster.Min)
		return nil
	}
	ids := make([]string, len(docs))
	for i, d := range docs {
		ids[i] = d.ID
	}
	if c.ids(ids...) {
		return nil
	}
	t := &term.Table{Head: []string{"ID", "MEMORIES", "ALIKE", "STATE", "SCOPE", "TITLE"}, Right: map[int]bool{1: true}, Spare: []int{4, 2}, Cut: true}
	for _, d := range docs {
		t.Row(d.ID, fmt.Sprint(len(d.Members)), fmt.Sprintf("%.2f", d.Coherence), string(d.State), d.Scope, d.Title)
	}
	c.printf("%s", t.Format("", c.style))
	return nil
}

func printCluster(p *printer, d document.Cluster, of enrich.Cluster) {
	p.printf("%s\n", p.style.Bold(term.Printable(d.ID)))
	var common []string
	for _, what := range d.Common {
		common = append(common, what.Kind+" "+what.Value)
	}
	t := p.facts()
	t.Fact("title", d.Title)
	t.Fact("scope", d.Scope)
	t.Fact("state", string(d.State))
	t.Fact("alike", fmt.Sprintf("%.2f", d.Coherence))
	t.Fact("common", strings.Join(common, ", "))
	p.printf("%s\n", t.Format("  ", p.style))
	list := &term.Table{Cut: true}
	for _, m := range of.Members {
		line, _ := m.Summary()
		list.Row(m.ID, line)
	}
	p.printf("%s", list.Format("  ", p.style))
}
