package workspace

import (
	"bytes"
	"encoding/json"
	"sort"
	"strings"

	"github.com/memoryd/memoryd/pkg/internal/durable"
	"github.com/memoryd/memoryd/pkg/internal/jsonedit"
)

// ops/seen.json maps the id of every memory to what the last run looking at it left:
// the beginning of its digest and its fingerprint. From it the rules tell which
// memories were edited since. It may be deleted: then nothing counts as edited until
// the next run.

type seenFile struct {
	Version string            `json:"version"`
	Seen    map[string]string `json:"seen"`
}

func loadSeen(root durable.FS) map[string]string {
	doc, _, err := root.Read(SeenFile, jsonedit.MaxSize)
	if err != nil {
		return map[string]string{}
	}
	return parseSeen(doc)
}

// parseSeen reads the file; one that is broken says nothing.
func parseSeen(doc []byte) map[string]string {
	var f seenFile
	if json.Unmarshal(doc, &f) != nil || f.Seen == nil {
		return map[string]string{}
	}
	return f.Seen
}

// renderSeen writes one id per line, sorted, so that the file diffs well.
func renderSeen(seen map[string]string) []byte {
	ids := make([]string, 0, len(seen))
	for id := range seen {
		ids = append(ids, id)
	}
	sort.Strings(ids)
	var b bytes.Buffer
	b.WriteString("{\"version\":\"1.0.0\",\"seen\":{")
	for i, id := range ids {
		if i > 0 {
			b.WriteByte(',')
		}
		b.WriteByte('\n')
		b.Write(jsonedit.Quote(id))
		b.WriteByte(':')
		b.Write(jsonedit.Quote(seen[id]))
	}
	b.WriteString("\n}}\n")
	return b.Bytes()
}

// sighting is what is noted of a memory that a run has seen: with the same digest,
// the fingerprint needn't be made again to be known for the same.
func sighting(m *Memory, before string) string {
	if noted(m, before) {
		return before
	}
	return string(m.Digest()[:16]) + "." + m.Fingerprint()
}

// noted reports whether before was noted of the very bytes.
func noted(m *Memory, before string) bool {
	digest, _, ok := strings.Cut(before, ".")
	return ok && digest == string(m.Digest()[:16])
}

// editedSince reports whether a memory's text or tags differ from what was noted, which
// may be a fingerprint alone: so earlier versions noted it.
func editedSince(m *Memory, noted string) bool {
	digest, print, ok := strings.Cut(noted, ".")
	if !ok {
		digest, print = "", noted
	}
	return (digest == "" || digest != string(m.Digest()[:16])) && print != m.Fingerprint()
}
