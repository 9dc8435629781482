package workspace

import (
	"io/fs"
	"testing"

	"github.com/memoryd/memoryd/pkg/internal/durable"
)

// noFsync is the disk as it would be without durability.
type noFsync struct{ durable.FS }

func (f noFsync) Create(name string, data []byte, mode fs.FileMode) (durable.File, error) {
	file, err := f.FS.Create(name, data, mode)
	return unsynced{file}, err
}

func (noFsync) SyncDir(string) error { return nil }

// BenchmarkRun merges 25 pairs, 50 memories, in one run, with and without fsync.
func BenchmarkRun(b *testing.B) {
	for _, with := range []struct {
		name string
		seam func(durable.FS) durable.FS
	}{
		{"durable", plain},
		{"no fsync", func(f durable.FS) durable.FS { return noFsync{f} }},
	} {
		b.Run(with.name, func(b *testing.B) {
			for b.Loop() {
				b.StopTimer()
				dir := b.TempDir()
				s, err := Open(dir)
				if err != nil {
					b.Fatal(err)
				}
				for name, text := range memories("agents/a", 50) {
					if _, err := durable.MkdirAll(s.root, "agents/a"); err != nil {
						b.Fatal(err)
					}
					if err := durable.Write(s.root, name, []byte(text), 0o644); err != nil {
						b.Fatal(err)
					}
				}
				s.root = with.seam(s.root)
				b.StartTimer()
				if err := merges("a", 25)(s); err != nil {
					b.Fatal(err)
				}
				b.StopTimer()
				if err := s.Close(); err != nil {
					b.Fatal(err)
				}
				b.StartTimer()
			}
		})
	}
}
