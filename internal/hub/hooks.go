package hub

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"path"
	"strings"
	"time"

	"github.com/memoryd/memoryd/internal/app"
	"github.com/memoryd/memoryd/internal/hook"
	"github.com/memoryd/memoryd/pkg/memory"
	"github.com/memoryd/memoryd/pkg/recall"
	"github.com/memoryd/memoryd/pkg/rules"
	"github.com/memoryd/memoryd/pkg/trigger"
	"github.com/memoryd/memoryd/pkg/workspace"
	"github.com/memoryd/memoryd/pkg/workspace/ops"
	"github.com/memoryd/memoryd/pkg/workspace/sqldisk"
)

// hookPath is where events of hosts are answered: hookPath + WORKSPACE/HOST/EVENT.
const hookPath = "/hook/"

// principal tells whom a token stands for.
func (h *Hub) principal(w http.ResponseWriter, r *http.Request) {
	who, _, ok := h.enter(w, r)
	if !ok {
		return
	}
	reply(w, http.StatusOK, struct {
		Workspace string `json:"workspace"`
		Principal string `json:"principal"`
	}{r.PathValue("workspace"), who.Name})
}

// hook answers an event of a host, as "memory hook" does for a workspace in files: with what the host is to be told. What the principal
// may not read is not given. Sessions belong to their principals, whatever hosts call them.
func (h *Hub) hook(w http.ResponseWriter, r *http.Request) {
	who, room, ok := h.enter(w, r)
	if !ok {
		return
	}
	host := hook.Named(r.PathValue("host"))
	if host == nil || !host.Has(r.PathValue("event")) {
		http.Error(w, "there is no such event: the path is /hook/WORKSPACE/HOST/EVENT", http.StatusNotFound)
		return
	}
	if !who.Somewhere(sqldisk.Read) {
		h.Metrics.Asked("hook", "forbidden")
		http.Error(w, "it takes read access somewhere", http.StatusForbidden)
		return
	}
	input, err := io.ReadAll(http.MaxBytesReader(w, r.Body, hook.MaxInput))
	if tooLarge := (*http.MaxBytesError)(nil); errors.As(err, &tooLarge) {
		http.Error(w, fmt.Sprintf("an event has %d bytes at most", hook.MaxInput), http.StatusRequestEntityTooLarge)
		return
	} else if err != nil {
		http.Error(w, "the event could not be read", http.StatusBadRequest)
		return
	}
	release, err := room.take(r.Context())
	if err != nil {
		if r.Context().Err() == nil { // else nobody waits any more
			h.refuse(w, r.PathValue("workspace"), err)
		}
		return
	}
	defer release()
	answer, err := room.guest(who).event(r, host, input)
	switch {
	case errors.Is(err, hook.ErrEvent):
		http.Error(w, err.Error(), http.StatusBadRequest)
		return
	case err != nil && r.Context().Err() == nil:
		h.Metrics.Asked("hook", "failed")
		h.Log.Warn("hook", "workspace", r.PathValue("workspace"), "host", host.Name, "event", r.PathValue("event"), "error", err)
	case err == nil:
		h.Metrics.Asked("hook", "served")
	}
	send(w, http.StatusOK, []byte(answer))
}

// event answers an event of a host. The turn is held.
func (g *guest) event(r *http.Request, host *hook.Host, input []byte) (string, error) {
	h, who, at := g.room.hub, g.Name(), g.room.hub.Now().UTC()
	g.doing = sqldisk.Write
	call := &hook.Call{
		Host: host, Event: r.PathValue("event"), Input: bytes.NewReader(input), At: at, Principal: who,
		Env: func(name string) string {
			return map[string]string{"MEMORY_AGENT": who}[name]
		},
		Open: func(string) (*workspace.FileStore, error) { return g.store, nil },
		Brief: func(store *workspace.FileStore, to hook.Recipient) (string, error) {
			conf, err := settings(store)
			if err != nil {
				return "", hook.Notice{Err: fmt.Errorf("memory: no memories are given: %w", err)}
			}
			project := r.URL.Query().Get("project")
			if project == "" {
				project = to.Project
			}
			return app.GiveBlock(store, conf.Settings, at, app.BlockSession{
				ID: to.Session, Scope: to.ID, Host: to.Host, Agent: to.Agent, Project: nameOf(project), Prompt: to.Prompt, Starts: to.Starts, Resumes: to.Resumes,
				Late: func() bool { return r.Context().Err() != nil }, Words: g.wordsOf,
			})
		},
		End: func(session memory.Session) error {
			h.settling.Go(func() {
				if err := g.settle(h.life, session); err != nil {
					h.Metrics.Failed("session end")
					h.Log.Warn("the end of a session is not settled: that happens once it has rested", "workspace", g.room.disk.Workspace(), "principal", who, "error", err)
				}
			})
			return nil
		},
	}
	if err := g.forgetRested(at); err != nil {
		return "", err
	}
	return call.Answer()
}

// nameOf is the name of a project by its directory on the machine that asks; "" for none. Nothing of it is looked at here.
func nameOf(dir string) string {
	name := path.Base(strings.ReplaceAll(dir, `\`, "/"))
	if name == "." || name == ".." || name == "/" {
		return ""
	}
	return name
}

// wordsOf is the index of the words of what the principal may read. The turn is held.
func (g *guest) wordsOf(snap *memory.Snapshot) (_ *recall.Searcher, err error) {
	if g.words == nil {
		g.words, err = recall.Open(nil, snap, 0)
	} else {
		g.words.Update(snap)
	}
	return g.words, err
}

// forgetRested forgets sessions that nobody has ended. What they left is settled by a run, by what the records say.
func (g *guest) forgetRested(now time.Time) error {
	conf, err := settings(g.store)
	if err != nil {
		return nil //nolint:nilerr // the event says so to the person
	}
	begun, _, err := g.store.Ops().Sessions(ops.SessionsDir)
	for _, s := range begun {
		if err == nil && !s.Open(now, conf.Triggers.SessionIdle.Clock()) {
			s.At = now
			err = g.store.Ops().ForgetSession(s)
		}
	}
	return err
}

// maxSettled is how many runs the end of a session has at most.
const maxSettled = 100

// settle settles the working memories that the principal wrote in a session: as far as its grants go, and as its own doing. Others'
// memories are left alone, whatever the session is called. Each run has its turn.
func (g *guest) settle(ctx context.Context, session memory.Session) error {
	for range maxSettled {
		if more, err := g.settleOnce(ctx, session); err != nil || !more {
			return err
		}
	}
	return nil
}

// settleOnce makes one run of settle, and reports whether it did something.
func (g *guest) settleOnce(ctx context.Context, session memory.Session) (did bool, err error) {
	release, err := g.room.take(ctx)
	if err != nil {
		return false, err
	}
	defer release()
	g.doing = sqldisk.Write
	h, who := g.room.hub, g.Name()
	conf, err := settings(g.store)
	if err != nil {
		return false, err
	}
	snap, err := g.store.Load(h.Now().UTC().Truncate(time.Second))
	if err != nil || trigger.Held(conf.Settings, len(snap.Memories())) != "" {
		return false, err
	}
	begun, _, err := g.store.Ops().Sessions(ops.SessionsDir)
	if err != nil {
		return false, err
	}
	var own []memory.Session
	for _, s := range begun {
		if id, ok := strings.CutPrefix(s.ID, who+"/"); ok {
			s.ID = id
			own = append(own, s)
		}
	}
	ending, goesOn := trigger.Ended(session, own, conf.Triggers.SessionIdle.Clock(), session.At)
	if goesOn {
		return false, nil
	}
	ending.Spared = map[string]bool{}
	for _, m := range snap.Memories() {
		ending.Spared[m.ID] = m.CreatedBy != who
	}
	request := rules.Request{Trigger: rules.SessionEnd, Scope: session.Scope(), Settings: conf.Settings, Ending: ending, Again: true}
	if request.Secrets, err = app.SecretRules(g.store, conf.Settings); err != nil {
		return false, err
	}
	runner := &app.Runner{
		Store: g.store, Load: func() (*memory.Snapshot, error) { return snap, nil }, Started: h.Now,
		Result: func(*workspace.Result) {}, Loaded: func(*memory.Snapshot) {},
	}
	// Nothing is left out of the plan; reads stay in the log: the next run of the workspace counts them.
	plan, result, err := runner.Once(ctx, request, func(*memory.Plan) {})
	return err == nil && !plan.Empty() && result.Applied > 0, err
}
