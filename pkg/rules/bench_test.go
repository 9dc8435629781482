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
		m := snap.Memories[i%len(snap.Memories)]
		turn := i / len(snap.Memories)
		to := filepath.Join(dir, "agents", fmt.Sprintf("A-%03d-%s", turn, workspace.FileName(m.Scope.String())))
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

// BenchmarkPlan measures reading 10,000 memories and planning a run over them,
// from nothing, and reports how many times the floor that is.
func BenchmarkPlan(b *testing.B) {
	dir := manyMemories(b, 10_000)
	s, err := workspace.Open(dir)
	if err != nil {
		b.Fatal(err)
	}
	defer s.Close()
	at := benchAt(b)
	var floor, plan time.Duration
	for b.Loop() {
		start := time.Now()
		if _, err := readAll(dir); err != nil {
			b.Fatal(err)
		}
		floor += time.Since(start)
		start = time.Now()
		snap, err := s.Load(at)
		if err != nil {
			b.Fatal(err)
		}
		if rules.Plan(snap, rules.Request{Settings: config.Default()}).Empty() {
			b.Fatal("nothing to plan")
		}
		plan += time.Since(start)
	}
	b.ReportMetric(float64(plan.Milliseconds())/float64(b.N), "plan-ms/op")
	b.ReportMetric(float64(floor.Milliseconds())/float64(b.N), "floor-ms/op")
	b.ReportMetric(float64(plan)/float64(floor), "ratio")
}
