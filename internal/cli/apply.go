package cli

import (
	"errors"
	"fmt"
	"strings"

	"github.com/tidwall/gjson"
	urfave "github.com/urfave/cli/v2"

	"github.com/memoryd/memoryd/internal/app"
	"github.com/memoryd/memoryd/internal/document"
	"github.com/memoryd/memoryd/internal/fail"
	"github.com/memoryd/memoryd/internal/term"
	"github.com/memoryd/memoryd/pkg/answer"
	"github.com/memoryd/memoryd/pkg/config"
	"github.com/memoryd/memoryd/pkg/memory"
	"github.com/memoryd/memoryd/pkg/oplog"
	"github.com/memoryd/memoryd/pkg/provider"
	"github.com/memoryd/memoryd/pkg/recall"
	"github.com/memoryd/memoryd/pkg/rules"
	"github.com/memoryd/memoryd/pkg/secrets"
	"github.com/memoryd/memoryd/pkg/workspace"
	"github.com/memoryd/memoryd/schemas"
)

// applyCommand commits the actions of a single command, made from the snapshot. done prints what was
// done, for people; it gets the actions that are true now.
func (c *call) applyCommand(actions []memory.Action, done func([]oplog.Action)) error {
	plan := memory.Command(c.snap, c.store.Log().Head(), actions...)
	result, err := c.store.Commit(c.ctx, &workspace.Tx{Plan: plan, Started: c.started()})
	if err != nil {
		return err
	}
	c.warn(result)
	doc := document.NewPlan(plan, result)
	switch {
	case c.json && result.Applied > 0:
		if err := c.printJSON(doc); err != nil {
			return err
		}
	case result.Applied > 0:
		done(doc.Actions)
	}
	return changedMeanwhile(result)
}

// warn passes on what a commit has to say besides.
func (c *call) warn(result *workspace.Result) {
	for _, w := range result.Warnings {
		c.note("%s", w)
	}
}

// changedMeanwhile is the conflict of actions whose memories had changed; nil when
// there is none.
func changedMeanwhile(result *workspace.Result) error {
	if len(result.Skipped) == 0 {
		return nil
	}
	var texts []string
	for _, s := range result.Skipped {
		texts = append(texts, skipText(s))
	}
	return fail.WithHint(&fail.Error{Err: errors.New(strings.Join(texts, "\n")), Code: fail.ExitStale}, "nothing of it was touched: look at it, then try again")
}

// skipText says why an action was left out when it was applied.
func skipText(s memory.Skip) string {
	if s.Reason == workspace.ReasonChanged {
		return s.MemoryID + ": changed meanwhile: " + s.Detail
	}
	return s.MemoryID + ": " + s.Detail
}

// one is the memory with an id: the live one, or the archived one when none is
// live. No such memory, and an id that isn't unique, are errors.
func one(snap *memory.Snapshot, id string) (*memory.Memory, error) {
	found := snap.Find(id)
	if live := snap.Live(id); live != nil {
		found = []*memory.Memory{live}
	}
	switch {
	case len(found) == 0:
		return nil, notFound(snap, id)
	case len(found) == 1 && found[0].Raw() == nil: // its file has gone, or holds something else, since it was listed
		return nil, &fail.Error{Err: fmt.Errorf("%s: %s changed meanwhile: try again", id, found[0].Ref), Code: fail.ExitStale}
	case len(found) == 1:
		return found[0], nil
	}
	return nil, fmt.Errorf("%s: %w: it stands in %s and %s", id, workspace.ErrAmbiguous, found[0].Ref, found[1].Ref)
}

// notFound is the error for an id that no memory has.
func notFound(snap *memory.Snapshot, id string) error {
	err := error(&missingError{id})
	if near := closest(id, snap.IDs()); near != "" {
		return fail.WithHint(err, "did you mean "+near+"?")
	}
	return err
}

// missingError is about an id that no memory has.
type missingError struct{ id string }

func (e *missingError) Error() string { return e.id + ": " + workspace.ErrNotFound.Error() }
func (e *missingError) Unwrap() error { return workspace.ErrNotFound }

// whyMissing says of a memory that isn't found that its file can't be read, or was deleted, where that is so.
func (c *call) whyMissing(err error) error {
	var missing *missingError
	if c.store == nil || c.snap == nil || !errors.As(err, &missing) {
		return err
	}
	if closed := unread(c.snap, missing.id); closed != nil {
		return closed
	}
	if len(c.snap.Find(missing.id)) > 0 {
		return err
	}
	past, failed := c.store.History(missing.id)
	if failed != nil {
		return errors.Join(err, failed)
	}
	if n := len(past) - 1; n >= 0 && past[n].After != nil {
		return fail.WithHint(fail.Errorf(fail.ExitNotFound, "%s was deleted outside of memoryd after %s", missing.id, past[n].RunID), "to bring it back: memory restore "+missing.id)
	}
	return err
}

// unread is the error about a memory in a file or directory that can't be read; nil for any other.
func unread(snap *memory.Snapshot, id string) error {
	p, ok := snap.Unread(id)
	if !ok {
		return nil
	}
	return fail.WithHint(fmt.Errorf("%s: %s: %s", id, p.File, p.Message), p.Hint)
}

// known checks that every id is that of some memory, so that a slip gets a
// suggestion.
func known(snap *memory.Snapshot, ids []string) error {
	for _, id := range ids {
		if len(snap.Find(id)) == 0 {
			return notFound(snap, id)
		}
	}
	return nil
}

// liveIDs and archivedIDs are for completion.

func liveIDs(c *call) []string { return c.ids(func(m *memory.Memory) bool { return !m.Archived }) }

func archivedIDs(c *call) []string {
	return c.ids(func(m *memory.Memory) bool { return m.Archived })
}

func allIDs(c *call) []string { return c.ids(func(*memory.Memory) bool { return true }) }

func (c *call) ids(want func(*memory.Memory) bool) (ids []string) {
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
	first := map[string]func(*call, *config.Config, *memory.Snapshot, []string) (*provider.Request, error){
		"deep": firstOfDeep, "enrich": firstOfEnrichment, "reason": firstOfAnswer,
	}[what]
	switch {
	case first == nil:
		return unknownVerb(what, "deep", "enrich", "reason and a question")
	case what != "reason" && len(names) > 0:
		return fail.Usagef("preview %s: it takes no names", what)
	case what == "reason" && strings.TrimSpace(strings.Join(names, "")) == "":
		return fail.WithHint(fail.Usagef("preview reason: there is no question"), `memory model preview reason "when did we move the cache"`)
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
		t.Row("to", fmt.Sprintf("%s (%s), %s, %s", preview.Provider, preview.Model, preview.URL, whereServer(preview.Local)))
		t.Row("about", strings.Join(request.IDs, ", "))
		t.Row("size", fmt.Sprintf("%s bytes, at most %s tokens with the answer", thousands(len(preview.Body)), thousands(preview.Tokens)))
		if preview.Cost > 0 {
			t.Row("cost", fmt.Sprintf("at most %.4f", preview.Cost))
		}
		c.printf("%s\n%s\n", t.Format("", c.style), term.Printable(preview.Body))
	}
}

// checkRecord holds a new record against the schema of memories and those of the
// workspace. What the old one (nil: none) had wrong already stands in nobody's
// way; of the rest, warnings are mentioned and errors refuse it.
func (c *call) checkRecord(old, raw []byte) error {
	extension, findings, err := c.store.Schemas()
	if err != nil {
		return err
	}
	for _, f := range findings {
		c.note("%s", f.Message)
	}
	var refused []error
	for _, f := range extension.ValidateEdit(old, raw) {
		if f.Severity == schemas.Error {
			refused = append(refused, errors.New(f.Message))
		} else if near := closest(gjson.GetBytes(raw, "type").String(), typeNames); f.Path == "type" && near != "" {
			c.note("%s; did you mean %s?", f.Message, near)
		} else {
			c.note("%s", f.Message)
		}
	}
	return errors.Join(refused...)
}

func redactFlag() urfave.Flag {
	return &urfave.BoolFlag{Name: "redact", Usage: "replace secrets by the names of their kinds, instead of refusing them"}
}

func allowSecretFlag() urfave.Flag {
	return &urfave.BoolFlag{Name: "allow-secret", Usage: "write secrets as they are"}
}

// refusal says what to do about a text that was refused.
func refusal(err error) error {
	var secret *app.SecretError
	switch {
	case errors.As(err, &secret):
		return fail.WithHint(err, "--redact replaces it, --allow-secret writes it as it is; a rule of your own may allow it: see secrets.rules")
	case errors.Is(err, app.ErrChanged):
		return fail.WithHint(&fail.Error{Err: err, Code: fail.ExitStale}, "nothing of it was touched: try again")
	}
	return err
}

// secretRules are the rules for secrets that the settings ask for.
func (c *call) secretRules() (*secrets.Rules, error) {
	conf, err := c.settings()
	if err != nil {
		return nil, err
	}
	return app.SecretRules(c.store, conf.Settings)
}

// withoutSecrets is the record that may be written in place of an old one: a secret
// that the old one does not hold is refused, unless a flag says otherwise.
func (c *call) withoutSecrets(old, record []byte) ([]byte, error) {
	if c.has("allow-secret") && c.flags.Bool("allow-secret") {
		return record, nil
	}
	rules, err := c.secretRules()
	if err != nil {
		return nil, err
	}
	if c.has("redact") && c.flags.Bool("redact") {
		clean, found := rules.RedactRecord(record)
		for _, f := range found {
			c.say("redacted: %s\n", term.Printable(f.String()))
		}
		record = clean
	}
	if found := rules.Introduced(old, record); len(found) > 0 {
		return nil, refusal(&app.SecretError{Findings: found})
	}
	return record, nil
}

// secretKinds names the kinds of secrets in a file.
func (c *call) secretKinds() (func(name string, text []byte) []string, error) {
	found, err := c.secretRules()
	if err != nil {
		return nil, err
	}
	return func(_ string, text []byte) (kinds []string) {
		for _, f := range found.FindRecord(text) {
			kinds = append(kinds, f.String())
		}
		return kinds
	}, nil
}
