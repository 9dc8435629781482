package cli

import (
	"errors"
	"slices"
	"strings"
	"time"

	urfave "github.com/urfave/cli/v2"

	"github.com/memoryd/memoryd/internal/app"
	"github.com/memoryd/memoryd/internal/document"
	"github.com/memoryd/memoryd/internal/fail"
	"github.com/memoryd/memoryd/internal/op/discover"
	"github.com/memoryd/memoryd/internal/printer"
	"github.com/memoryd/memoryd/pkg/memory"
	"github.com/memoryd/memoryd/pkg/recall"
	"github.com/memoryd/memoryd/pkg/workspace"
)

func recallCommand() *command {
	return &command{
		args:    "[QUERY…] [options]",
		purpose: "find the memories that answer a question",
		detail: `QUERY is words or a question. Not every word has to match, and there are no
special characters. A time in the query ("last week", "in May") prefers memories
of that time, and a name those of that person. Superseded memories come after
those that still hold. Where nobody has decided whether a newer memory replaces
one, the newer stands first, and the older is marked. Memories of this project
and global ones come first, those of other projects follow below a line. If
fewer than three fit, colder and archived ones follow below a line, except with
--mode reflexive. Without QUERY, the memories that matter most are listed.
TIME is a date or an expression such as "last week". A memory whose whole text is
printed counts as read, once a day: with --full, or if the text is one line.
A question for a time ("when did", "what day", "how long ago") is answered above
the list, by rules; with --answer any question, by a model if one is set up.
With --quiet only the ids are printed, or the answer with --answer.`,
		example: `memory recall "what did we decide about the cache last week" --explain`,
		flags: []urfave.Flag{
			&urfave.StringFlag{Name: "mode", Usage: "how far back: `MODE` is reflexive (hot memories), standard (warm ones too), deep (cold ones too) or exhaustive (all, and the archive)", Value: "standard"},
			typeFlag(),
			scopesFlag(),
			tagFlag(),
			&urfave.StringFlag{Name: "agent", Usage: "only memories by or for the agent `NAME`"},
			sinceFlag(), untilFlag(),
			&urfave.IntFlag{Name: "limit", Usage: "at most `N` memories", Value: 10},
			&urfave.StringSliceFlag{Name: "also", Usage: "the question in other words, `PHRASE`; what each finds is fused; at most three"},
			&urfave.BoolFlag{Name: "answer", Usage: "answer the question from what is found"},
			&urfave.StringFlag{Name: "model", Usage: "who answers: auto, none for the rules, or the `NAME` of a server", Value: app.ModelAuto},
			&urfave.BoolFlag{Name: "explain", Usage: "say what each score is made of"},
			&urfave.BoolFlag{Name: "full", Usage: "show the memories as a whole"},
			&urfave.BoolFlag{Name: "all-projects", Usage: "mix the memories of other projects with those of this one"},
			&urfave.BoolFlag{Name: "no-count", Usage: "don't count this as a read"},
		},
		most: -1, run: runRecall,
	}
}

func runRecall(c *call) (err error) {
	conf, err := c.settings()
	if err != nil {
		return err
	}
	at, err := app.InZone(c.at, conf.Settings)
	if err != nil {
		return err
	}
	q := recall.Query{Text: strings.Join(c.args, " "), Also: c.flags.StringSlice("also"), At: at, Limit: c.flags.Int("limit")}
	if len(q.Also) >= recall.MaxPhrasings {
		return fail.Usagef("--also: at most %d other phrasings", recall.MaxPhrasings-1)
	}
	if q.Limit <= 0 {
		return fail.Usagef("--limit: write a number above 0")
	}
	if q.Mode, err = recall.ParseMode(c.flags.String("mode")); err != nil {
		return fail.Usagef("--mode: %w", err)
	}
	if q.Filter, err = recallFilter(c, at); err != nil {
		return err
	}
	if err := checkReason(c, &q); err != nil {
		return err
	}
	store, snap, err := c.load()
	if err != nil {
		return err
	}
	scope, note := app.FilterScope(snap, q.Filter.Scope)
	if q.Filter.Scope = scope; note != "" {
		c.Note("%s", note)
	}
	words, err := recall.Open(store.Cache(), snap, 0)
	if err != nil {
		return err
	}
	tiers := c.scored().Retention
	q.Tiers = recall.Tiers{Hot: tiers.Hot, Warm: tiers.Warm, Cold: tiers.Cold}
	meanings := app.Embeddings{Env: c.env, Now: clock}
	why, err := meanings.Compare(c.ctx, store, conf.Settings, snap, &q)
	if err != nil {
		return err
	}
	wanted := q.Limit
	q.Limit = reasonLimit(c, &q)
	few := recall.Few
	if q.Mode == recall.Reflexive {
		few = 0
	}
	hits, leftOut, err := words.Search(recall.Request{Query: q, Few: few, Texts: true, Score: func(m *memory.Memory) float64 { return c.score(m).Score }, Elsewhere: c.elsewhere(snap)})
	if err != nil {
		return err
	}
	if why != "" {
		c.Note("by words alone: %s", why)
	}
	if len(hits) == 0 {
		if err := unknownValue(c, snap); err != nil {
			return err
		}
	}
	within := slices.IndexFunc(hits, func(h recall.Found) bool { return h.Beyond })
	if within < 0 {
		within = len(hits)
	}
	reasoned, err := reasoned(c, store, &q, hits[:within])
	if err != nil {
		return err
	}
	hits = hits[:min(len(hits), wanted)]
	if !c.flags.Bool("no-count") {
		noteRead(c, store, printedIDs(c, hits))
	}
	if c.JSON {
		doc := document.NewRecall(&q, hits, leftOut, *c.scored(), c.flags.Bool("explain"), c.flags.Bool("full"))
		doc.Answer = reasoned
		doc.Mark(app.ReadMarks(store).Of, hits)
		err = c.PrintJSON(doc)
	} else {
		printer.Answer(&c.Printer, reasoned, c.flags.Bool("answer"))
		printer.Recall(&c.Printer, &printer.Recalled{
			Snapshot: snap, Settings: *c.scored(), Query: &q, Hits: hits, Within: min(within, len(hits)), LeftOut: leftOut, Marks: app.ReadMarks(store),
			Answered: c.flags.Bool("answer"), Full: c.flags.Bool("full"), Explain: c.flags.Bool("explain"),
		})
	}
	if err == nil {
		err = c.Out.Flush() // nobody waits for what follows
		saveWords(&c.Printer, store, snap, words)
	}
	return err
}

// elsewhere tells which memories are of another project than the one in which the command runs; nil: no matter.
func (c *call) elsewhere(snap *memory.Snapshot) func(*memory.Memory) bool {
	if c.flags.Bool("all-projects") || strings.Contains(c.flags.String("scope"), ":") {
		return nil
	}
	return app.Elsewhere(snap, discover.ProjectDir(c.search()))
}

// saveWords saves, for the commands to come, what this one has read and indexed, where
// that is worth it.
func saveWords(p *printer.Printer, store *workspace.FileStore, snap *memory.Snapshot, words *recall.Searcher) {
	if len(snap.Memories()) < recall.Worthwhile {
		return
	}
	if err := errors.Join(store.Cache().SaveCatalog(), words.Save()); err != nil && p.Verbose {
		p.Note("%v", err) // a read-only disk, say: the next command takes as long
	}
}

// printedIDs lists the ids of the hits whose text was printed: all with --full, else those whose
// line says all that they say.
func printedIDs(c *call, hits []recall.Found) (ids []string) {
	for i := range hits {
		m := hits[i].Memory
		if !hits[i].Evident() {
			continue
		}
		line, _ := m.Summary()
		if c.flags.Bool("full") || !c.Quiet && strings.Join(strings.Fields(m.Text()), " ") == line {
			ids = append(ids, m.ID)
		}
	}
	return ids
}

func recallFilter(c *call, at time.Time) (f recall.Filter, err error) {
	if _, err := chosenBy(c); err != nil { // says what may stand in --scope
		return f, err
	}
	f = recall.Filter{Type: c.flags.String("type"), Scope: c.flags.String("scope"), Agent: c.flags.String("agent"), Tags: c.flags.StringSlice("tag")}
	f.Since, f.Until, err = periodAt(c, at)
	return f, err
}
