package workspace

import (
	"context"
	"fmt"
	"testing"

	"github.com/memoryd/memoryd/pkg/internal/durable"
	"github.com/memoryd/memoryd/pkg/memory"
)

// BenchmarkSave writes one new memory next to 10,000 that stand in one index.
func BenchmarkSave(b *testing.B) {
	s, err := Open(b.TempDir())
	if err != nil {
		b.Fatal(err)
	}
	defer s.Close()
	if _, err := durable.MkdirAll(s.root, "agents/a"); err != nil {
		b.Fatal(err)
	}
	var files []durable.Staging
	for name, text := range memories("agents/a", 10_000) {
		files = append(files, durable.Staging{Name: name, Data: []byte(text)})
	}
	if err := durable.ForEachParallel(len(files), 1, func(i int) error { return files[i].Write(noFsync{s.root}) }); err != nil {
		b.Fatal(err)
	}
	snap, err := s.Load(day)
	if err != nil {
		b.Fatal(err)
	}
	n := 0
	for b.Loop() {
		n++
		a, err := memory.New(snap, memory.Draft{
			ID: fmt.Sprintf("new-%d", n), Type: memory.Semantic, Scope: memory.Scope{Kind: "agent", ID: "a"}, Tags: []string{"a", "b"}, CreatedBy: "a",
			Content: fmt.Appendf(nil, `{"title":"Note %d","details":"A text that is saved, number %d."}`, n, n),
		})
		if err != nil {
			b.Fatal(err)
		}
		result, err := s.Commit(context.Background(), &Tx{Plan: memory.Command(snap, "", a), Save: true})
		if err != nil {
			b.Fatal(err)
		}
		if snap = s.Reload(day, snap, result.Changed); snap == nil {
			b.Fatal("it is to be loaded")
		}
	}
}
