package durable

import "errors"

// Mode is how files are replaced on a file system.
type Mode string

// The modes, best first.
const (
	ByExchange Mode = "exchange" // atomic, and nothing is lost whoever else writes
	ByLink     Mode = "link"     // atomic; a file renamed into place in the same instant is lost
	ByRename   Mode = "rename"   // likewise; what is displaced is kept as a copy
)

// Probe finds out which mode the file system of dir allows, with two temporary
// files that it removes again. [CAS] needs no probe: it falls back by itself.
func Probe(fsys FS, dir string) (mode Mode, err error) {
	var names [3]string
	for i := range names {
		if names[i], err = Temp(dir); err != nil {
			return "", err
		}
	}
	for _, name := range names[:2] {
		f, err := fsys.Create(name, nil, 0o600)
		if err != nil {
			return "", err
		}
		if err := f.Close(); err != nil {
			return "", err
		}
		defer func() { err = errors.Join(err, fsys.Remove(name)) }()
	}
	err = fsys.Exchange(names[0], names[1])
	if !errors.Is(err, errors.ErrUnsupported) {
		return ByExchange, err
	}
	err = HardLink(fsys, names[0], names[2])
	if !errors.Is(err, errors.ErrUnsupported) {
		if err != nil {
			return "", err
		}
		return ByLink, fsys.Remove(names[2])
	}
	return ByRename, nil
}
