package cli

import (
	"strings"

	urfave "github.com/urfave/cli/v2"

	"github.com/memoryd/memoryd/internal/app"
	"github.com/memoryd/memoryd/internal/document"
	"github.com/memoryd/memoryd/internal/fail"
	"github.com/memoryd/memoryd/internal/op/commit"
	"github.com/memoryd/memoryd/internal/op/record"
	"github.com/memoryd/memoryd/internal/printer"
	"github.com/memoryd/memoryd/pkg/answer"
	"github.com/memoryd/memoryd/pkg/config"
	"github.com/memoryd/memoryd/pkg/memory"
	"github.com/memoryd/memoryd/pkg/oplog"
	"github.com/memoryd/memoryd/pkg/provider"
	"github.com/memoryd/memoryd/pkg/recall"
	"github.com/memoryd/memoryd/pkg/rules"
	"github.com/memoryd/memoryd/pkg/secrets"
)

// applyCommand commits the actions of a single command, made from the snapshot. done prints what was
// done, for people; it gets the actions that are true now.
func applyCommand(c *call, actions []memory.Action, done func([]oplog.Action)) error {
	tx := commit.Tx(c.snap, c.store.Log(), c.started(), "", actions)
	if c.dryRun() {
		return printer.Would(&c.Printer, tx.Plan)
	}
	result, err := c.store.Commit(c.ctx, tx)
	if err != nil {
		return err
	}
	printer.Warnings(&c.Printer, result)
	doc := document.NewPlan(tx.Plan, result)
	switch {
	case c.JSON && result.Applied > 0:
		if err := c.PrintJSON(doc); err != nil {
			return err
		}
	case result.Applied > 0:
		done(doc.Actions)
	}
	return commit.Conflict(result)
}

// dryRun reports whether nothing may be written.
func (c *call) dryRun() bool { return c.has("dry-run") && c.flags.Bool("dry-run") }

// liveIDs and archivedIDs are for completion.

func liveIDs(c *call) []string { return idsOf(c, func(m *memory.Memory) bool { return !m.Archived }) }

func archivedIDs(c *call) []string {
	return idsOf(c, func(m *memory.Memory) bool { return m.Archived })
}

func allIDs(c *call) []string { return idsOf(c, func(*memory.Memory) bool { return true }) }

func idsOf(c *call, want func(*memory.Memory) bool) (ids []string) {
	_, snap, err := c.load()
	if err != nil {
		return nil
	}
	for _, id := range snap.IDs() {
		for _, m := range snap.Find(id) {
			if want(m) {
				ids = append(ids, id)
				break
			}
		}
	}
	return ids
}

// modelPreview prints what would be sent first, by the command that is named.
func modelPreview(c *call, conf *config.Config, names []string) error {
	what := "deep"
	if len(names) > 0 {
		what, names = names[0], names[1:]
	}
	if what == "reason" {
		what = "answer" // as "recall" takes --reason for --answer
	}
	first := map[string]func(*call, *config.Config, *memory.Snapshot, []string) (*provider.Request, error){
		"deep": firstOfDeep, "enrich": firstOfEnrichment, "answer": firstOfAnswer,
	}[what]
	switch {
	case first == nil:
		return unknownVerb(what, "deep", "enrich", "answer and a question")
	case what != "answer" && len(names) > 0:
		return fail.Usagef("preview %s: it takes no names", what)
	case what == "answer" && strings.TrimSpace(strings.Join(names, "")) == "":
		return fail.WithHint(fail.Usagef("preview answer: there is no question"), `memory model preview answer "when did we move the cache"`)
	}
	_, snap, err := c.load()
	if err != nil {
		return err
	}
	models, err := app.OpenModel(c.store, conf.Settings, c.env, "")
	if err != nil {
		return err
	}
	request, err := first(c, conf, snap, names)
	if err != nil {
		return err
	}
	var preview *provider.Preview
	if request != nil && models != nil {
		if preview, err = models.Preview(*request); err != nil {
			return err
		}
	}
	if c.JSON {
		return c.PrintJSON(preview)
	}
	c.Text = true
	printer.Preview(&c.Printer, models != nil, request, preview)
	return nil
}

// firstOfDeep is what "consolidate --deep" would send.
func firstOfDeep(c *call, conf *config.Config, snap *memory.Snapshot, _ []string) (*provider.Request, error) {
	request := rules.Request{Settings: conf.Settings, LogHead: c.store.Log().Head()}
	plan, err := app.MakePlan(c.store, snap, request)
	if err != nil {
		return nil, err
	}
	refiner, err := app.Refiner(c.store, request)
	if err != nil {
		return nil, err
	}
	return refiner.Preview(snap, plan)
}

// firstOfEnrichment is what "enrich" would send.
func firstOfEnrichment(c *call, conf *config.Config, snap *memory.Snapshot, _ []string) (*provider.Request, error) {
	return app.FirstOfEnrichment(c.ctx, c.store, c.env, snap, conf.Settings)
}

// firstOfAnswer is what "recall --answer" would send for a question.
func firstOfAnswer(c *call, conf *config.Config, snap *memory.Snapshot, question []string) (*provider.Request, error) {
	at, err := app.InZone(c.at, conf.Settings)
	if err != nil {
		return nil, err
	}
	words, err := recall.Open(c.store.Cache(), snap, 0)
	if err != nil {
		return nil, err
	}
	tiers := c.scored().Retention
	q := recall.Query{Text: strings.Join(question, " "), At: at, Limit: answer.MaxHits, Tiers: recall.Tiers{Hot: tiers.Hot, Warm: tiers.Warm, Cold: tiers.Cold}}
	hits, _, err := words.Search(recall.Request{Query: q, Texts: true, Score: func(m *memory.Memory) float64 { return c.score(m).Score }, Elsewhere: c.elsewhere(snap)})
	if err != nil {
		return nil, err
	}
	return app.FirstOfAnswer(c.ctx, conf.Settings, &q, hits)
}

// secretsOf reads the flags --redact and --allow-secret.
func secretsOf(flags *urfave.Context) record.Secrets {
	return record.Secrets{Redact: flags.Bool("redact"), Allow: flags.Bool("allow-secret")}
}

// secretRules are the rules for secrets that the settings ask for.
func secretRules(c *call) (*secrets.Rules, error) {
	conf, err := c.settings()
	if err != nil {
		return nil, err
	}
	return app.SecretRules(c.store, conf.Settings)
}
