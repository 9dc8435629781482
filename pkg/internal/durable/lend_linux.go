package durable

import (
	"errors"
	"os"
	"os/signal"
	"sync"
	"unsafe"

	"golang.org/x/sys/unix"
)

// loan is a file that is mapped, and held by a lease: who opens it for writing, or cuts it short,
// waits until the lease is given back. Before that the bytes are copied, and the copy takes the
// place of the map, at the same address: whoever reads them notices nothing.
type loan struct {
	fd   int
	data []byte
}

// loans are those of the process.
var loans struct {
	sync.Mutex
	list []loan
	told chan os.Signal // that somebody waits for one; nil before the first
}

// Lend implements [Lender].
//
//	opened; fcntl(F_DUPFD_CLOEXEC, F_SETLEASE); fstat; mmap(PROT_READ, MAP_PRIVATE|MAP_POPULATE)
//
// and, when a SIGIO tells that somebody waits: mmap(MAP_ANONYMOUS); mremap(MREMAP_FIXED); fcntl(F_SETLEASE); close.
// The system waits 45 seconds for that (/proc/sys/fs/lease-break-time).
func (o *osFS) Lend(name string, max int64) (data []byte, err error) {
	_, err = o.opened("map", name, func(fd int, _ Info) error {
		own, err := unix.FcntlInt(uintptr(fd), unix.F_DUPFD_CLOEXEC, 0)
		if err != nil {
			return errors.ErrUnsupported // no more files may be open
		}
		if data, err = lend(own, name, max); err != nil {
			unix.Close(own) // and with it goes the lease
		}
		return err
	})
	return data, err
}

func lend(fd int, name string, max int64) ([]byte, error) {
	loans.Lock()
	defer loans.Unlock()
	if loans.told == nil {
		loans.told = make(chan os.Signal, 1)
		signal.Notify(loans.told, unix.SIGIO)
		go func() {
			for range loans.told {
				takeBack()
			}
		}()
	}
	if _, err := unix.FcntlInt(uintptr(fd), unix.F_SETLEASE, unix.F_RDLCK); err != nil {
		return nil, errors.ErrUnsupported // not on this file system, not another's file, or it is being written
	}
	info, err := regular(fd, plainCalls{})
	switch {
	case err != nil:
		return nil, err
	case info.Size > max:
		return nil, tooLarge(name, info.Size, max)
	case info.Size == 0:
		return nil, errors.ErrUnsupported
	}
	at, err := unix.MmapPtr(fd, 0, nil, uintptr(info.Size), unix.PROT_READ, unix.MAP_PRIVATE|unix.MAP_POPULATE)
	if err != nil {
		return nil, errors.ErrUnsupported
	}
	data := unsafe.Slice((*byte)(at), info.Size)
	loans.list = append(loans.list, loan{fd, data})
	return data, nil
}

// takeBack ends the loans that somebody waits for. One that can't be copied stays, and who waits
// for it does so until the system has had enough.
func takeBack() {
	loans.Lock()
	defer loans.Unlock()
	left := loans.list[:0]
	for _, l := range loans.list {
		if held, err := unix.FcntlInt(uintptr(l.fd), unix.F_GETLEASE, 0); err == nil && held == unix.F_RDLCK || !l.copy() {
			left = append(left, l)
			continue
		}
		unix.Close(l.fd)
	}
	clear(loans.list[len(left):])
	loans.list = left
}

// copy puts a copy in the place of the map, in one step.
func (l loan) copy() bool {
	size := uintptr(len(l.data))
	at, err := unix.MmapPtr(-1, 0, nil, size, unix.PROT_READ|unix.PROT_WRITE, unix.MAP_PRIVATE|unix.MAP_ANON)
	if err != nil {
		return false
	}
	copy(unsafe.Slice((*byte)(at), size), l.data)
	_, err = unix.MremapPtr(at, size, unsafe.Pointer(unsafe.SliceData(l.data)), size, unix.MREMAP_MAYMOVE|unix.MREMAP_FIXED)
	return err == nil
}

// restLent implements [RestLent]. What was taken back is no file any more, and would be lost.
func restLent() {
	loans.Lock()
	defer loans.Unlock()
	for _, l := range loans.list {
		_ = unix.Madvise(l.data, unix.MADV_DONTNEED) // it stays where it is, then
	}
}
