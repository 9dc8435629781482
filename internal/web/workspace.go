package web

import (
	"context"
	"net/http"
	"net/url"
	"os"
	"time"

	"github.com/memoryd/memoryd/internal/app"
	"github.com/memoryd/memoryd/internal/op/commit"
	"github.com/memoryd/memoryd/pkg/config"
	"github.com/memoryd/memoryd/pkg/memory"
	"github.com/memoryd/memoryd/pkg/rules"
	"github.com/memoryd/memoryd/pkg/workspace"
)

// at is the moment as of which a request is answered: now, or that of its parameter "at".
func (s *Server) at(r *http.Request) (time.Time, error) {
	text := r.FormValue("at")
	if text == "" {
		return s.Now().UTC().Truncate(time.Second), nil
	}
	at, err := time.Parse(time.RFC3339, text)
	if err != nil || at.Year() < 1 || at.Year() > 9999 {
		return at, badRequest("at: %q is not a time: write it like 2026-03-01T09:00:00Z", shown(text))
	}
	return at.UTC(), nil
}

// there fails where the folder of the workspace has been removed, moved or replaced since it was opened: what is read and written is not at its
// address then.
func (s *Server) there() error {
	if s.folder == nil {
		return nil
	}
	now, err := os.Stat(s.Store.Dir())
	if err == nil && os.SameFile(s.folder, now) {
		return nil
	}
	what := "the folder " + s.Store.Dir() + " has been removed or moved"
	if err == nil {
		what = "another folder stands at " + s.Store.Dir() + " since this server began"
	}
	return &problem{status: http.StatusServiceUnavailable, what: what, todo: "Nothing was written. Bring it back, or start \"memory serve\" again.", cause: err}
}

// settings are those of the moment.
func (s *Server) settings() (config.Settings, error) {
	conf, err := s.conf()
	if err != nil {
		return config.Settings{}, err
	}
	return conf.Settings, nil
}

// days is the time zone in which days are counted and written; that of the machine while memory.toml can't be read.
func (s *Server) days() *time.Location {
	settings, err := s.settings()
	if err != nil {
		return time.Local
	}
	return settings.Triggers.Days()
}

// conf is memory.toml as it stands.
func (s *Server) conf() (*config.Config, error) {
	conf, err := s.Settings()
	if err != nil {
		return nil, &problem{status: http.StatusInternalServerError, what: err.Error(), todo: "Mend memory.toml; \"memory check\" tells more.", cause: err}
	}
	return conf, nil
}

// request is what the rules are asked with the settings of the moment.
func (s *Server) request(ctx context.Context) (rules.Request, error) {
	request := rules.Request{Trigger: rules.Manual, LogHead: s.Store.Log().Head(), Progress: func(int, int) error { return ctx.Err() }}
	var err error
	if request.Settings, err = s.settings(); err == nil {
		request.Secrets, err = app.SecretRules(s.Store, request.Settings)
	}
	return request, err
}

// asked is the workspace as it stands, and what the rules are asked of it.
func (s *Server) asked(ctx context.Context) (*memory.Snapshot, rules.Request, error) {
	snap, err := s.live.Refresh(ctx)
	if err != nil {
		return nil, rules.Request{}, err
	}
	request, err := s.request(ctx)
	return snap, request, err
}

// commit makes the actions true that plan makes of the workspace as it is, and tells the run. Nothing to do is no run.
func (s *Server) commit(ctx context.Context, plan func(*memory.Snapshot) ([]memory.Action, error)) (*workspace.Result, error) {
	result, err := s.live.Transact(ctx, func(ctx context.Context) (*memory.Snapshot, error) {
		return s.live.Load(ctx, s.Now().UTC().Truncate(time.Second))
	},
		func(snap *memory.Snapshot) (*workspace.Tx, error) {
			actions, err := plan(snap)
			if err != nil || len(actions) == 0 {
				return nil, err
			}
			return commit.Tx(snap, s.Store.Log(), s.Started(), "", actions), nil
		})
	if err == nil {
		err = commit.Nothing(result)
	}
	return result, err
}

// done goes back to a page, which then says what a run did.
func done(to string, result *workspace.Result) *reply {
	if result == nil || result.RunID == "" {
		return &reply{location: to}
	}
	return &reply{location: withQuery(to, "done", result.RunID)}
}

// fixed gives a snapshot that was read before.
func fixed(snap *memory.Snapshot) func(context.Context) (*memory.Snapshot, error) {
	return func(context.Context) (*memory.Snapshot, error) { return snap, nil }
}

// withQuery is an address of ours with one more parameter.
func withQuery(to, name, value string) string {
	u, err := url.Parse(to)
	if err != nil {
		return to
	}
	q := u.Query()
	q.Set(name, value)
	u.RawQuery = q.Encode()
	return u.String()
}
