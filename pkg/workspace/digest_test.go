package workspace

import (
	"bytes"
	"os"
	"path/filepath"
	"testing"
)

// TestDigestOfWhatHasChanged: what a store knows from its cache only may have changed by the
// time somebody acts on it. Then it has no digest, and nothing is done to what stands there.
func TestDigestOfWhatHasChanged(t *testing.T) {
	w := newReusing(t, true)
	was := map[string]string{
		"agents/A/own.json": record("own", "as it was"),
		"team/many.json":    `{"memories": [` + record("first", "as it was") + `,` + record("second", "as it was") + `]}`,
	}
	for name, text := range was {
		w.write(t, name, text)
	}
	w.tick(t)
	w.same(t)
	for id, name := range map[string]string{"own": "agents/A/own.json", "second": "team/many.json"} {
		w.store.Close()
		w.open(t)
		snap, err := w.store.Load(day)
		if err != nil {
			t.Fatal(err)
		}
		w.write(t, name, string(bytes.ReplaceAll([]byte(was[name]), []byte("as it was"), []byte("edited")))) // after the load
		m := snap.Live(id)
		if m.Raw() != nil || m.Digest() != "" {
			t.Fatalf("%s: digest %q of %q, whose bytes are gone", id, m.Digest(), m.Raw())
		}
		res, err := w.store.Commit(t.Context(), &Tx{Snapshot: snap, Plan: Command(snap, "", Action{Ops: []Op{{
			Kind: Put, ID: id, Ref: m.Ref, Base: m.Digest(), Raw: []byte(record(id, "acted upon")),
		}}})})
		if err != nil || res.Applied != 0 || len(res.Skipped) != 1 || res.Skipped[0].Reason != ReasonChanged {
			t.Fatalf("%s: %+v, %v", id, res, err)
		}
		if now, err := os.ReadFile(filepath.Join(w.dir, name)); err != nil || !bytes.Contains(now, []byte("edited")) || bytes.Contains(now, []byte("acted upon")) {
			t.Fatalf("%s now reads %q, %v", name, now, err)
		}
		w.write(t, name, was[name])
	}
}
