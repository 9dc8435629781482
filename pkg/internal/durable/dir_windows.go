package durable

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"strings"
	"time"
	"unsafe"

	"golang.org/x/sys/windows"
)

// dirFS is a directory of the operating system. [os.Root] keeps names from leaving
// it; that no component is a link is looked up before each operation.
type dirFS struct {
	dir  string
	root *os.Root
}

// Open opens the directory dir, which may be a link, and returns its absolute
// path with links resolved.
func Open(dir string) (FS, string, error) {
	real, err := realPath(dir)
	if err != nil {
		return nil, "", err
	}
	root, err := os.OpenRoot(real)
	if err != nil {
		return nil, "", err
	}
	return &dirFS{real, root}, real, nil
}

// local checks name, and that the directories on the way are plain.
func (o *dirFS) local(op, name string) (string, error) {
	local := filepath.FromSlash(name)
	if err := validName(op, name); err != nil {
		return "", err
	}
	if !filepath.IsLocal(local) || strings.ContainsAny(name, `:\`) {
		return "", &fs.PathError{Op: op, Path: name, Err: errors.New("not a name on Windows")}
	}
	for i := range len(name) {
		if name[i] != '/' {
			continue
		}
		fi, err := o.root.Lstat(local[:i])
		if err != nil {
			return "", err
		}
		if !fi.IsDir() {
			return "", fmt.Errorf("%s %s: %w", op, name, ErrLink)
		}
	}
	return local, nil
}

// Read implements [disk.Disk].
func (o *dirFS) Read(name string, max int64) ([]byte, Info, error) {
	local, err := o.local("read", name)
	if err != nil {
		return nil, Info{}, err
	}
	f, info, err := o.openFile("read", name, local)
	if err != nil {
		return nil, Info{}, err
	}
	defer f.Close()
	data, err := readAll(f, name, info.Size, max, nil)
	return data, info, err
}

// openFile opens a regular file.
func (o *dirFS) openFile(op, name, local string) (*os.File, Info, error) {
	fi, err := o.root.Lstat(local)
	if err != nil {
		return nil, Info{}, err
	}
	if !fi.Mode().IsRegular() {
		return nil, Info{}, fmt.Errorf("%s %s: %w", op, name, ErrLink)
	}
	f, err := o.root.Open(local)
	if err != nil {
		return nil, Info{}, err
	}
	info, err := infoOf(f)
	if err != nil {
		f.Close()
		return nil, Info{}, err
	}
	return f, info, nil
}

// ReadFiles implements [disk.Disk].
func (o *dirFS) ReadFiles(dir string, names []string, max int64, known func(i int, info Info) bool, f func(i int, data []byte, info Info, err error)) error {
	info, err := o.Stat(dir)
	if err == nil && info.Kind != Dir {
		err = fmt.Errorf("read %s: %w", dir, ErrLink)
	}
	if err != nil {
		return err
	}
	for i, name := range names {
		if strings.Contains(name, "/") || name == "." || !fs.ValidPath(name) {
			f(i, nil, Info{}, &fs.PathError{Op: "read", Path: path.Join(dir, name), Err: fs.ErrInvalid})
			continue
		}
		data, info, err := o.Read(path.Join(dir, name), max)
		f(i, data, info, err)
	}
	return nil
}

func infoOf(f *os.File) (Info, error) {
	fi, err := f.Stat()
	if err != nil {
		return Info{}, err
	}
	var d windows.ByHandleFileInformation
	if err := windows.GetFileInformationByHandle(windows.Handle(f.Fd()), &d); err != nil {
		return Info{}, err
	}
	return Info{
		Kind: kindOf(fi.Mode()), Size: fi.Size(), Attr: Attr{Mode: fi.Mode().Perm()}, Links: int(d.NumberOfLinks),
		ID:      FileID{Device: uint64(d.VolumeSerialNumber), Number: uint64(d.FileIndexHigh)<<32 | uint64(d.FileIndexLow)},
		ModTime: fi.ModTime(),
	}, nil
}

// Stat implements [disk.Disk].
func (o *dirFS) Stat(name string) (Info, error) {
	local, err := o.local("stat", name)
	if err != nil {
		return Info{}, err
	}
	fi, err := o.root.Lstat(local)
	if err != nil {
		return Info{}, err
	}
	if !fi.Mode().IsRegular() && !fi.IsDir() {
		return Info{Kind: kindOf(fi.Mode())}, nil
	}
	f, err := o.root.Open(local)
	if err != nil {
		return Info{}, err
	}
	defer f.Close()
	return infoOf(f)
}

// ReadDir implements [disk.Disk].
func (o *dirFS) ReadDir(name string) (list []Entry, err error) {
	local, err := o.local("readdir", name)
	if err != nil {
		return nil, err
	}
	d, err := o.root.Open(local)
	if err != nil {
		return nil, err
	}
	defer d.Close()
	return entriesOf(d)
}

// at calls f with a name as Windows writes it.
func (o *dirFS) at(op, name string, f func(local string) error) error {
	local, err := o.local(op, name)
	if err != nil {
		return err
	}
	return f(local)
}

// Mkdir implements [disk.Disk].
func (o *dirFS) Mkdir(name string) error {
	return o.at("mkdir", name, func(local string) error { return o.root.Mkdir(local, 0o755) })
}

// Create implements [disk.Disk]. Sync is FlushFileBuffers.
func (o *dirFS) Create(name string, data []byte, mode fs.FileMode) (File, error) {
	local, err := o.local("create", name)
	if err != nil {
		return nil, err
	}
	if mode == 0 {
		mode = 0o666
	}
	f, err := o.root.OpenFile(local, os.O_WRONLY|os.O_CREATE|os.O_EXCL, mode)
	if err != nil {
		return nil, err
	}
	if _, err := f.Write(data); err != nil {
		f.Close()
		return nil, errors.Join(err, o.root.Remove(local))
	}
	return f, nil
}

// Append implements [disk.Disk].
func (o *dirFS) Append(name string, data []byte) error {
	local, err := o.local("append", name)
	if err != nil {
		return err
	}
	f, err := o.root.OpenFile(local, os.O_WRONLY|os.O_APPEND|os.O_CREATE, 0o666)
	if err != nil {
		return err
	}
	_, err = f.Write(data)
	return errors.Join(err, f.Close())
}

// SyncFile implements [disk.Syncer].
func (o *dirFS) SyncFile(name string) error {
	local, err := o.local("fsync", name)
	if err != nil {
		return err
	}
	f, err := o.root.OpenFile(local, os.O_WRONLY, 0)
	if err != nil {
		return err
	}
	return errors.Join(f.Sync(), f.Close())
}

// SyncDir does nothing: Windows offers no way to flush a directory; NTFS
// journals names by itself.
func (o *dirFS) SyncDir(name string) error {
	_, err := o.local("fsync", name)
	return err
}

// busy are the errors while somebody else, a virus scanner say, has the file open.
var busy = []error{windows.ERROR_ACCESS_DENIED, windows.ERROR_SHARING_VIOLATION, windows.ERROR_UNABLE_TO_REMOVE_REPLACED}

// insist repeats a call for up to two seconds while the file is busy.
func insist(call func() error) (err error) {
	for wait := time.Millisecond; wait < 2*time.Second; wait *= 2 {
		err = call()
		again := false
		for _, b := range busy {
			again = again || errors.Is(err, b)
		}
		if !again {
			return err
		}
		time.Sleep(wait)
	}
	return err
}

// two calls f with two names as Windows takes them.
func (o *dirFS) two(op, a, b string, f func(a, b *uint16) error) error {
	var paths [2]*uint16
	for i, name := range []string{a, b} {
		local, err := o.local(op, name)
		if err != nil {
			return err
		}
		if paths[i], err = windows.UTF16PtrFromString(filepath.Join(o.dir, local)); err != nil {
			return err
		}
	}
	if err := insist(func() error { return f(paths[0], paths[1]) }); err != nil {
		return &fs.PathError{Op: op, Path: a + ", " + b, Err: err}
	}
	return nil
}

var replaceFile = windows.NewLazySystemDLL("kernel32.dll").NewProc("ReplaceFileW")

// Exchange implements [disk.Disk]. b takes what a stands for; what b stood for goes to
// a + [Displaced] and from there to a. Between the two steps a reader of b misses
// nothing, and recovery finds the displaced file.
//
//	ReplaceFileW(b, a, a.displaced); MoveFileExW(a.displaced, a)
func (o *dirFS) Exchange(a, b string) error {
	err := o.two("exchange", a, b, func(pa, pb *uint16) error {
		backup, err := windows.UTF16PtrFromString(windows.UTF16PtrToString(pa) + Displaced)
		if err != nil {
			return err
		}
		ok, _, err := replaceFile.Call(uintptr(unsafe.Pointer(pb)), uintptr(unsafe.Pointer(pa)), uintptr(unsafe.Pointer(backup)), 0, 0, 0)
		if ok == 0 {
			return err
		}
		return nil
	})
	if err != nil {
		return err
	}
	return o.Move(a+Displaced, a)
}

// Move implements [disk.Disk].
//
//	MoveFileExW(MOVEFILE_WRITE_THROUGH)
func (o *dirFS) Move(from, to string) error {
	return o.two("move", from, to, func(a, b *uint16) error { return windows.MoveFileEx(a, b, windows.MOVEFILE_WRITE_THROUGH) })
}

// Rename implements [disk.Disk].
//
//	MoveFileExW(MOVEFILE_REPLACE_EXISTING|MOVEFILE_WRITE_THROUGH)
func (o *dirFS) Rename(from, to string) error {
	return o.two("rename", from, to, func(a, b *uint16) error {
		return windows.MoveFileEx(a, b, windows.MOVEFILE_REPLACE_EXISTING|windows.MOVEFILE_WRITE_THROUGH)
	})
}

// Link implements [disk.Disk].
//
//	CreateHardLinkW
func (o *dirFS) Link(from, to string) error {
	return o.two("link", from, to, func(a, b *uint16) error { return windows.CreateHardLink(b, a, 0) })
}

// Remove implements [disk.Disk].
func (o *dirFS) Remove(name string) error {
	return o.at("remove", name, func(local string) error {
		return insist(func() error { return o.root.Remove(local) })
	})
}

// TryLock implements [disk.Disk]. Locks are mandatory on Windows: the locked byte lies
// far behind the content, so that others can read that. An open file can't be deleted.
//
//	CreateFileW(OPEN_ALWAYS); LockFileEx(EXCLUSIVE|FAIL_IMMEDIATELY)
func (o *dirFS) TryLock(name, holder string) (unlock func() error, err error) {
	local, err := o.local("lock", name)
	if err != nil {
		return nil, err
	}
	f, err := o.root.OpenFile(local, os.O_RDWR|os.O_CREATE, 0o644)
	if err != nil {
		return nil, err
	}
	at := &windows.Overlapped{OffsetHigh: 1 << 30}
	err = windows.LockFileEx(windows.Handle(f.Fd()), windows.LOCKFILE_EXCLUSIVE_LOCK|windows.LOCKFILE_FAIL_IMMEDIATELY, 0, 1, 0, at)
	if errors.Is(err, windows.ERROR_LOCK_VIOLATION) {
		by := make([]byte, 4096)
		n, _ := f.Read(by) // informative only
		err = &HeldError{Holder: strings.TrimSpace(string(by[:n]))}
	}
	if err != nil {
		return nil, errors.Join(fmt.Errorf("lock %s: %w", name, err), f.Close())
	}
	if f.Truncate(0) == nil {
		_, _ = f.WriteAt([]byte(holder+"\n"), 0) // informative only
	}
	return f.Close, nil // closing unlocks
}

// Close implements [disk.Disk].
func (o *dirFS) Close() error { return o.root.Close() }

func remote(dir string) (string, error) {
	volume := filepath.VolumeName(dir)
	if strings.HasPrefix(volume, `\\`) && !strings.HasPrefix(volume, `\\?\`) {
		return "a network share", nil
	}
	root, err := windows.UTF16PtrFromString(volume + `\`)
	if err != nil {
		return "", fmt.Errorf("look up the drive of %s: %w", dir, err)
	}
	if windows.GetDriveType(root) == windows.DRIVE_REMOTE {
		return "a network drive", nil
	}
	return "", nil
}
