package durable

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
)

// MaxSize bounds what is read to be hashed. A larger file is nobody's expected
// content.
const MaxSize = 1 << 30

// What [Hash] gives for what has no content to compare.
const (
	Absent    = ""
	Irregular = "irregular" // a directory, a link, a pipe, a file over MaxSize
)

// Displaced is the suffix of a slot's name under which a displaced file stands
// for an instant, where exchange takes more than one step.
const Displaced = ".displaced"

// Sum is the digest by which contents are compared: SHA-256 in hex.
func Sum(data []byte) string {
	sum := sha256.Sum256(data)
	return hex.EncodeToString(sum[:])
}

// Hash digests what a name stands for. The error is of reading.
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

// Aside takes what can't be given back to its path: somebody else's text, or an
// original whose place was taken. It must not be unlinked.
type Aside func(slot, path string) error

// CAS brings path from the content base to the content next, each a [Sum] or
// [Absent], and fails with [ErrConflict] if path isn't base.
//
// To replace or create, slot must be a durable file with the content next; it
// holds what stood at path afterwards, or is gone. To delete, slot must be free.
// A conflict leaves path as somebody else wants it and slot as it was. aside gets
// what no name wants. Other errors leave the question open; Settle and the
// contents of slot and path answer it later.
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

// Settle looks at a slot that was swapped with its path. If it holds base or
// next, nothing is amiss. Anything else is somebody's edit, which was taken out in
// the moment it was made: it goes back to path, and the error is [ErrConflict].
// Recovery calls it for every slot.
func Settle(fsys FS, slot, path, base, next string, aside Aside) error {
	for range 100 { // each turn needs another edit in the same instant
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
					// Somebody replaced next before we did: theirs is the newer of the
					// two edits. It goes back up, and the older one to aside.
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

// giveBack puts the slot's content over next, which the journal has.
func giveBack(fsys FS, slot, path, next string) error {
	err := fsys.Exchange(slot, path)
	if errors.Is(err, errors.ErrUnsupported) {
		err = fsys.Rename(slot, path)
	}
	return err
}

// place puts the slot's file under a free name.
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

// takeOut moves a file to a free name of ours.
//
//	renameat2(RENAME_NOREPLACE); where there is none: renameat
func takeOut(fsys FS, path, slot string) error {
	err := fsys.Move(path, slot)
	if errors.Is(err, errors.ErrUnsupported) {
		err = fsys.Rename(path, slot)
	}
	return err
}

// replaceByLink replaces without exchange. A file renamed to path by somebody
// else between the last look and our rename is lost; nothing else is.
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

// writeAs is [Staging.Write] for a name that must never hold a part of the content.
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

// Resume completes the last step of an exchange that takes several: a displaced
// file whose slot is gone takes its place, one beside its slot is a mere second
// name, or copy, and goes.
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
