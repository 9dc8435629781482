//go:build linux

package autostart

import (
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/memoryd/memoryd/internal/fail"
)

// machine is a home directory and a systemctl, which notes how it is called.
type machine struct {
	home, calls string
	steps       []Did
}

func newMachine(t *testing.T, systemctl string) *machine {
	t.Helper()
	m := &machine{home: t.TempDir()}
	bin := filepath.Join(m.home, "bin")
	m.calls = filepath.Join(m.home, "calls")
	if err := os.Mkdir(bin, 0o755); err != nil {
		t.Fatal(err)
	}
	if systemctl != "" {
		script := "#!/bin/sh\necho \"$2\" >> " + m.calls + "\n" + systemctl + "\n"
		if err := os.WriteFile(filepath.Join(bin, "systemctl"), []byte(script), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	t.Setenv("PATH", bin)
	return m
}

func (m *machine) service(t *testing.T) *Service {
	t.Helper()
	s, err := Find(Options{Workspace: filepath.Join(m.home, "ws"), Getenv: func(name string) string {
		return map[string]string{"HOME": m.home}[name]
	}})
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func (m *machine) change() Change {
	m.steps = nil
	return Change{Stamp: "now", Show: func(string) error { return nil }, Tell: func(s Step) { m.steps = append(m.steps, s.Did) }}
}

func (m *machine) called(t *testing.T) []string {
	t.Helper()
	text, err := os.ReadFile(m.calls)
	if err != nil && !errors.Is(err, os.ErrNotExist) {
		t.Fatal(err)
	}
	if err := os.WriteFile(m.calls, nil, 0o644); err != nil {
		t.Fatal(err)
	}
	return strings.Fields(string(text))
}

func TestInstallAndUninstall(t *testing.T) {
	m := newMachine(t, "")
	how := m.change()
	how.DryRun = true
	doc, err := m.service(t).Install(t.Context(), how)
	if err != nil || !doc.Changed || doc.Applied || !slices.Equal(m.steps, []Did{WouldChange, WouldRun, WouldRun, WouldRun}) {
		t.Fatalf("dry run: %+v, %v, %v", doc, m.steps, err)
	}
	if _, err := os.Stat(doc.File); !errors.Is(err, os.ErrNotExist) {
		t.Fatal("a dry run has written: ", err)
	}

	m = newMachine(t, ":")
	doc, err = m.service(t).Install(t.Context(), m.change())
	if err != nil || !doc.Applied || !slices.Equal(m.steps, []Did{Wrote, Ran, Ran, Ran}) || !slices.Equal(m.called(t), []string{"daemon-reload", "enable", "start"}) {
		t.Fatalf("%+v, %v, %v", doc, m.steps, err)
	}
	if doc, err = m.service(t).Install(t.Context(), m.change()); err != nil || doc.Changed || m.steps[0] != Unchanged {
		t.Fatalf("twice: %+v, %v, %v", doc, m.steps, err)
	}
	doc, err = m.service(t).Uninstall(t.Context(), m.change())
	if err != nil || doc.Installed || !slices.Equal(m.steps, []Did{Ran, Removed, Ran}) {
		t.Fatalf("%+v, %v, %v", doc, m.steps, err)
	}
	if _, err := m.service(t).Uninstall(t.Context(), m.change()); err != nil || !slices.Equal(m.steps, []Did{Absent}) {
		t.Fatalf("%v, %v", m.steps, err)
	}
}

// Where the program of the system is missing, the steps say what a person has to run; where it fails, the hint does.
func TestCommandsThatCannotRun(t *testing.T) {
	m := newMachine(t, "")
	doc, err := m.service(t).Install(t.Context(), m.change())
	if err != nil || !doc.Applied || !slices.Equal(m.steps, []Did{Wrote, Missing, ToRun, ToRun, ToRun}) {
		t.Fatalf("%+v, %v, %v", doc, m.steps, err)
	}
	m = newMachine(t, "echo no bus >&2; exit 1")
	doc, err = m.service(t).Install(t.Context(), m.change())
	if err == nil || !strings.HasSuffix(err.Error(), "daemon-reload: no bus") || !strings.Contains(fail.Hint(err), "run: systemctl --user daemon-reload && ") || !doc.Installed {
		t.Fatalf("%+v, %v, %q", doc, err, fail.Hint(err))
	}
}

// A file of that name that somebody else wrote stays, and so does everything after an error of showing the change.
func TestTheirs(t *testing.T) {
	m := newMachine(t, ":")
	how := m.change()
	how.Show = func(string) error { return os.ErrClosed }
	s := m.service(t)
	if _, err := s.Install(t.Context(), how); !errors.Is(err, os.ErrClosed) {
		t.Fatal(err)
	}
	if err := os.MkdirAll(filepath.Dir(s.File), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(s.File, []byte("[Unit]\n"), 0o644); err != nil { // and the one before was not written
		t.Fatal(err)
	}
	if _, err := m.service(t).Install(t.Context(), m.change()); err == nil || fail.Hint(err) == "" {
		t.Error(err)
	}
	if _, err := m.service(t).Uninstall(t.Context(), m.change()); err == nil {
		t.Error("removed")
	}
	if doc := m.service(t).Status(t.Context(), ""); !doc.Installed || doc.Ours {
		t.Errorf("%+v", doc)
	}
	if text, err := os.ReadFile(s.File); err != nil || string(text) != "[Unit]\n" || len(m.called(t)) != 1 { // the status was asked
		t.Errorf("%q, %v", text, err)
	}
}
