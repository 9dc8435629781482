package app

import (
	"context"
	"time"

	"github.com/memoryd/memoryd/pkg/config"
	"github.com/memoryd/memoryd/pkg/enrich"
	"github.com/memoryd/memoryd/pkg/memory"
	"github.com/memoryd/memoryd/pkg/oplog"
	"github.com/memoryd/memoryd/pkg/workspace"
)

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
