package secrets

import (
	"bytes"
	"os"
	"testing"
)

func BenchmarkZZ(b *testing.B) {
	all, _ := os.ReadFile("/tmp/im/notes.jsonl")
	all = all[:4<<20]
	lines := bytes.Split(all, []byte("\n"))
	b.SetBytes(int64(len(all)))
	for b.Loop() {
		for _, l := range lines {
			Default().FindRecord(l)
		}
	}
}
