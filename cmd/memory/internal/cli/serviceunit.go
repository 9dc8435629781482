package cli

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"

	"github.com/memoryd/memoryd/pkg/host"
)

// service describes the unit of the workspace; one that is gone will do for taking
// it away.
func (c *call) service(kind string, gone bool) (*service, error) {
	s := &service{format: host.Format(kind)}
	if kind == "" {
		s.format = host.FormatFor(runtime.GOOS)
	}
	store, err := c.open()
	switch {
	case err == nil:
		s.workspace = store.Dir()
	case gone && c.flags.String("workspace") != "" && exitCode(err) == exitNotFound:
		s.workspace = filepath.Clean(c.path(c.flags.String("workspace")))
	default:
		return nil, err
	}
	s.Name, s.Purpose = host.UnitName(s.workspace), "watching "+s.workspace
	if s.Program, err = program(); err != nil {
		return nil, err
	}
	s.Args = []string{"--workspace", s.workspace, "watch"}
	dir, err := c.serviceDir(s)
	if err != nil && kind == "" {
		return nil, err
	}
	s.file = filepath.Join(dir, s.format.File(s.Name))
	if s.text, err = s.format.Text(s.Unit); err != nil {
		return nil, err
	}
	if kind == "" {
		s.before, err = readOptional(s.file)
	}
	return s, err
}

// serviceDir is where the units of a person lie; it sets what else depends on who
// that is.
func (c *call) serviceDir(s *service) (string, error) {
	home := or(c.env("HOME"), c.env("USERPROFILE"))
	if home == "" {
		return "", errors.New("the environment names no home directory")
	}
	switch s.format {
	case host.Systemd:
		dir := c.env("XDG_CONFIG_HOME")
		if !filepath.IsAbs(dir) { // which counts as none
			dir = filepath.Join(home, ".config")
		}
		return filepath.Join(dir, "systemd", "user"), nil
	case host.Launchd:
		s.Log = filepath.Join(home, "Library", "Logs", s.Name+".log")
		return filepath.Join(home, "Library", "LaunchAgents"), nil
	case host.Windows:
		if s.User = c.env("USERNAME"); s.User != "" && c.env("USERDOMAIN") != "" {
			s.User = c.env("USERDOMAIN") + `\` + s.User
		}
		return filepath.Join(or(c.env("LOCALAPPDATA"), filepath.Join(home, "AppData", "Local")), "memoryd"), nil
	}
	return "", withHint(fmt.Errorf("nothing is known of how %s starts programs", runtime.GOOS), `let it start "memory watch" in its own way; --print --for KIND shows how others do`)
}

// program is the path of this program: by the name under which it is found, which
// outlives an update, else by that of its file.
func program() (string, error) {
	file, err := os.Executable()
	if err != nil {
		return "", err
	}
	real, err := filepath.EvalSymlinks(file)
	if err != nil {
		return file, nil
	}
	if named, ok := inPath(filepath.Base(os.Args[0])); ok {
		if target, err := filepath.EvalSymlinks(named); err == nil && target == real {
			return named, nil
		}
	}
	return real, nil
}
