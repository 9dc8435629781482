package cli

import (
	"slices"

	urfave "github.com/urfave/cli/v2"

	"github.com/memoryd/memoryd/internal/document"
	"github.com/memoryd/memoryd/internal/fail"
	"github.com/memoryd/memoryd/internal/op/find"
	"github.com/memoryd/memoryd/internal/printer"
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
	line := c.Progress("reading")
	defer line.End()
	_, snap, err := c.load()
	if err != nil {
		return err
	}
	if err := unknownChosen(c, snap); err != nil {
		return err
	}
	line.Now("comparing")
	found := enrich.Clusters(snap, conf.Settings, scope)
	line.End()
	docs := document.NewClusters(found)
	if len(c.args) > 0 {
		id := c.args[0]
		i := slices.IndexFunc(docs, func(d document.Cluster) bool { return d.ID == id || slices.Contains(d.Members, id) })
		switch {
		case i < 0 && len(snap.Find(id)) == 0:
			return find.Missing(snap, id)
		case i < 0:
			return fail.Errorf(fail.ExitNotFound, "%s is in no cluster", id)
		case c.JSON:
			return c.PrintJSON(document.Clusters{Clusters: docs[i : i+1], Page: document.Page{Total: 1}})
		}
		if !c.IDs(docs[i].Members...) {
			printer.Cluster(&c.Printer, docs[i], found[i])
		}
		return nil
	}
	if c.JSON {
		return c.PrintJSON(document.Clusters{Clusters: docs, Page: document.Page{Total: len(docs)}})
	}
	if len(docs) == 0 {
		c.Say("no clusters: there are no %d memories of one scope about one subject\n", conf.Cluster.Min)
		return nil
	}
	ids := make([]string, len(docs))
	for i, d := range docs {
		ids[i] = d.ID
	}
	if c.IDs(ids...) {
		return nil
	}
	printer.Clusters(&c.Printer, docs)
	return nil
}
