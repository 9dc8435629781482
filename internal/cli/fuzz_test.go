package cli

import (
	"bytes"
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/memoryd/memoryd/fixtures"
	"github.com/memoryd/memoryd/internal/fail"
	"github.com/memoryd/memoryd/internal/op/planfile"
	"github.com/memoryd/memoryd/internal/printer"
	"github.com/memoryd/memoryd/pkg/memory"
	"github.com/memoryd/memoryd/pkg/oplog"
	"github.com/memoryd/memoryd/pkg/rules"
)

// in runs a command in this process, in a directory.
func in(dir string, args ...string) (code int, stdout, stderr string) {
	var out, errs bytes.Buffer
	code = Run(context.Background(), Process{
		Args: append([]string{"memory"}, args...), Dir: dir, Stdin: strings.NewReader(""), Stdout: &out, Stderr: &errs,
	})
	return code, out.String(), errs.String()
}

// FuzzPlanFile reads any file as a plan: it is refused with a reason, or what it
// lists can be printed, counted and compared with a plan that was made here.
func FuzzPlanFile(f *testing.F) {
	dir := f.TempDir()
	if err := fixtures.CopyTo(dir, fixtures.Small); err != nil {
		f.Fatal(err)
	}
	made := filepath.Join(f.TempDir(), "plan.json")
	if code, _, stderr := in(dir, "plan", "--at", fixtures.At, "--out", made, "--quiet"); code != 0 {
		f.Fatal(stderr)
	}
	text, err := os.ReadFile(made)
	if err != nil {
		f.Fatal(err)
	}
	f.Add(text)
	f.Add(bytes.ReplaceAll(text, []byte(`"merge"`), []byte(`"archive"`)))
	f.Add([]byte(`{"run_id":"run_x","at":"9999-12-31T23:59:59-12:00","trigger":"manual","scope":"all","actions":[{"type":"merge","rule":"","source_ids":[""]}],"skipped":[],"deferred":[],"stats":{}}`))
	f.Add([]byte(`{"actions":null}`))
	listed, _, err := planfile.Parse(text)
	if err != nil {
		f.Fatal(err)
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		doc, at, err := planfile.Parse(text)
		if err != nil {
			if err.Error() == "" || doc != nil {
				t.Fatalf("%v %+v", err, doc)
			}
			return
		}
		if at.Location() != time.UTC {
			t.Fatalf("%q is read as %v", doc.At, at)
		}
		plan := &memory.Plan{}
		for _, a := range listed.Actions {
			plan.Actions = append(plan.Actions, memory.Action{Action: a})
		}
		stale := planfile.KeepListed(plan, doc.Actions)
		if len(stale)+len(plan.Actions) != len(doc.Actions) {
			t.Fatalf("%d listed, %d kept, %d stale", len(doc.Actions), len(plan.Actions), len(stale))
		}
		request := rules.Request{}
		if err := planfile.Request(&request, doc, false); err == nil && request.Settings.Run.Limit < 0 {
			t.Fatalf("the limit is %d", request.Settings.Run.Limit)
		}
		for i := range stale {
			printer.ActionHead(&stale[i])
			(&memory.Action{Action: stale[i]}).Members()
		}
		again := &memory.Plan{}
		for _, a := range doc.Actions {
			again.Actions = append(again.Actions, memory.Action{Action: a})
		}
		if left := planfile.KeepListed(again, append([]oplog.Action{}, doc.Actions...)); len(left) != 0 {
			t.Fatalf("a plan is not as it is listed: %+v", left)
		}
	})
}

// FuzzAt runs commands as of any moment: it is refused as misuse, or a memory can
// be written then, and the workspace is clean.
func FuzzAt(f *testing.F) {
	for _, seed := range []string{
		fixtures.At, "9999-12-31T23:59:59-12:00", "0000-01-01T00:00:00+12:00", "0001-01-01T00:00:00Z", "2026-12-31T23:59:60Z", "2026-03-01", "-1", "2026-03-01T09:00:00.5+23:59", "\x00", "",
	} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, at string) {
		dir := t.TempDir()
		if err := os.WriteFile(filepath.Join(dir, memory.ConfigFile), nil, 0o644); err != nil {
			t.Fatal(err)
		}
		code, _, stderr := in(dir, "add", "--workspace", dir, "--at", at, "--id", "m", "--type", "working", "--text", "x")
		switch {
		case code == fail.ExitUsage && strings.Contains(stderr, "--at"):
			return
		case code != fail.ExitDone:
			t.Fatalf("%q: exit code %d: %s", at, code, stderr)
		}
		for _, args := range [][]string{{"plan"}, {"archive", "m", "--reason", "old"}, {"log", "--verify"}, {"check"}} {
			if code, stdout, stderr := in(dir, append(args, "--workspace", dir, "--at", at)...); code != fail.ExitDone {
				t.Fatalf("%q: %v: exit code %d: %s%s", at, args, code, stdout, stderr)
			}
		}
	})
}
