package mirror

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"net/http"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/memoryd/memoryd/cmd/memory/internal/app"
	"github.com/memoryd/memoryd/pkg/memory"
	"github.com/memoryd/memoryd/pkg/workspace"
)

// Names below ops/ of what a mirror keeps for itself.
const (
	StateFile = "ops/mirror.db"
	slots     = "ops/mirror"
)

// Tries is how often a sync begins anew because documents change here or there meanwhile.
const Tries = 5

// ErrBusy: documents changed again and again, here or there.
var ErrBusy = errors.New("documents keep changing")

// Mirror is a workspace in a folder that follows one of a hub. Its machine has a name.
type Mirror struct {
	Store *workspace.FileStore
	Hub   *Hub
	// Secrets names the kinds of secrets in a file: it is not sent then.
	Secrets func(name string, text []byte) []string
	// Fresh reports whether a file is as every new workspace has it: it is not sent, and the hub's takes its place. May be nil.
	Fresh func(name string, text []byte) bool
	// Settle is called first, and after documents came in: what is derived is made anew, and what came in may call for changes. May be nil.
	Settle func() error
	// Now is the clock of this machine.
	Now func() time.Time
	// DryRun has a sync only tell what it would do, as far as the hub answers questions: nothing is written, here or there.
	DryRun bool

	state *state
	out   *Outcome
	step  func(name string) error // of tests: an error is where the process dies
}

// Outcome tells what a sync did, or would do.
type Outcome struct {
	app.Synced
	Hub       string            `json:"hub"`
	Workspace string            `json:"workspace"`
	Principal string            `json:"principal"`
	Received  []string          `json:"received"`           // documents that came in
	Conflicts int               `json:"conflicts"`          // noted in memories, for "memory review"
	Replaced  []string          `json:"replaced"`           // could not be merged: ours is kept in ops/conflicts/sync
	Refused   map[string]string `json:"refused"`            // not to be written by this principal, or broken: why
	ClockOff  time.Duration     `json:"clock_off,omitzero"` // by how much the hub's clock is ahead, if by minutes
}

// Sync brings both sides in step. After an error, what was exchanged so far stays, and the next sync goes on from there.
func (m *Mirror) Sync(ctx context.Context) (*Outcome, error) {
	m.out = &Outcome{
		Synced: app.NewSynced(m.DryRun), Hub: m.Hub.URL, Workspace: m.Hub.Workspace, Received: []string{}, Replaced: []string{}, Refused: map[string]string{},
	}
	file := filepath.Join(m.Store.Dir(), filepath.FromSlash(StateFile))
	if m.DryRun {
		return m.out, m.preview(ctx, file)
	}
	var err error
	if m.state, err = openState(ctx, file); err != nil {
		return m.out, err
	}
	err = m.sync(ctx)
	return m.out, errors.Join(err, m.state.close())
}

// preview finds what a sync would do, on a copy of the state.
func (m *Mirror) preview(ctx context.Context, file string) (err error) {
	if m.state, err = copyState(ctx, file); err != nil {
		return err
	}
	if err = m.pull(ctx); err == nil {
		_, err = m.push(ctx)
	}
	return errors.Join(err, m.state.close())
}

func (m *Mirror) sync(ctx context.Context) error {
	if err := m.resume(ctx); err != nil {
		return err
	}
	if err := m.settled(); err != nil {
		return err
	}
	for range Tries {
		if err := m.pull(ctx); err != nil {
			return err
		}
		more, err := m.push(ctx)
		if err != nil || !more {
			return err
		}
	}
	return ErrBusy
}

// resume finishes what an interrupted sync has left.
func (m *Mirror) resume(ctx context.Context) error {
	takings, err := m.state.takings(ctx)
	if err != nil {
		return err
	}
	if len(takings) > 0 {
		made, err := m.Store.Documents().Swapped(ctx, slots, swapsOf(takings))
		if err == nil {
			err = m.settle(ctx, takings, made, nil)
		}
		if err != nil {
			return err
		}
	}
	if err := m.Store.Documents().EndSwap(slots); err != nil {
		return err
	}
	p, err := m.state.progress(ctx)
	if err != nil || p.Push == "" {
		return err
	}
	pending, err := m.state.pushing(ctx)
	if err != nil {
		return err
	}
	_, err = m.send(ctx, p.Push, pending)
	return err
}

func swapsOf(all []taking) (swaps []workspace.Swap) {
	for _, t := range all {
		if t.Place != "" {
			swaps = append(swaps, workspace.Swap{Name: t.Place, Before: t.Before, After: t.After, Data: t.data})
		}
	}
	return swaps
}

// settle notes which documents were put in their places, and where the mirror stands then.
func (m *Mirror) settle(ctx context.Context, takings []taking, made []bool, then *progress) error {
	if err := m.dies("settle"); err != nil {
		return err
	}
	came := false
	err := m.state.within(ctx, func(tx *sql.Tx) error {
		for i, t := range takings {
			if t.Place == "" && slices.Contains(made, false) || t.Place != "" && !made[i] {
				continue
			}
			came = true
			if err := agree(ctx, tx, t.agreed); err != nil {
				return err
			}
		}
		if _, err := tx.ExecContext(ctx, "delete from placing"); err != nil {
			return err
		}
		if then != nil {
			return setProgress(ctx, tx, *then)
		}
		return nil
	})
	if err != nil {
		return err
	}
	if err := m.dies("settled"); err != nil {
		return err
	}
	if came {
		return m.settled()
	}
	return nil
}

// settled has done what is to be done after documents came in.
func (m *Mirror) settled() error {
	if m.Settle == nil {
		return nil
	}
	if err := m.Settle(); err != nil {
		return fmt.Errorf("settle what came in: %w", err)
	}
	return nil
}

// dies is where a test ends the process.
func (m *Mirror) dies(step string) error {
	if m.step == nil {
		return nil
	}
	return m.step(step)
}

// clock compares the clocks.
func (m *Mirror) clock(at string) {
	theirs, err := http.ParseTime(at)
	if err != nil {
		return
	}
	if off := theirs.Sub(m.Now()).Round(time.Second); off > 2*time.Minute || off < -2*time.Minute {
		m.out.ClockOff = off
	}
}

// kept reports whether a document is made once and never changed: records of runs, kept originals, older parts of
// logs. Removing one is not passed on to the other side.
func kept(name string) bool {
	for _, dir := range []string{workspace.RunsDir, workspace.LogArchive, memory.OriginalDir} {
		if len(name) > len(dir) && name[:len(dir)+1] == dir+"/" {
			return true
		}
	}
	return false
}

// logged reports whether a record belongs to a run that stands in a log. The others made indexes anew, which each side
// does for itself. done gives the end of a run, by the name of its document.
func logged(name string, done func(name string) []byte) bool {
	if !strings.HasPrefix(name, workspace.RunsDir+"/") {
		return true
	}
	return workspace.Logged(done(path.Dir(name) + "/done.json"))
}

// Fail has the mirror die at a step for which f returns an error; it is for tests, which go on with a new sync.
func (m *Mirror) Fail(f func(step string) error) { m.step = f }
