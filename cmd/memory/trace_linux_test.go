package main

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"os"
	"runtime"
	"strings"
	"syscall"
	"testing"
	"unsafe"

	"golang.org/x/sys/unix"
)

// The program under attack is the one that people get: built by "go build", with
// no hook in it. A tracer stops it at each system call that changes something, or
// makes it durable, and kills it there before the kernel has done it.

// steps are those system calls.
var steps = map[uint64]string{
	unix.SYS_WRITE: "write", unix.SYS_PWRITE64: "pwrite64", unix.SYS_WRITEV: "writev", unix.SYS_FTRUNCATE: "ftruncate",
	unix.SYS_FALLOCATE: "fallocate", unix.SYS_COPY_FILE_RANGE: "copy_file_range", unix.SYS_SENDFILE: "sendfile",
	unix.SYS_FCHMOD: "fchmod", unix.SYS_FCHMODAT: "fchmodat", unix.SYS_FCHOWN: "fchown", unix.SYS_UTIMENSAT: "utimensat",
	unix.SYS_FSYNC: "fsync", unix.SYS_FDATASYNC: "fdatasync", unix.SYS_OPENAT: "openat", unix.SYS_MKDIRAT: "mkdirat",
	unix.SYS_UNLINKAT: "unlinkat", unix.SYS_RENAMEAT: "renameat", unix.SYS_RENAMEAT2: "renameat2", unix.SYS_LINKAT: "linkat",
	unix.SYS_SYMLINKAT: "symlinkat",
}

// byHandle are the steps whose first argument is an open file: only files below
// the workspace, and the standard outputs, count.
var byHandle = map[uint64]bool{
	unix.SYS_WRITE: true, unix.SYS_PWRITE64: true, unix.SYS_WRITEV: true, unix.SYS_FTRUNCATE: true, unix.SYS_FALLOCATE: true,
	unix.SYS_FCHMOD: true, unix.SYS_FCHOWN: true, unix.SYS_FSYNC: true, unix.SYS_FDATASYNC: true,
}

// harmless are the system calls that change nothing on a disk. A call that is
// neither here nor among the steps fails the test: it may have to be one.
var harmless = func() map[uint64]bool {
	all := map[uint64]bool{158: true, 262: true, 79: true} // arch_prctl and newfstatat of amd64, fstatat of arm64
	for _, nr := range []uint64{
		unix.SYS_READ, unix.SYS_PREAD64, unix.SYS_READV, unix.SYS_OPENAT, unix.SYS_CLOSE, unix.SYS_LSEEK, unix.SYS_FSTAT, unix.SYS_STATFS, unix.SYS_FSTATFS,
		unix.SYS_STATX, unix.SYS_GETDENTS64, unix.SYS_READLINKAT, unix.SYS_FACCESSAT, unix.SYS_FACCESSAT2, unix.SYS_GETCWD, unix.SYS_FLOCK, unix.SYS_FCNTL, unix.SYS_IOCTL,
		unix.SYS_MMAP, unix.SYS_MUNMAP, unix.SYS_MPROTECT, unix.SYS_MADVISE, unix.SYS_MINCORE, unix.SYS_BRK, unix.SYS_PRCTL, unix.SYS_PRLIMIT64,
		unix.SYS_RT_SIGACTION, unix.SYS_RT_SIGPROCMASK, unix.SYS_RT_SIGRETURN, unix.SYS_SIGALTSTACK, unix.SYS_TGKILL, unix.SYS_RESTART_SYSCALL,
		unix.SYS_CLONE, unix.SYS_CLONE3, unix.SYS_EXECVE, unix.SYS_EXIT, unix.SYS_EXIT_GROUP, unix.SYS_FUTEX, unix.SYS_NANOSLEEP, unix.SYS_CLOCK_NANOSLEEP, unix.SYS_CLOCK_GETTIME,
		unix.SYS_SCHED_YIELD, unix.SYS_SCHED_GETAFFINITY, unix.SYS_SET_ROBUST_LIST, unix.SYS_SET_TID_ADDRESS, unix.SYS_RSEQ, unix.SYS_GETRANDOM, unix.SYS_UNAME,
		unix.SYS_GETPID, unix.SYS_GETTID, unix.SYS_GETPPID, unix.SYS_GETUID, unix.SYS_GETEUID, unix.SYS_GETGID, unix.SYS_GETEGID,
		unix.SYS_EPOLL_CREATE1, unix.SYS_EPOLL_CTL, unix.SYS_EPOLL_PWAIT, unix.SYS_EVENTFD2, unix.SYS_PIPE2,
	} {
		all[nr] = true
	}
	return all
}()

// syscallInfo is struct ptrace_syscall_info of linux/ptrace.h, as far as the entry
// to a system call fills it.
type syscallInfo struct {
	Op   uint8
	_    [3]byte
	Arch uint32
	_    [2]uint64
	Nr   uint64
	Args [6]uint64
	_    uint64
}

const (
	atEntry        = 1      // PTRACE_SYSCALL_INFO_ENTRY
	setSyscallInfo = 0x4212 // PTRACE_SET_SYSCALL_INFO
)

// tracer runs a program and kills it before step number at; 0: never.
type tracer struct {
	dir    string // the workspace
	at     int
	noSync func(where string) bool // calls of fsync that do nothing, as a mistake in the program would

	pid    int
	n      int      // steps so far
	other  []uint64 // calls that are neither steps nor known to be harmless
	where  string   // the step that was not made
	stdout bytes.Buffer
	stderr bytes.Buffer
}

// run returns whether the program was killed, else its exit code.
func (tr *tracer) run(argv, env []string) (killed bool, code int, err error) {
	runtime.LockOSThread() // a tracee belongs to one thread
	defer runtime.UnlockOSThread()
	var outputs [2]*os.File
	for i := range outputs {
		if outputs[i], err = os.CreateTemp("", "traced"); err != nil {
			return false, 0, err
		}
		defer os.Remove(outputs[i].Name())
		defer outputs[i].Close()
	}
	p, err := os.StartProcess(argv[0], argv, &os.ProcAttr{
		Dir: tr.dir, Env: env, Files: []*os.File{nil, outputs[0], outputs[1]}, Sys: &syscall.SysProcAttr{Ptrace: true, Setpgid: true},
	})
	if err != nil {
		return false, 0, err
	}
	tr.pid = p.Pid
	killed, code, err = tr.follow()
	_ = p.Release() // it was waited for
	for i, to := range []*bytes.Buffer{&tr.stdout, &tr.stderr} {
		_, serr := outputs[i].Seek(0, 0)
		_, rerr := to.ReadFrom(outputs[i])
		err = errors.Join(err, serr, rerr)
	}
	return killed, code, err
}

// follow waits for every stop of every thread until the process is over. It waits
// for the process's group only, so that several tracers can be at work beside
// other children.
func (tr *tracer) follow() (killed bool, code int, err error) {
	known := map[int]bool{}
	for {
		var ws unix.WaitStatus
		tid, werr := unix.Wait4(-tr.pid, &ws, unix.WALL|unix.WNOTHREAD, nil)
		switch {
		case errors.Is(werr, unix.EINTR):
			continue
		case errors.Is(werr, unix.ECHILD): // all threads are gone
			return killed, code, err
		case werr != nil:
			return false, 0, fmt.Errorf("wait: %w", werr)
		}
		if !ws.Stopped() {
			if tid == tr.pid {
				killed, code = ws.Signaled() && ws.Signal() == unix.SIGKILL, ws.ExitStatus()
			}
			continue
		}
		pass := 0 // the signal to hand on
		switch sig := ws.StopSignal(); {
		case sig == unix.SIGTRAP|0x80:
			if serr := tr.stop(tid); serr != nil && !errors.Is(serr, unix.ESRCH) {
				err = errors.Join(err, serr, unix.Kill(tr.pid, unix.SIGKILL))
			}
		case !known[tid]: // the first stop of a process, or of a thread of it
			if tid == tr.pid {
				options := unix.PTRACE_O_TRACECLONE | unix.PTRACE_O_TRACESYSGOOD | unix.PTRACE_O_EXITKILL
				if oerr := unix.PtraceSetOptions(tid, options); oerr != nil {
					err = errors.Join(err, oerr, unix.Kill(tr.pid, unix.SIGKILL))
				}
			}
		case sig == unix.SIGTRAP: // an event, such as a new thread
		default:
			pass = int(sig)
		}
		known[tid] = true
		if cerr := unix.PtraceSyscall(tid, pass); cerr != nil && !errors.Is(cerr, unix.ESRCH) {
			err = errors.Join(err, cerr, unix.Kill(tr.pid, unix.SIGKILL))
		}
	}
}

// readsOnly tells a call of openat2 that opens a file for reading.
func readsOnly(tid int, info *syscallInfo) bool {
	var flags [8]byte // the first member of struct open_how
	if info.Nr != unix.SYS_OPENAT2 {
		return false
	}
	n, err := unix.PtracePeekData(tid, uintptr(info.Args[2]), flags[:])
	return err == nil && n == len(flags) && binary.NativeEndian.Uint64(flags[:])&(unix.O_ACCMODE|unix.O_CREAT|unix.O_TRUNC) == unix.O_RDONLY
}

// stop looks at a thread that enters or leaves a system call.
func (tr *tracer) stop(tid int) error {
	var info syscallInfo
	_, _, errno := unix.Syscall6(unix.SYS_PTRACE, unix.PTRACE_GET_SYSCALL_INFO, uintptr(tid), unsafe.Sizeof(info), uintptr(unsafe.Pointer(&info)), 0, 0)
	if errno != 0 {
		return fmt.Errorf("look at a system call: %w", errno)
	}
	name, ok := steps[info.Nr]
	if info.Op == atEntry && !ok && !harmless[info.Nr] && !readsOnly(tid, &info) {
		tr.other = append(tr.other, info.Nr)
	}
	if info.Op != atEntry || !ok || info.Nr == unix.SYS_OPENAT && info.Args[2]&(unix.O_CREAT|unix.O_TRUNC) == 0 {
		return nil
	}
	where := ""
	if byHandle[info.Nr] {
		fd := int32(info.Args[0])
		file, err := os.Readlink(fmt.Sprintf("/proc/%d/fd/%d", tid, fd))
		if err != nil || fd > 2 && !strings.HasPrefix(file, tr.dir+"/") && file != tr.dir {
			return nil //nolint:nilerr // a pipe of the runtime's, or closed already
		}
		where = strings.TrimPrefix(file, tr.dir+"/")
	} else {
		where = text(tid, info.Args[1])
		if info.Nr == unix.SYS_RENAMEAT || info.Nr == unix.SYS_RENAMEAT2 || info.Nr == unix.SYS_LINKAT {
			where += " " + text(tid, info.Args[3])
		}
	}
	if tr.n++; tr.n == tr.at {
		tr.where = name + " " + where
		return unix.Kill(tr.pid, unix.SIGKILL)
	}
	if info.Nr == unix.SYS_FSYNC && tr.noSync != nil && tr.noSync(where) {
		info.Nr = unix.SYS_SCHED_YIELD
		if _, _, errno := unix.Syscall6(unix.SYS_PTRACE, setSyscallInfo, uintptr(tid), unsafe.Sizeof(info), uintptr(unsafe.Pointer(&info)), 0, 0); errno != 0 {
			return fmt.Errorf("take a call of fsync away (linux 6.16 can): %w", errno)
		}
	}
	return nil
}

// saysDone reports whether the program was about to say what it had done.
func (tr *tracer) saysDone() bool { return strings.HasPrefix(tr.where, "write /") }

// text reads a string of the traced program, for messages.
func text(tid int, at uint64) string {
	buf := make([]byte, 256)
	n, _ := unix.PtracePeekData(tid, uintptr(at), buf)
	s, _, _ := bytes.Cut(buf[:n], []byte{0})
	return string(s)
}

// tracing makes sure that programs can be traced here.
func tracing(t *testing.T) (exe string) {
	t.Helper()
	exe = program(t)
	tr := &tracer{dir: t.TempDir(), at: 1}
	if killed, code, err := tr.run([]string{exe, "version"}, nil); err != nil || !killed {
		t.Skipf("SKIPPED: processes can't be traced here, so nothing is killed at its system calls: killed %v, exit code %d, %v", killed, code, err)
	}
	return exe
}
