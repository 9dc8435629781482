package rules_test

import (
	"bytes"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/tidwall/gjson"

	"github.com/memoryd/memoryd/fixtures"
	"github.com/memoryd/memoryd/pkg/config"
	"github.com/memoryd/memoryd/pkg/memory"
	"github.com/memoryd/memoryd/pkg/rules"
	"github.com/memoryd/memoryd/pkg/workspace"
)

// manyMemories writes n memories as one file each: those of the large sample
// workspace over and over, each copy in scopes of its own.
func manyMemories(b *testing.B, n int) string {
	b.Helper()
	dir := b.TempDir()
	large := b.TempDir()
	if err := fixtures.CopyTo(filepath.Join(large, "w"), fixtures.Large); err != nil {
		b.Fatal(err)
	}
	s, err := workspace.Open(filepath.Join(large, "w"))
	if err != nil {
		b.Fatal(err)
	}
	defer s.Close()
	snap, err := s.Load(benchAt(b))
	if err != nil {
		b.Fatal(err)
	}
	for i := range n {
		m := snap.Memories()[i%len(snap.Memories())]
		turn := i / len(snap.Memories())
		to := filepath.Join(dir, "agents", fmt.Sprintf("A-%03d-%s", turn, memory.FileName(m.Scope.String())))
		if err := os.MkdirAll(to, 0o755); err != nil {
			b.Fatal(err)
		}
		raw := bytes.Replace(m.Raw(), []byte(m.ID), fmt.Appendf(nil, "%s_%d", m.ID, turn), 1)
		for _, member := range []string{`"scope"`, `"scope_id"`} { // the path tells the scope
			raw = bytes.Replace(raw, []byte(member), []byte(`"was_`+strings.Trim(member, `"`)+`"`), 1)
		}
		if err := os.WriteFile(filepath.Join(to, fmt.Sprintf("%06d.json", i)), raw, 0o644); err != nil {
			b.Fatal(err)
		}
	}
	return dir
}

func benchAt(b *testing.B) time.Time {
	at, err := time.Parse(time.RFC3339, fixtures.At)
	if err != nil {
		b.Fatal(err)
	}
	return at
}

// readAll is the floor under planning: walk, read, one pass of gjson over the
// members of each file.
func readAll(dir string) (members int, err error) {
	err = filepath.WalkDir(dir, func(name string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		data, err := os.ReadFile(name)
		gjson.ParseBytes(data).ForEach(func(_, _ gjson.Result) bool { members++; return true })
		return err
	})
	return members, err
}

// statAll is the floor under a plan that knows all before: walk and stat.
func statAll(dir string) (files int, err error) {
	err = filepath.WalkDir(dir, func(_ string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		_, err = d.Info()
		files++
		return err
	})
	return files, err
}

// BenchmarkPlan measures reading 10,000 and 100,000 memories and planning a run over
// them, in three ways: from nothing; with the cache of an earlier plan
// and no change; and with that after 100 edits. It reports what planning takes of it,
// and how many times the floor it is that was measured between: reading all files and
// one pass over their members, or walking and describing them.
func BenchmarkPlan(b *testing.B) {
	for _, n := range []int{10_000, 100_000} {
		if testing.Short() && n > 10_000 {
			continue
		}
		dir := manyMemories(b, n)
		b.Run(fmt.Sprintf("%d/cold", n), func(b *testing.B) {
			benchPlan(b, dir, readAll, func(int) error { return os.RemoveAll(filepath.Join(dir, "ops", "cache")) })
		})
		b.Run(fmt.Sprintf("%d/warm", n), func(b *testing.B) {
			benchPlan(b, dir, statAll, func(int) error { return nil })
		})
		b.Run(fmt.Sprintf("%d/edits", n), func(b *testing.B) {
			benchPlan(b, dir, statAll, func(turn int) error { return edit(dir, 100, turn) })
		})
	}
}

// edit changes some files.
func edit(dir string, edits, turn int) error {
	var names []string
	err := filepath.WalkDir(filepath.Join(dir, "agents"), func(name string, d fs.DirEntry, err error) error {
		if err == nil && !d.IsDir() {
			names = append(names, name)
		}
		return err
	})
	for i := range edits {
		if err != nil {
			return err
		}
		name := names[(turn*edits+i)*7919%len(names)]
		var data []byte
		if data, err = os.ReadFile(name); err == nil {
			err = os.WriteFile(name, bytes.Replace(data, []byte(" the "), []byte(" that "), 1), 0o644)
		}
	}
	return err
}

func benchPlan(b *testing.B, dir string, floorOf func(dir string) (int, error), before func(turn int) error) {
	at := benchAt(b)
	var floor, total, planning time.Duration
	turn := 0
	run := func() {
		s, err := workspace.Open(dir)
		if err != nil {
			b.Fatal(err)
		}
		defer s.Close()
		s.Derive = workspace.Deriver{Version: "benchmark", Of: rules.Derive}
		start := time.Now()
		snap, err := s.Load(at)
		if err != nil {
			b.Fatal(err)
		}
		loaded := time.Now()
		if rules.Plan(snap, rules.Request{Settings: config.Default()}).Empty() {
			b.Fatal("nothing to plan")
		}
		total += time.Since(start)
		planning += time.Since(loaded)
		if err := s.Cache().SaveCatalog(); err != nil {
			b.Fatal(err)
		}
	}
	run()
	total, planning = 0, 0
	for b.Loop() {
		if err := before(turn); err != nil {
			b.Fatal(err)
		}
		turn++
		start := time.Now()
		if _, err := floorOf(dir); err != nil {
			b.Fatal(err)
		}
		floor += time.Since(start)
		run()
	}
	b.ReportMetric(float64(total.Microseconds())/1000/float64(b.N), "total-ms/op")
	b.ReportMetric(float64(planning.Microseconds())/1000/float64(b.N), "planning-ms/op")
	b.ReportMetric(float64(floor.Microseconds())/1000/float64(b.N), "floor-ms/op")
	b.ReportMetric(float64(total)/float64(floor), "ratio")
}
