package workspace

import (
	"encoding/hex"
	"strings"

	"github.com/memoryd/memoryd/pkg/internal/durable"
	"github.com/memoryd/memoryd/pkg/internal/jsonedit"
	"github.com/memoryd/memoryd/pkg/workspace/internal/seenfile"
)

func loadSeen(root durable.FS) *seenfile.Notes {
	doc, _, err := root.Read(SeenFile, jsonedit.MaxSize)
	if err != nil {
		return &seenfile.Notes{}
	}
	return seenfile.Read(doc)
}

// sighting is what is noted of a memory that a run has seen: with the same checksum, the
// fingerprint needn't be made again to be known for the same.
func sighting(m *Memory, before string) string {
	if noted(m, before) {
		return before
	}
	return shortChecksum(m) + "." + m.Fingerprint()
}

// noted reports whether before was noted of the very bytes.
func noted(m *Memory, before string) bool {
	sum, _, ok := strings.Cut(before, ".")
	return ok && sum == shortChecksum(m)
}

// shortChecksum is half of a memory's checksum, which is enough to compare it with one other.
func shortChecksum(m *Memory) string {
	sum := m.Checksum()
	return hex.EncodeToString(sum[:8])
}

// editedSince reports whether a memory's text or tags differ from what was noted, which
// may be a fingerprint alone: so earlier versions noted it.
func editedSince(m *Memory, noted string) bool {
	sum, print, ok := strings.Cut(noted, ".")
	if !ok {
		print = noted
	}
	return (!ok || sum != shortChecksum(m)) && print != m.Fingerprint()
}
