package tx

import (
	"errors"
	"io/fs"
	"path"

	"github.com/memoryd/memoryd/pkg/internal/durable"
)

// fixed tells why a file that exists can't be replaced safely; "" when it can, as
// far as is known.
func (c *commit) fixed(name string, info durable.Info) (why string, err error) {
	switch {
	case info.Links > 1:
		return name + " has a second name (a hard link), which would keep the old text: replace one of them by a copy", nil
	case c.device != 0 && info.ID.Device != c.device:
		return name + " lies on another file system than the workspace", nil
	}
	return c.closed(path.Dir(name))
}

// elsewhere tells why a new file can't be put at name: its directory, or the first
// one above that exists, is on another file system or closed.
func (c *commit) elsewhere(name string) (why string, err error) {
	for dir := path.Dir(name); ; dir = path.Dir(dir) {
		info, err := c.root.Stat(dir)
		switch {
		case errors.Is(err, fs.ErrNotExist) && dir != ".":
			continue
		case errors.Is(err, durable.ErrLink):
			return durable.Cause(err), nil
		case err != nil:
			return "", err
		case info.Kind != durable.Dir:
			return dir + " is not a directory", nil
		case c.device != 0 && info.ID.Device != c.device:
			return dir + " lies on another file system than the workspace", nil
		}
		return c.closed(dir)
	}
}

// closed tells why names in a directory can't be changed; "" when they can, as far
// as is known. Better now than after the commit.
func (c *commit) closed(dir string) (why string, err error) {
	err = durable.Writable(c.root, dir)
	switch {
	case errors.Is(err, durable.ErrClosed):
		return err.Error(), nil
	case errors.Is(err, fs.ErrNotExist), odd(err):
		return "", nil
	}
	return "", err
}

// Why an action is skipped when it is applied.
const (
	ReasonChanged    = "changed_meanwhile" // a memory it relies on isn't as it was planned against
	ReasonUnwritable = "unwritable"        // a file that it changes can't be replaced safely
	ReasonWording    = "wording_lost"      // wording of a memory that it merges would be lost
)

// refusal is why an action is skipped.
type refusal struct{ reason, why string }

func (r *refusal) Error() string { return r.why }

func changed(why string) error    { return &refusal{ReasonChanged, why} }
func unwritable(why string) error { return &refusal{ReasonUnwritable, why} }
