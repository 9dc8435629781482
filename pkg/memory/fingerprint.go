package memory

import (
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"strconv"
	"strings"
	"sync/atomic"

	"github.com/memoryd/memoryd/pkg/indexfile"
	"github.com/memoryd/memoryd/pkg/internal/jsonedit"
)

// Derive sets what is derived of the record's bytes: what of appends.
func (m *Memory) Derive(of func([]byte, *Memory) []byte) { m.derived = of(nil, m) }

// Fingerprint identifies what a memory says: its kind, tags and content, not its
// counters and times. It is computed once.
func (m *Memory) Fingerprint() string {
	print := atomic.LoadUint64(&m.print)
	if print == 0 {
		print = fingerprint(m)
		atomic.StoreUint64(&m.print, print)
	}
	var bytes [8]byte
	binary.BigEndian.PutUint64(bytes[:], print)
	return hex.EncodeToString(bytes[:])
}

// KnownFingerprint is the number that Fingerprint writes, if it has been asked for; else
// zero.
func (m *Memory) KnownFingerprint() uint64 { return atomic.LoadUint64(&m.print) }

// KnowFingerprint sets the number that Fingerprint writes, as an earlier one computed
// it from the same bytes.
func (m *Memory) KnowFingerprint(print uint64) { atomic.StoreUint64(&m.print, print) }

// fingerprint identifies what a memory says: its kind, tags and content, not its
// counters and times.
func fingerprint(m *Memory) uint64 {
	sum := sha256.Sum256(fingerprinted(m))
	return binary.BigEndian.Uint64(sum[:])
}

// ContentDigest identifies what was judged of a memory: its scope and all that Fingerprint
// looks at, as a SHA-256 in hex. Judgements hold while it stays the same.
func (m *Memory) ContentDigest() string {
	return string(DigestOf(strconv.AppendQuote(fingerprinted(m), m.Scope.String())))
}

// EditDigest identifies a record but for its counts of reads: it changes with each edit, and with nothing that reading does.
func (m *Memory) EditDigest() Digest {
	raw := m.Raw()
	for _, key := range []string{"access_count", "last_accessed"} {
		if next, err := DropField(raw, key); err == nil {
			raw = next
		}
	}
	return DigestOf(jsonedit.Compact(raw))
}

// fingerprinted is what a memory says, in a form in which equals are equal.
func fingerprinted(m *Memory) []byte {
	b := m.read()
	content := b.value().Raw
	text := make([]byte, 0, 256+len(content))
	text = append(strconv.AppendQuote(text, m.Type), ' ')
	text = append(strconv.AppendQuote(text, m.Subtype), " ["...)
	for i, tag := range indexfile.NormalTags(m.Tags) {
		if i > 0 {
			text = append(text, ' ')
		}
		text = strconv.AppendQuote(text, tag)
	}
	text = append(strconv.AppendQuote(append(text, "] "...), parse(b.raw).Get("title").Raw), ' ')
	return jsonedit.AppendCompact(text, viewBytes(content))
}

// SeenNote is what a run notes of a memory that it has seen: half of its checksum and its
// fingerprint. With the same checksum as before, the fingerprint needn't be computed again.
func (m *Memory) SeenNote(before string) string {
	if m.SeenAs(before) {
		return before
	}
	return m.shortChecksum() + "." + m.Fingerprint()
}

// SeenAs reports whether before was noted of the very bytes.
func (m *Memory) SeenAs(before string) bool {
	sum, _, ok := strings.Cut(before, ".")
	return ok && sum == m.shortChecksum()
}

func (m *Memory) shortChecksum() string { return hex.EncodeToString(m.checksum[:8]) }

// EditedSince reports whether a memory's text or tags differ from what was noted. Older
// versions noted a fingerprint alone.
func (m *Memory) EditedSince(noted string) bool {
	sum, print, ok := strings.Cut(noted, ".")
	if !ok {
		print = noted
	}
	return (!ok || sum != m.shortChecksum()) && print != m.Fingerprint()
}
