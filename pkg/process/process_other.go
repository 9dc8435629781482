//go:build !linux && !darwin && !windows

package process

import "errors"

func self() (ID, bool) { return ID{}, false }

func stat(int) (parent int, start, name string, err error) {
	return 0, "", "", errors.ErrUnsupported
}
