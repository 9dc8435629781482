package watch

import (
	"context"
	"path"
	"time"

	"github.com/memoryd/memoryd/cmd/memory/internal/app"
	"github.com/memoryd/memoryd/pkg/config"
	"github.com/memoryd/memoryd/pkg/memory"
	"github.com/memoryd/memoryd/pkg/oplog"
	"github.com/memoryd/memoryd/pkg/rules"
	"github.com/memoryd/memoryd/pkg/sessionfile"
	"github.com/memoryd/memoryd/pkg/trigger"
	"github.com/memoryd/memoryd/pkg/workspace"
	"github.com/memoryd/memoryd/pkg/workspace/ops"
)

// FactsOf finds out what the triggers ask for. The error says what could not be read of sessions; the rest holds
// all the same.
func FactsOf(store *workspace.FileStore, snap *memory.Snapshot, t config.Triggers) (trigger.Facts, error) {
	var also []string
	for _, m := range snap.Memories() {
		if m.Type == memory.Working {
			also = append(also, m.File)
		}
	}
	begun, _, err := store.Ops().Sessions(ops.SessionsDir)
	if err != nil {
		return trigger.FactsOf(snap, nil, nil), err
	}
	files, err := store.Ops().SessionFiles(snap.In("agents"), also, snap.At.Add(-t.SessionIdle.Clock()))
	if err != nil {
		return trigger.FactsOf(snap, nil, nil), err
	}
	return trigger.FactsOf(snap, files, begun), nil
}

// factsOf is FactsOf for work that knows no settings yet.
func (w *Watcher) factsOf(snap *memory.Snapshot) (trigger.Facts, error) {
	settings, err := w.Settings()
	if err != nil { // said by look
		settings = config.Default()
	}
	return FactsOf(w.Store, snap, settings.Triggers)
}

// sighted is what was found out about sessions.
type sighted struct {
	facts trigger.Facts
	files map[string]bool // that hold working memories
}

func sightedBy(facts trigger.Facts, snap *memory.Snapshot) *sighted {
	files := map[string]bool{}
	for _, m := range snap.Memories() {
		files[m.File] = true
	}
	return &sighted{facts, files}
}

// concerns reports whether a change of a file or directory may tell of a session.
func (s *sighted) concerns(name string) bool {
	return path.Ext(name) != ".json" || s.files[name] || sessionfile.Tells(name)
}

// settleEnded settles a session that has ended by itself: duplicates first, then
// what they became. The files are looked at once more: if it goes on, it is left
// alone.
func (l *loop) settleEnded(ctx context.Context, runner *app.Runner, d trigger.Due, settings config.Settings) (oplog.Stats, int, error) {
	snap, err := runner.Load()
	if err != nil {
		return oplog.Stats{}, 0, err
	}
	facts, err := FactsOf(l.Store, snap, settings.Triggers)
	if err != nil {
		return oplog.Stats{}, 0, err
	}
	ending, ok := facts.Ending(settings.Triggers, d.Session, time.Now())
	if !ok {
		return oplog.Stats{}, 0, nil
	}
	return runner.UntilEmpty(ctx, rules.Request{Trigger: d.Trigger, Scope: ending.Session.Scope(), Settings: settings, Ending: ending}, app.MaxRuns)
}
