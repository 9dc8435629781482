package app

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/memoryd/memoryd/pkg/config"
	"github.com/memoryd/memoryd/pkg/enrich"
	"github.com/memoryd/memoryd/pkg/memory"
	"github.com/memoryd/memoryd/pkg/oplog"
	"github.com/memoryd/memoryd/pkg/provider"
	"github.com/memoryd/memoryd/pkg/rules"
	"github.com/memoryd/memoryd/pkg/workspace"
)

// Names of models with a meaning of their own.
const (
	ModelAuto = "auto" // the one that the settings name, if any
	ModelNone = "none"
)

// ErrNoSuchModel: no server has the name.
var ErrNoSuchModel = errors.New("there is no such model")

// OnlyModel leaves one server in the chain, if it is called by its name. One that isn't there is [ErrNoSuchModel].
func OnlyModel(set *config.Model, name string) error {
	if slices.Contains([]string{"", ModelAuto, ModelNone}, name) {
		return nil
	}
	if _, known := set.Server(name); !known {
		return fmt.Errorf("%w as %q: write %s, %s, or the name of a server in [model]", ErrNoSuchModel, name, ModelAuto, ModelNone)
	}
	set.Chain = []string{name}
	return nil
}

// cannotAsk is the error of a model that was called by its name.
func cannotAsk(name string, set config.Model) error {
	return fmt.Errorf("the model %s can't be asked: %s", name, noModel(set))
}

// Choose lets models choose in an enrichment: those of the settings (auto), or the server of a name; none leaves it to the rules. Most is how
// many tokens the run may take; 0: as the settings say. Why no model is there is said, "" if one is; a name whose server can't be asked is an error.
func Choose(store *workspace.FileStore, env func(string) string, snap *memory.Snapshot, r *enrich.Request, name string, most int) (why string, err error) {
	set := r.Settings
	if most > 0 {
		set.Model.RunTokens = most
	}
	if name == ModelNone {
		return "no model was wanted", nil
	}
	if err := OnlyModel(&set.Model, name); err != nil {
		return "", err
	}
	r.LogHead = store.Log().Head()
	r.RunID = r.NewRunID(snap.At)
	models, err := OpenModel(store, set, env, r.RunID)
	switch {
	case err != nil:
		return "", err
	case models == nil && name != "" && name != ModelAuto:
		return "", cannotAsk(name, set.Model)
	case models == nil:
		r.RunID = ""
		return noModel(set.Model), nil
	}
	judged, err := ReadJudgements(store)
	if err != nil {
		return "", err
	}
	r.Judged = enrich.Judged{
		Cluster: judged.Cluster,
		Pair:    func(a, b *memory.Memory) bool { _, ok := judged.Of(rules.RuleSupersede, a, b); return ok },
	}
	r.Chooser = &enrich.Model{
		Ask: models, Reach: func(m *memory.Memory) provider.Reach { return ModelReach(set.Model, m) },
		Free: set.Cluster.Wording == "free", Batch: set.Deep.Batch, Spent: func() oplog.ModelUse { return ModelUse(models.Ledger) },
	}
	return "", nil
}

// NearInMeaning lets an enrichment find clusters by what memories mean too, if the settings name a server of embeddings. Why it doesn't, or finds
// less, is said.
func NearInMeaning(ctx context.Context, store *workspace.FileStore, env func(string) string, snap *memory.Snapshot, r *enrich.Request) (why string, err error) {
	r.Near, why, err = nearBy(ctx, store, r.Settings, env, snap)
	return why, err
}

// Enrich plans an enrichment and, unless dry, commits it: the result is nil if there was nothing to do, or nothing was to be done.
func Enrich(ctx context.Context, store RunStore, snap *memory.Snapshot, r enrich.Request, dry bool, started time.Time) (*enrich.Result, *workspace.Result, error) {
	planned, err := PlanEnrichment(ctx, store, snap, r)
	if err != nil || dry {
		return planned, nil, err
	}
	result, err := CommitEnrichment(ctx, store, r, planned, started)
	return planned, result, err
}

// PlanEnrichment plans an enrichment.
func PlanEnrichment(ctx context.Context, store RunStore, snap *memory.Snapshot, r enrich.Request) (*enrich.Result, error) {
	r.Memo, r.LogHead = readMemo(store.Cache(), memoFile), store.Log().Head()
	planned, err := enrich.Plan(ctx, snap, r)
	if err == nil {
		_ = store.Cache().SaveCatalog()
	}
	return planned, err
}

// CommitEnrichment commits what was planned; the result is nil if there is nothing to do.
func CommitEnrichment(ctx context.Context, store RunStore, r enrich.Request, planned *enrich.Result, started time.Time) (result *workspace.Result, err error) {
	if planned.Plan.Empty() {
		return nil, nil
	}
	persisted := enrich.Stage(r, enrich.StagePersist, func(e *enrich.Event) {
		e.Seen = len(planned.Plan.Actions)
		if result, err = store.Commit(ctx, &workspace.Tx{Plan: planned.Plan, Started: started}); err == nil {
			e.Made, e.Skipped = result.Applied, len(result.Skipped)
		}
	})
	planned.Events = append(planned.Events, persisted)
	return result, err
}

// EnrichOnSchedule does what the schedule "enrich" asks for: the models of the settings choose where they can be asked, the rules where not,
// and where env, which gives keys, is nil. The plan is committed to a store that may be another view of the first. The result is nil if there
// was nothing to do.
func EnrichOnSchedule(ctx context.Context, store *workspace.FileStore, to RunStore, env func(string) string, snap *memory.Snapshot, set config.Settings, scope *memory.Scope, started time.Time) (*workspace.Result, *oplog.ModelUse, error) {
	r := enrich.Request{Settings: set, Scope: scope}
	name := ModelAuto
	if env == nil {
		name = ModelNone
	} else if _, err := NearInMeaning(ctx, store, env, snap, &r); err != nil {
		return nil, nil, err
	}
	if _, err := Choose(store, env, snap, &r, name, 0); err != nil {
		return nil, nil, err
	}
	planned, result, err := Enrich(ctx, to, snap, r, false, started)
	if err != nil {
		return nil, nil, err
	}
	return result, planned.Plan.Model, nil
}
