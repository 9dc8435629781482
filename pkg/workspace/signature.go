package workspace

import (
	"encoding/binary"
	"fmt"
	"hash/maphash"
	"path"

	"github.com/memoryd/memoryd/pkg/internal/durable"
	"github.com/memoryd/memoryd/pkg/internal/jsonedit"
)

// signatures compare within one process.
var signatures = maphash.MakeSeed()

// Signature digests what can be told of the files of a workspace, and of its
// settings, without reading one: names, identities, sizes and times. Equal ones of
// the same process mean that nothing has changed, but for an edit that keeps all of
// that, on a system that tells no time of change.
func (s *FileStore) Signature() (uint64, error) {
	entries, err := s.root.ReadDir(".")
	if err != nil {
		return 0, fmt.Errorf("look at workspace: %w", err)
	}
	var h maphash.Hash
	h.SetSeed(signatures)
	number := func(n int64) {
		var b [8]byte
		binary.LittleEndian.PutUint64(b[:], uint64(n))
		_, _ = h.Write(b[:]) // never fails
	}
	text := func(s string) {
		number(int64(len(s)))
		_, _ = h.WriteString(s)
	}
	file := func(name string, info durable.Info) {
		text(name)
		for _, n := range []int64{int64(info.ID.Device), int64(info.ID.Number), info.Size, info.ModTime.UnixNano(), info.ChangeTime.UnixNano()} {
			number(n)
		}
	}
	sc := newScanner(s.root, s.room)
	sc.entries("", entries, 0)
	for _, b := range sc.batches {
		text(b.dir)
		none := func(i int, _ []byte, _ durable.Info, err error) { text(b.names[i] + ": " + cause(err)) }
		err := s.root.ReadFiles(path.Clean(b.dir), b.names, jsonedit.MaxSize, func(i int, info durable.Info) bool {
			file(b.names[i], info)
			return true
		}, none)
		if err != nil { // it went, or was closed, since it was listed
			text(cause(err))
		}
	}
	for _, p := range sc.problems {
		text(p.File + ": " + p.Message)
	}
	if info, err := s.root.Stat(ConfigFile); err == nil {
		file(ConfigFile, info)
	}
	return h.Sum64(), nil
}
