package web

import (
	"context"
	"errors"
	"log/slog"
	"time"

	"github.com/memoryd/memoryd/internal/app"
	"github.com/memoryd/memoryd/internal/document"
	"github.com/memoryd/memoryd/pkg/config"
	"github.com/memoryd/memoryd/pkg/memory"
	"github.com/memoryd/memoryd/pkg/workspace"
)

// ErrPublic is an address that other machines can reach, without TLS or a token.
var ErrPublic = errors.New("other machines can reach that address: give --tls-cert, --tls-key and --token-file")

// DefaultAddress is where the dashboard is served.
const DefaultAddress = "127.0.0.1:7420"

// Options say for what workspace a server answers, and to whom.
type Options struct {
	Store    *workspace.FileStore
	Name     string                         // of the workspace, where it has no directory
	SignedIn string                         // who is served, where several are
	Guest    Guest                          // what they may do; nil: everything
	Meanings *app.Embeddings                // by which searches compare meanings; nil: by words alone
	Settings func() (*config.Config, error) // as they are at the moment
	Now      func() time.Time               // of the workspace
	Clock    func() time.Time               // of the machine
	Started  func() time.Time               // when a run begins, for its duration
	Log      *slog.Logger
	Version  string

	// Schedule lists the runs to come; with what each would do now, if would is set.
	Schedule func(ctx context.Context, snap *memory.Snapshot, would bool) (*document.Schedule, error)
	Watched  func() (*document.Watch, error) // the process that watches the workspace
	// SetSetting gives the text of memory.toml before and after a change of one setting, and writes it if write is set.
	// A schedule without a value is taken out.
	SetSetting func(key, value string, write bool) (before, after []byte, err error)

	Address     string
	Hosts       []string      // further names by which the server may be asked
	Session     time.Duration // how long a browser stays signed in
	IdleExit    time.Duration // ends the server after so long without a request; 0: never
	Tokens      []string      // of programs
	LocalTokens bool          // the tokens are of programs of this machine only: no address beyond it may be served
	ReadOnly    bool
	TLS         bool
	CertFile    string
	KeyFile     string
	Public      bool // set by Listen
}
