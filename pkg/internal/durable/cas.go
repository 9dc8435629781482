package durable

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
)

// MaxSize is the largest file that is read to be hashed, in bytes.
const MaxSize = 1 << 30

// Results of [Hash] for what has no content.
const (
	Absent    = ""
	Irregular = "irregular" // a directory, a link, a pipe, a file over MaxSize
)

// Displaced is the suffix of a slot's name for a displaced file, where an exchange
// takes more than one step.
const Displaced = ".displaced"

// Sum is the digest of a content: SHA-256 in hex.
func Sum(data []byte) string {
	sum := sha256.Sum256(data)
	return hex.EncodeToString(sum[:])
}

// Hash is the digest of a file, or [Absent] or [Irregular]. The error is of reading.
func Hash(fsys FS, name string) (sum string, err error) {
	_, sum, err = HashAfter(fsys, name, 0)
	switch {
	case err == nil:
		return sum, nil
	case errors.Is(err, fs.ErrNotExist):
		return Absent, nil
	case errors.Is(err, ErrLink), errors.Is(err, ErrTooLarge):
		return Irregular, nil
	}
	return "", err
}

// HashAfter returns the first skip bytes of a file, or as many as there are, and
// the digest of what follows. Its errors are those of [disk.Disk].Read.
func HashAfter(fsys FS, name string, skip int) (head []byte, sum string, err error) {
	data, _, err := fsys.Read(name, MaxSize)
	if err != nil {
		return nil, "", err
	}
	skip = min(skip, len(data))
	return data[:skip], Sum(data[skip:]), nil
}

// Aside keeps the file in a slot that can't go back to its path: somebody else's text,
// or an original whose path was taken. It must not unlink the file.
type Aside func(slot, path string) error

// CAS changes path from the content base to the content next, each a [Sum] or
// [Absent]. If path isn't base, the error is [ErrConflict].
//
// To replace or create, slot must be a durable file with the content next; afterwards
// it holds the old file, or is gone. To delete, slot must be free. A conflict leaves
// path to whoever changed it and slot as it was; aside gets a file that no name is left
// for. After any other error the outcome is unknown: [Settle] finds it out.
//
//	replace: renameat2(slot, path, RENAME_EXCHANGE); hash slot; if it isn't base, exchange again
//	create:  renameat2(slot, path, RENAME_NOREPLACE)
//	delete:  renameat2(path, slot, RENAME_NOREPLACE); hash slot; if it isn't base, rename back likewise
func CAS(fsys FS, slot, path, base, next string, aside Aside) error {
	switch {
	case base == Absent:
		return place(fsys, slot, path)
	case next == Absent:
		if err := takeOut(fsys, path, slot); err != nil {
			return conflictIf(err, fs.ErrNotExist, path)
		}
	default:
		err := fsys.Exchange(slot, path)
		if errors.Is(err, errors.ErrUnsupported) {
			return replaceByLink(fsys, slot, path, base)
		}
		if err != nil {
			return gone(fsys, path, err)
		}
	}
	return Settle(fsys, slot, path, base, next, aside)
}

// gone turns an error into a conflict when path doesn't exist any more.
func gone(fsys FS, path string, err error) error {
	if !errors.Is(err, fs.ErrNotExist) && !errors.Is(err, ErrLink) {
		return err
	}
	if h, herr := Hash(fsys, path); herr != nil || h != Absent && h != Irregular {
		return err
	}
	return fmt.Errorf("%s: %w", path, ErrConflict)
}

func conflictIf(err, when error, path string) error {
	if errors.Is(err, when) || errors.Is(err, ErrLink) {
		return fmt.Errorf("%s: %w", path, ErrConflict)
	}
	return err
}

// Settle checks a slot after it was swapped with its path. If it holds base or next,
// all is well. Anything else is somebody's edit, made in the instant before the swap: it
// goes back to path, and the error is [ErrConflict]. Recovery calls it for every slot.
func Settle(fsys FS, slot, path, base, next string, aside Aside) error {
	for range 100 { // each round needs another edit in the same instant
		in, err := Hash(fsys, slot)
		if err != nil || in == Absent || in == base || in == next {
			return err
		}
		live, err := Hash(fsys, path)
		if err != nil {
			return err
		}
		switch {
		case live == Absent:
			err = place(fsys, slot, path)
			if errors.Is(err, ErrConflict) {
				continue
			}
		case live == next:
			if err = giveBack(fsys, slot, path, next); err == nil {
				if in, err = Hash(fsys, slot); err == nil && in != next && in != Absent {
					// Somebody replaced next first: theirs is the newer of two edits. It
					// goes back, and the older one aside.
					if err = fsys.Exchange(slot, path); err == nil {
						err = aside(slot, path)
					}
				}
			}
		default: // somebody put a third content there: it is the newer one
			err = aside(slot, path)
		}
		if err == nil || errors.Is(err, fs.ErrNotExist) {
			err = fmt.Errorf("%s: %w", path, ErrConflict)
		}
		return err
	}
	return fmt.Errorf("%s: %w, again and again", path, ErrConflict)
}

// giveBack puts the slot's file in place of next, which the journal holds as well.
func giveBack(fsys FS, slot, path, next string) error {
	err := fsys.Exchange(slot, path)
	if errors.Is(err, errors.ErrUnsupported) {
		err = fsys.Rename(slot, path)
	}
	return err
}

// place moves the slot's file to a free name.
//
//	renameat2(RENAME_NOREPLACE); where there is none: linkat, unlinkat; without links: fstatat, renameat
func place(fsys FS, slot, path string) error {
	err := fsys.Move(slot, path)
	if errors.Is(err, errors.ErrUnsupported) {
		if err = HardLink(fsys, slot, path); err == nil {
			return fsys.Remove(slot)
		}
	}
	if errors.Is(err, errors.ErrUnsupported) {
		if _, err = fsys.Stat(path); err == nil {
			err = fs.ErrExist
		} else if errors.Is(err, fs.ErrNotExist) {
			return fsys.Rename(slot, path)
		}
	}
	return conflictIf(err, fs.ErrExist, path)
}

// takeOut moves a file to a slot.
//
//	renameat2(RENAME_NOREPLACE); where there is none: renameat
func takeOut(fsys FS, path, slot string) error {
	err := fsys.Move(path, slot)
	if errors.Is(err, errors.ErrUnsupported) {
		err = fsys.Rename(path, slot)
	}
	return err
}

// replaceByLink replaces without exchange. A file that somebody renames to path between
// the last check and the rename is lost; nothing else is.
//
//	linkat(path, slot.displaced); hash it; fstatat both: same file; renameat(slot, path); renameat(slot.displaced, slot)
func replaceByLink(fsys FS, slot, path, base string) error {
	kept := slot + Displaced
	if err := fsys.Remove(kept); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	err := HardLink(fsys, path, kept)
	linked := err == nil
	if errors.Is(err, errors.ErrUnsupported) {
		data, info, rerr := fsys.Read(path, MaxSize)
		if rerr != nil {
			return gone(fsys, path, rerr)
		}
		err = writeAs(fsys, Staging{kept, data, info.Attr})
	}
	if err != nil {
		return gone(fsys, path, err)
	}
	h, err := Hash(fsys, kept)
	if err != nil {
		return err
	}
	same := h == base
	if same && linked {
		a, err := fsys.Stat(kept)
		if err != nil {
			return err
		}
		b, err := fsys.Stat(path)
		same = err == nil && a.ID == b.ID
	}
	if !same {
		if err := fsys.Remove(kept); err != nil {
			return err
		}
		return fmt.Errorf("%s: %w", path, ErrConflict)
	}
	if err := fsys.Rename(slot, path); err != nil {
		return err
	}
	return fsys.Rename(kept, slot)
}

// writeAs is [Staging.Write] for a name that must never hold a part of a file.
func writeAs(fsys FS, file Staging) error {
	name := file.Name
	file.Name += ".tmp"
	if err := fsys.Remove(file.Name); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	if err := file.Write(fsys); err != nil {
		return err
	}
	return fsys.Rename(file.Name, name)
}

// Resume completes the last step of an exchange that takes several. A displaced file
// whose slot is gone becomes the slot. One next to its slot is a second name, or a copy,
// and is removed.
func Resume(fsys FS, slot string) error {
	_, err := fsys.Stat(slot)
	switch {
	case err == nil:
		return fsys.Remove(slot + Displaced)
	case errors.Is(err, fs.ErrNotExist):
		return fsys.Rename(slot+Displaced, slot)
	}
	return err
}
