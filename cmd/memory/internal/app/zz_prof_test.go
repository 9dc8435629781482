package app

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/memoryd/memoryd/pkg/foreign"
	"github.com/memoryd/memoryd/pkg/memory"
)

func BenchmarkZZ(b *testing.B) {
	dir := os.Getenv("ZZDIR")
	var files []foreign.File
	all, _ := filepath.Glob(dir + "/*")
	for _, f := range all {
		t, _ := os.ReadFile(f)
		files = append(files, foreign.File{Name: filepath.Base(f), Text: t})
	}
	for b.Loop() {
		records, _ := foreign.Read("", "s", "x", files)
		snap := memory.NewSnapshot(importedAt, nil, nil)
		_, items, err := Import(snap, records, importing())
		if err != nil {
			b.Fatal(err)
		}
		n := map[string]int{}
		for _, i := range items {
			n[i.Status]++
			if i.Status == Refused {
				b.Log(i.Place, i.Reason)
			}
		}
		b.Log(n)
	}
}
