package archive_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/memoryd/memoryd/pkg/archive"
	"github.com/memoryd/memoryd/pkg/workspace/storetest/random"
)

// What promotion has spread is taken back, with what was made of it; what layers have made of a memory in its own scope is no spreading, but what rose
// from there to a wider scope is.
func TestDemote(t *testing.T) {
	files := map[string]string{}
	for _, m := range []struct{ file, from string }{
		{"agents/DEV-001/own", ""},
		{"teams/dev/copy", "own"},      // promoted
		{"teams/dev/fact", "copy"},     // of layers, from what was promoted
		{"global/all", "fact"},         // promoted
		{"teams/dev/working", ""},      // the team's own
		{"teams/dev/rose", "working"},  // of layers
		{"global/spread", "rose"},      // promoted
		{"teams/dev/adopted", "other"}, // whose original isn't here
	} {
		id := m.file[strings.LastIndexByte(m.file, '/')+1:]
		from := ""
		if m.from != "" {
			from = fmt.Sprintf(`, "promoted_from": "mem_%s"`, m.from)
		}
		files[m.file+".json"] = fmt.Sprintf(`{"id": "mem_%s", "type": "semantic", "created_at": "2026-01-01T00:00:00Z", "content": "About %s."%s}`, id, id, from)
	}
	s := open(t, t.TempDir(), files)
	defer func() { _ = s.Close() }()
	snap, err := s.Load(random.At)
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct{ id, want string }{
		{"own", "copy fact all"}, {"copy", "copy fact all"}, {"fact", "all"}, {"all", "all"},
		{"working", "spread"}, {"rose", "spread"}, {"spread", "spread"}, {"adopted", "adopted"},
	} {
		actions, _, err := archive.Demote(snap, "mem_"+c.id)
		var got []string
		for _, a := range actions {
			got = append(got, strings.TrimPrefix(a.MemoryID, "mem_"))
		}
		if err != nil || !slices.Equal(got, strings.Fields(c.want)) {
			t.Errorf("demote %s takes back %v, want %s: %v", c.id, got, c.want, err)
		}
	}
	delete(files, "global/spread.json")
	plain := open(t, t.TempDir(), files)
	defer func() { _ = plain.Close() }()
	if snap, err = plain.Load(random.At); err != nil {
		t.Fatal(err)
	}
	if actions, _, err := archive.Demote(snap, "mem_working"); err == nil {
		t.Errorf("a layer within a team is taken back: %+v", actions)
	}
}
