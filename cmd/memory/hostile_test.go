//go:build unix

package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"golang.org/x/sys/unix"

	"github.com/memoryd/memoryd/fixtures"
)

// victim is a memory outside of the workspace, twin of one inside: what follows a
// path out would merge it, archive it or at least bring it along.
const victim = `{"id":"mem_victim","type":"semantic","created_by":"DEV-001","created_at":"2025-09-02T10:00:00Z","access_count":0,"content":{"details":"Outside."}}` + "\n"

// place is where a hostile thing is put: the workspace, and a directory next to it
// that nothing may touch. Its methods fail the test.
type place struct {
	t           *testing.T
	ws, outside string
}

func (p place) check(err error) {
	p.t.Helper()
	if err != nil {
		p.t.Fatal(err)
	}
}

func (p place) file(name, text string) { p.t.Helper(); write(p.t, filepath.Join(p.ws, name), text) }

// clear makes room for something else.
func (p place) clear(name string) string {
	p.t.Helper()
	name = filepath.Join(p.ws, name)
	p.check(errors.Join(os.RemoveAll(name), os.MkdirAll(filepath.Dir(name), 0o755)))
	return name
}

func (p place) link(target, name string) { p.t.Helper(); p.check(os.Symlink(target, p.clear(name))) }
func (p place) fifo(name string)         { p.t.Helper(); p.check(unix.Mkfifo(p.clear(name), 0o644)) }
func (p place) dir(name string) {
	p.t.Helper()
	p.check(os.MkdirAll(filepath.Join(p.clear(name), "sub.json"), 0o755))
}

func (p place) huge(name string) {
	p.t.Helper()
	f, err := os.Create(p.clear(name))
	p.check(err)
	p.check(errors.Join(f.Truncate(8<<30), f.Close()))
}

// index writes an index of global/ with one more entry for each path.
func (p place) index(paths ...string) {
	p.t.Helper()
	var entries []string
	for i, path := range paths {
		entries = append(entries, fmt.Sprintf(`{"id":"mem_led%d","type":"semantic","file_path":%s}`, i, path))
	}
	p.file("global/_index.json", `{"version":"1.0.0","entries":[`+strings.Join(entries, ",")+`]}`)
}

// deep makes a chain of directories that no path can name.
func (p place) deep(name string, depth int) {
	p.t.Helper()
	dir, err := unix.Open(filepath.Join(p.ws, name), unix.O_DIRECTORY|unix.O_RDONLY, 0)
	p.check(err)
	for range depth {
		p.check(unix.Mkdirat(dir, "d", 0o755))
		next, err := unix.Openat(dir, "d", unix.O_DIRECTORY|unix.O_RDONLY, 0)
		p.check(errors.Join(err, unix.Close(dir)))
		dir = next
	}
	f, err := unix.Openat(dir, "deep.json", unix.O_CREAT|unix.O_WRONLY, 0o644)
	p.check(err)
	_, err = unix.Write(f, []byte(victim))
	p.check(errors.Join(err, unix.Close(f), unix.Close(dir)))
}

func memory(id string) string {
	return fmt.Sprintf(`{"id":%q,"type":"semantic","created_at":"2025-09-02T10:00:00Z","content":{"details":"About %s."}}`+"\n", id, id)
}

var hostile = []struct {
	name string
	put  func(p place)
}{
	{"paths that lead out", func(p place) {
		p.index(`"../../outside/victim.json"`, `"..\\..\\outside\\victim.json"`, fmt.Sprintf("%q", filepath.Join(p.outside, "victim.json")),
			`"\u0000"`, `"victim.json\u0000.json"`, `"mem_glossary0001.json/"`, `"./mem_glossary0001.json"`, `""`, `"."`, `"C:\\x"`, `"mem_glossary0001.json/../../../outside/victim.json"`)
	}},
	{"a link out", func(p place) { p.link("../../outside/victim.json", "global/out.json") }},
	{"a link in", func(p place) { p.link("mem_glossary0001.json", "global/in.json") }},
	{"a link of a directory out", func(p place) { p.link("../../outside", "agents/EVIL") }},
	{"a link of a directory in", func(p place) { p.link("DEV-001", "agents/EVIL") }},
	{"a loop", func(p place) { p.link(".", "global/loop"); p.link("self.json", "global/self.json") }},
	{"the archive is a link", func(p place) { p.link("../outside", "archive") }},
	{"the operations are a link", func(p place) { p.link("../outside", "ops") }},
	{"the runs are a link", func(p place) { p.link("../../outside", "ops/runs") }},
	{"the log is a link", func(p place) { p.link("../../outside/victim.json", "ops/consolidation-log.json") }},
	{"the lock is a link", func(p place) { p.link("../../outside/victim.json", "ops/.lock") }},
	{"an index is a link", func(p place) { p.link("../../outside/victim.json", "global/_index.json") }},
	{"the settings are a link", func(p place) { p.link("../outside/victim.json", "memory.toml") }},
	{"a link to an endless device", func(p place) { p.link("/dev/zero", "global/zero.json") }},
	{"an index is endless", func(p place) { p.link("/dev/zero", "global/_index.json") }},
	{"a pipe", func(p place) { p.fifo("global/pipe.json") }},
	{"an index is a pipe", func(p place) { p.fifo("agents/DEV-001/_index.json") }},
	{"the log is a pipe", func(p place) { p.fifo("ops/consolidation-log.json") }},
	{"the queue is a pipe", func(p place) { p.fifo("ops/review.json") }},
	{"the lock is a pipe", func(p place) { p.fifo("ops/.lock") }},
	{"the settings are a pipe", func(p place) { p.fifo("memory.toml") }},
	{"a socket", func(p place) {
		l, err := net.Listen("unix", p.clear("global/s.json"))
		if err != nil {
			p.t.Skip("SKIPPED: no socket can be made:", err) // its path is too long, as on macOS
		}
		p.t.Cleanup(func() { l.Close() })
	}},
	{"8 GiB of nothing", func(p place) { p.huge("global/huge.json") }},
	{"an index of 8 GiB", func(p place) { p.huge("global/_index.json") }},
	{"a log of 8 GiB", func(p place) { p.huge("ops/consolidation-log.json") }},
	{"5,000 directories deep", func(p place) { p.deep("global", 5000) }},
	{"a directory as memory", func(p place) { p.dir("global/x.json") }},
	{"a directory as index", func(p place) { p.dir("agents/DEV-001/_index.json") }},
	{"a directory as log", func(p place) { p.dir("ops/consolidation-log.json") }},
	{"a directory as journal", func(p place) { p.dir("ops/runs/run_x/journal.json") }},
	{"a file as archive", func(p place) { p.clear("archive"); p.file("archive", "") }},
	{"a hard link out", func(p place) {
		p.check(os.Link(filepath.Join(p.outside, "victim.json"), p.clear("global/hard.json")))
		text, err := os.ReadFile(filepath.Join(p.ws, "global/mem_glossary0001.json"))
		p.check(err)
		p.check(os.WriteFile(filepath.Join(p.outside, "second.json"), text, 0o644))
		p.check(os.Link(filepath.Join(p.outside, "second.json"), p.clear("global/mem_glossary0001.json")))
	}},
	{"names of 255 bytes, ids of 300", func(p place) {
		p.file("global/"+strings.Repeat("n", 250)+".json", memory(strings.Repeat("i", 300)))
	}},
	{"case twins", func(p place) { p.file("global/Twin.json", memory("Twin")); p.file("global/twin.json", memory("twin")) }},
	{"twins in two forms of Unicode", func(p place) {
		p.file("global/\u00e9.json", memory("\u00e9"))
		p.file("global/e\u0301.json", memory("e\u0301"))
	}},
	{"names that are no text", func(p place) {
		if os.WriteFile(p.clear("global/\xff\xfe.json"), []byte(memory("bytes")), 0o644) != nil {
			p.t.Skip("SKIPPED: this file system takes text only")
		}
	}},
	{"names that write to the terminal", func(p place) { p.file("global/\x1b[31m\n\a.json", memory("\x1b[2J")) }},
	{"names of devices", func(p place) { p.file("global/con.json", memory("CON")); p.file("global/x.json ", memory("x ")) }},
}

// TestHostileTrees puts what no memory folder should hold into one. Every command
// ends, says what is wrong if anything is, and touches nothing outside, nor what
// isn't its own.
func TestHostileTrees(t *testing.T) {
	exe := program(t)
	for _, h := range hostile {
		t.Run(h.name, func(t *testing.T) {
			t.Parallel()
			top := t.TempDir()
			p := place{t, filepath.Join(top, "ws"), filepath.Join(top, "outside")}
			p.check(fixtures.CopyTo(p.ws, fixtures.Small))
			done("reindex")(t, exe, p.ws)
			write(t, filepath.Join(p.outside, "victim.json"), victim)
			h.put(p)
			outside, odd := things(t, p.outside), things(t, p.ws)
			maps.DeleteFunc(odd, func(_, what string) bool { return strings.HasPrefix(what, "-") && !strings.Contains(what, "nlink 2") })
			for _, args := range [][]string{
				{"plan"}, {"check"}, {"consolidate", "--pause", "0s"}, {"check", "--fix"}, {"undo", "run_2026"},
				{"list", "--all"}, {"status"}, {"archive", "mem_userpref0001", "--reason", "x"}, {"log", "--verify"}, {"reindex"}, {"show", "mem_victim"},
			}[:size(5, 11)] {
				stdout, stderr, code := ends(t, exe, p.ws, args...)
				if code != 0 && !strings.Contains(stderr, "memory: ") && code != 3 {
					t.Errorf("%v: exit code %d and no message: %s", args, code, stderr)
				}
				if strings.Contains(stderr, "goroutine ") {
					t.Errorf("%v: %s", args, stderr)
				}
				if strings.ContainsAny(stdout+stderr, "\x1b\a") {
					t.Errorf("%v writes control characters: %q%q", args, stdout, stderr)
				}
				if diff := cmp.Diff(outside, things(t, p.outside)); diff != "" {
					t.Fatalf("%v touched what is outside:\n%s\n%s%s", args, diff, stdout, stderr)
				}
				left := things(t, p.ws)
				for name, what := range odd {
					if left[name] != what && !setAside(left, name, what) {
						t.Fatalf("%v: %s is now %q, was %q\n%s%s", args, name, left[name], what, stdout, stderr)
					}
				}
			}
		})
	}
}

// setAside reports whether what stood in the place of one of our own files was
// moved to ops/conflicts as it was.
func setAside(left map[string]string, name, what string) bool {
	for at, is := range left {
		if strings.HasPrefix(name, "/ops/") && strings.HasPrefix(at, "/ops/conflicts/") && strings.HasSuffix(at, name) && is == what {
			return true
		}
	}
	return false
}

// ends runs a command, which must not hang.
func ends(t *testing.T, exe, dir string, args ...string) (stdout, stderr string, code int) {
	t.Helper()
	ctx, stop := context.WithTimeout(context.Background(), time.Minute)
	defer stop()
	cmd := exec.CommandContext(ctx, exe, args...)
	var out, errs bytes.Buffer
	cmd.Dir, cmd.Env, cmd.Stdout, cmd.Stderr = dir, after, &out, &errs
	err := cmd.Run()
	if ctx.Err() != nil {
		t.Fatalf("%v hangs", args)
	}
	var exit *exec.ExitError
	if err != nil && !errors.As(err, &exit) {
		t.Fatal(err)
	}
	return out.String(), errs.String(), cmd.ProcessState.ExitCode()
}

// things lists all below a directory: kind, size, number of names and when it was
// changed last, directories apart.
func things(t *testing.T, dir string) map[string]string {
	t.Helper()
	all := map[string]string{}
	err := filepath.WalkDir(dir, func(name string, d fs.DirEntry, err error) error {
		if err != nil || strings.Count(name, "/d/d/d/d") > 0 {
			return fs.SkipDir
		}
		info, err := d.Info()
		if err != nil {
			return err
		}
		var st unix.Stat_t
		if err := unix.Lstat(name, &st); err != nil {
			return err
		}
		what := fmt.Sprintf("%s %d bytes, nlink %d, inode %d, %s", info.Mode(), st.Size, st.Nlink, st.Ino, info.ModTime())
		if d.IsDir() {
			what = "directory"
			if filepath.Ext(name) == ".json" {
				what = "directory with the name of a file"
			}
		}
		all[strings.TrimPrefix(name, dir)] = what
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return all
}
