package cli

import (
	"fmt"
	"strings"

	"github.com/memoryd/memoryd/cmd/memory/internal/app"
	"github.com/memoryd/memoryd/pkg/answer"
	"github.com/memoryd/memoryd/pkg/config"
	"github.com/memoryd/memoryd/pkg/memory"
	"github.com/memoryd/memoryd/pkg/provider"
	"github.com/memoryd/memoryd/pkg/recall"
	"github.com/memoryd/memoryd/pkg/rules"
)

// modelPreview prints what would be sent first, by the command that is named.
func modelPreview(c *call, conf *config.Config, names []string) error {
	what := "deep"
	if len(names) > 0 {
		what, names = names[0], names[1:]
	}
	first := map[string]func(*call, *config.Config, *memory.Snapshot, []string) (*provider.Request, error){
		"deep": firstOfDeep, "enrich": firstOfEnrichment, "reason": firstOfAnswer,
	}[what]
	switch {
	case first == nil:
		return withHint(usagef("preview: there is no %q", what), "write deep, enrich, or reason and a question")
	case what != "reason" && len(names) > 0:
		return usagef("preview %s: it takes no names", what)
	case what == "reason" && strings.TrimSpace(strings.Join(names, "")) == "":
		return withHint(usagef("preview reason: there is no question"), `memory model preview reason "when did we move the cache"`)
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
	if c.json {
		return c.printJSON(preview)
	}
	c.printPreview(models != nil, request, preview)
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

// firstOfAnswer is what "recall --reason" would send for a question.
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
	hits, _, err := words.Search(recall.Request{Query: q, Texts: true, Score: func(m *memory.Memory) float64 { return c.score(m).Score }})
	if err != nil {
		return nil, err
	}
	return app.FirstOfAnswer(c.ctx, conf.Settings, &q, hits)
}

// printPreview prints a preview for people.
func (c *call) printPreview(models bool, request *provider.Request, preview *provider.Preview) {
	switch {
	case !models:
		c.printf("nothing would be sent: no model is set up and enabled\n")
	case request == nil:
		c.printf("nothing would be sent: there is nothing to ask about that may be sent\n")
	case preview == nil:
		c.printf("nothing would be sent: these memories may go to no model that is ready (reach: %s)\n", request.Reach)
	default:
		t := c.facts()
		t.row("to", fmt.Sprintf("%s (%s), %s, %s", preview.Provider, preview.Model, preview.URL, whereServer(preview.Local)))
		t.row("about", strings.Join(request.IDs, ", "))
		t.row("size", fmt.Sprintf("%s bytes, at most %s tokens with the answer", thousands(len(preview.Body)), thousands(preview.Tokens)))
		if preview.Cost > 0 {
			t.row("cost", fmt.Sprintf("at most %.4f", preview.Cost))
		}
		c.printf("%s\n%s\n", t.format("", c.style), printable(preview.Body))
	}
}
