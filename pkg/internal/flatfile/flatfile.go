// Package flatfile keeps derived data in files that are read as they lie: sections of
// bytes behind a header, with checksums, mapped into memory where the system can.
//
// A flat file is never the truth: it may be deleted at any moment. It is replaced whole,
// by a rename, and so read without a lock while it is written. It isn't made durable: one
// that a loss of power has torn fails its checksum, and whoever reads it takes it for
// absent.
package flatfile

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"io/fs"
	"path"
	"slices"
	"strings"
	"time"

	"github.com/memoryd/memoryd/pkg/internal/durable"
	"github.com/memoryd/memoryd/pkg/internal/parallel"
)

// MaxSize is the most bytes that a file may have: offsets in sections are of 32 bits.
const MaxSize = 1<<32 - 1

// ErrDamaged says that a file is none of ours, of another version or key, or damaged.
var ErrDamaged = errors.New("not a flat file of this version, or damaged")

// A file: the magic, the version, the number of sections, the key; for each section its
// offset, length and checksum (see checksums); the checksum of all that; the sections, each at
// a multiple of 8.
const (
	magic       = "memflat\n"
	headSize    = len(magic) + 4 + 4 + KeySize
	entrySize   = 8 + 8 + 4
	maxSections = 64
)

// KeySize is the length of a key.
const KeySize = 32

// Key tells what a file was derived for: the workspace, the settings. One with another
// key is as good as absent.
type Key [KeySize]byte

// Append builds a file of sections.
func Append(dst []byte, version uint32, key Key, sections ...[]byte) ([]byte, error) {
	head, err := header(version, key, sections, nil)
	if err != nil {
		return nil, err
	}
	start, size := len(dst), len(head)
	for _, s := range sections {
		size += len(s) + 8
	}
	dst = append(slices.Grow(dst, size), head...)
	for _, s := range sections {
		dst = append(pad(dst, len(dst)-start), s...)
	}
	return dst, nil
}

// header is what stands before the sections.
func header(version uint32, key Key, sections [][]byte, patches Patches) ([]byte, error) {
	if len(sections) > maxSections {
		return nil, fmt.Errorf("flat file: %d sections, more than %d", len(sections), maxSections)
	}
	dst := []byte(magic)
	dst = binary.LittleEndian.AppendUint32(dst, version)
	dst = binary.LittleEndian.AppendUint32(dst, uint32(len(sections)))
	dst = append(dst, key[:]...)
	sums := checksums(sections, patches, parallel.Tasks)
	at := aligned(headSize + len(sections)*entrySize + 4)
	for i, s := range sections {
		dst = binary.LittleEndian.AppendUint64(dst, uint64(at))
		dst = binary.LittleEndian.AppendUint64(dst, uint64(len(s)))
		dst = binary.LittleEndian.AppendUint32(dst, sums[i])
		if at = aligned(at + len(s)); at > MaxSize {
			return nil, fmt.Errorf("flat file: more than %d bytes", int64(MaxSize))
		}
	}
	return binary.LittleEndian.AppendUint32(dst, checksum(dst)), nil
}

func aligned(n int) int { return (n + 7) &^ 7 }

// pad adds what is missing where a section begins, behind size bytes.
func pad(dst []byte, size int) []byte { return append(dst, make([]byte, aligned(size)-size)...) }

// Parse finds the sections in a file's bytes, which they alias. Whatever is wrong with
// them is [ErrDamaged].
func Parse(data []byte, version uint32, key Key) ([][]byte, error) {
	return parse(data, version, key, inTurn)
}

func parse(data []byte, version uint32, key Key, loop func(n int, f func(i int))) ([][]byte, error) {
	sections, sums, err := divide(data, version, key)
	if err == nil && !slices.Equal(checksums(sections, nil, loop), sums) {
		return nil, ErrDamaged
	}
	return sections, err
}

// divide finds the sections, and what their checksums should be.
func divide(data []byte, version uint32, key Key) (sections [][]byte, sums []uint32, err error) {
	if len(data) < headSize || string(data[:len(magic)]) != magic {
		return nil, nil, ErrDamaged
	}
	head := data[len(magic):]
	n := int(binary.LittleEndian.Uint32(head[4:]))
	end := headSize + n*entrySize
	if binary.LittleEndian.Uint32(head) != version || Key(head[8:8+KeySize]) != key || n > maxSections || len(data) < end+4 ||
		checksum(data[:end]) != binary.LittleEndian.Uint32(data[end:]) {
		return nil, nil, ErrDamaged
	}
	sections, sums = make([][]byte, n), make([]uint32, n)
	for i := range sections {
		entry := data[headSize+i*entrySize:]
		at, size := binary.LittleEndian.Uint64(entry), binary.LittleEndian.Uint64(entry[8:])
		if at > uint64(len(data)) || size > uint64(len(data))-at {
			return nil, nil, ErrDamaged
		}
		sections[i], sums[i] = data[at:at+size:at+size], binary.LittleEndian.Uint32(entry[16:])
	}
	return sections, sums, nil
}

// File is a flat file that is open for reading. One goroutine at a time may close it, and
// nobody uses it then.
type File struct {
	sections [][]byte
	free     func() error
}

// Open maps a file into memory and checks it. Whatever is wrong with it is [ErrDamaged]; an
// absent one is [fs.ErrNotExist]. Replaced meanwhile, what was opened stays.
func Open(root durable.FS, name string, version uint32, key Key) (*File, error) {
	data, free, err := mapped(root, name)
	if err != nil {
		return nil, err
	}
	f := &File{free: free}
	err = Guard(func() (err error) {
		f.sections, err = Parse(data, version, key)
		return err
	})
	if err != nil {
		return nil, errors.Join(fmt.Errorf("%s: %w", name, err), free())
	}
	return f, nil
}

// Use gives the sections to do, which may read them on other goroutines through [Guard]
// only. Somebody who cuts the file short meanwhile makes it [ErrDamaged]; what do has done
// by then is for the caller to undo.
func (f *File) Use(do func(sections [][]byte) error) error {
	return Guard(func() error { return do(f.sections) })
}

// Close ends the use of the file: its sections are gone.
func (f *File) Close() error {
	f.sections = nil
	return f.free()
}

// Load reads a file into memory and gives its sections, for whoever uses most of them as
// long as it runs. Whatever is wrong with it is [ErrDamaged]; an absent one is
// [fs.ErrNotExist].
func Load(root durable.FS, name string, version uint32, key Key) ([][]byte, error) {
	data, _, err := root.Read(name, MaxSize)
	return loaded(data, err, name, version, key)
}

// Borrow is [Load] for a process that ends soon: where the system can, the file isn't copied. Its
// sections are only to be read, and their room is never given back. It
// tells besides how many bytes are lent.
func Borrow(root durable.FS, name string, version uint32, key Key) (sections [][]byte, lent int, err error) {
	data, isLent, err := durable.Lend(root, name, MaxSize)
	if isLent {
		lent = len(data)
	}
	sections, err = loaded(data, err, name, version, key)
	return sections, lent, err
}

func loaded(data []byte, err error, name string, version uint32, key Key) ([][]byte, error) {
	if err != nil {
		return nil, err
	}
	sections, err := parse(data, version, key, parallel.Tasks)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	return sections, nil
}

func mapped(root durable.FS, name string) ([]byte, func() error, error) {
	data, _, err := root.Read(name, MaxSize)
	return data, func() error { return nil }, err
}

// Guard runs f, which reads the sections of a file. Where these have gone it ends with
// [ErrDamaged].
func Guard(f func() error) (err error) {
	return f()
}

// Patches change sections on their way into a file, by their numbers: each is given a copy of a
// piece of its section, which begins at from there. It may be asked several times for the same, on
// several goroutines. So that of a long section in which a little is to be changed there
// need not be two.
type Patches map[int]func(piece []byte, from int)

// piece is that of a section from a place on, no longer than is summed up at a time.
func (p Patches) piece(sections [][]byte, section, from int) []byte {
	piece := sections[section][from:]
	piece = piece[:min(len(piece), summed)]
	if patch := p[section]; patch != nil {
		piece = bytes.Clone(piece)
		patch(piece, from)
	}
	return piece
}

// Write replaces a file, in one step, with the mode of new files. Missing directories
// are made. It isn't durable. Several may write at the same time: the last one wins.
func Write(root durable.FS, name string, version uint32, key Key, sections ...[]byte) error {
	return WritePatched(root, name, version, key, nil, sections...)
}

// WritePatched is [Write] of sections that are patched on the way.
func WritePatched(root durable.FS, name string, version uint32, key Key, patches Patches, sections ...[]byte) error {
	head, err := header(version, key, sections, patches)
	if err != nil {
		return fmt.Errorf("write %s: %w", name, err)
	}
	if _, err := durable.MkdirAll(root, path.Dir(name)); err != nil {
		return fmt.Errorf("create %s: %w", path.Dir(name), err)
	}
	sweep(root, path.Dir(name))
	temp, err := durable.Temp(path.Dir(name))
	if err != nil {
		return fmt.Errorf("write %s: %w", name, err)
	}
	made, err := writeAll(root, temp, head, sections, patches)
	if err == nil {
		err = root.Rename(temp, name)
	}
	if err != nil && made {
		if gone := root.Remove(temp); !errors.Is(gone, fs.ErrNotExist) {
			err = errors.Join(err, gone)
		}
	}
	return err
}

// large is the size of a section that is written as it lies, not put together with others.
const large = 1 << 16

// writeAll writes a new file, and reports whether there is one.
func writeAll(root durable.FS, name string, head []byte, sections [][]byte, patches Patches) (made bool, err error) {
	flush := func(data []byte) error {
		if made {
			return root.Append(name, data)
		}
		f, err := root.Create(name, data, 0)
		if made = err == nil; made {
			err = f.Close()
		}
		return err
	}
	size := len(head)
	for i, s := range sections {
		head = pad(head, size)
		if size = aligned(size) + len(s); len(s) < large {
			head = append(head, patches.piece(sections, i, 0)...)
			continue
		}
		err = flush(head)
		if patches[i] == nil && err == nil {
			err = flush(s)
		}
		for from := 0; patches[i] != nil && from < len(s) && err == nil; from += summed {
			err = flush(patches.piece(sections, i, from))
		}
		if err != nil {
			return made, err
		}
		head = head[:0]
	}
	if len(head) > 0 || !made {
		err = flush(head)
	}
	return made, err
}

// abandoned is the age at which a file that is on its way to its name has been left by
// a writer that was killed.
const abandoned = time.Hour

// sweep removes such files, as far as it can: they are in nobody's way.
func sweep(root durable.FS, dir string) {
	entries, err := root.ReadDir(dir)
	if err != nil {
		return
	}
	for _, e := range entries {
		name := path.Join(dir, e.Name)
		if !strings.HasPrefix(e.Name, durable.TempPrefix) {
			continue
		}
		if info, err := root.Stat(name); err == nil && info.Kind == durable.Regular && time.Since(info.ModTime) > abandoned {
			_ = root.Remove(name) // next time, if not now
		}
	}
}
