package rules

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/memoryd/memoryd/pkg/config"
	"github.com/memoryd/memoryd/pkg/similarity"
	"github.com/memoryd/memoryd/pkg/workspace"
)

// What plans find of texts and tags is known to later ones, of the memories that stay, wherever these stand by then.
func TestTextsAndTagsStayKnown(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 0))
	req := Request{Settings: config.Default()}
	drawn := func(i int) *workspace.Memory {
		record := fmt.Sprintf(`{"id":"m%d","type":"semantic","tags":["a","b%d"],"content":"The queue of the shop is drained by the operators on day %d before anybody restarts it."}`, i, r.IntN(3), r.IntN(30))
		ms, err := workspace.ParseRecords(fmt.Sprintf("agents/A-1/%03d.json", i), []byte(record))
		if err != nil || len(ms) != 1 {
			t.Fatalf("%d records, %v", len(ms), err)
		}
		return ms[0]
	}
	var live []*workspace.Memory
	for i := range 300 {
		live = append(live, drawn(i))
	}
	last := workspace.NewSnapshot(clock(r), live, nil)
	_, found, err := PlanKnowing(last, req, nil)
	if err != nil {
		t.Fatal(err)
	}
	for round := range 4 {
		var next []*workspace.Memory
		for i, m := range live {
			switch m := *m; r.IntN(30) {
			case 0: // gone
			case 1:
				next = append(next, drawn(i))
			default:
				next = append(next, &m)
			}
		}
		s := workspace.NewSnapshot(last.At, next, nil)
		s.Follow(last.Rows())
		before := found.Bytes()
		p := newPlanner(s, req)
		p.keeps = true
		p.cover(before)
		sketches, sets := 0, 0
		for k := range int32(len(p.places)) {
			m := p.at(k)
			if known := p.sketchOf(k); known != nil {
				if sketches++; *known != p.features(k).Sketch() {
					t.Fatalf("round %d: the sketch of %s is that of another text", round, m.Raw())
				}
			}
			if known := p.tagBit(p.places[k]); known != 0 {
				if sets++; known != bitsOf(similarity.AppendTagHashes(nil, m.Tags)) {
					t.Fatalf("round %d: the tags of %s are those of another memory", round, m.Raw())
				}
			}
		}
		if stay := len(next) * 8 / 10; sketches < stay || sets < stay {
			t.Errorf("round %d: %d texts and %d sets of tags are known of %d memories", round, sketches, sets, len(next))
		}
		if _, found, err = PlanKnowing(s, req, before); err != nil {
			t.Fatal(err)
		}
		live, last = next, s
	}
}
