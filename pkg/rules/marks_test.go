package rules

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/memoryd/memoryd/pkg/config"
	"github.com/memoryd/memoryd/pkg/review"
	"github.com/memoryd/memoryd/pkg/workspace"
)

// oneOf draws from some values.
func oneOf[T any](r *rand.Rand, of ...T) T { return of[r.IntN(len(of))] }

// clock draws when a plan is made.
func clock(r *rand.Rand) time.Time {
	return time.Date(2026, 3, 30+r.IntN(2), 12, 0, 0, 0, time.UTC).Add(oneOf(r, 0, 0, 1, time.Second, time.Hour))
}

// drawnMoment is one at which traits may change, or a little beside it; zero for none.
func drawnMoment(r *rand.Rand, set *config.Settings) time.Time {
	from := clock(r)
	limit := oneOf(r, set.Exclude.MinAge, set.Archive.UnreadAfter, set.Archive.IdleAfter, set.Summarise.MinAge, config.Duration{}).Before(from)
	at := oneOf(r, limit, limit, limit, limit, time.Time{}, time.Unix(0, 0), time.Unix(-1, 0), time.Date(2400, 1, 1, 0, 0, 0, 0, time.UTC))
	if at.IsZero() {
		return at
	}
	return at.Add(oneOf[time.Duration](r, -1, 0, 1))
}

func drawnFor(t *testing.T, r *rand.Rand, i int, set *config.Settings) *workspace.Memory {
	var record strings.Builder
	fmt.Fprintf(&record, `{"id":"m%d","type":%q,"access_count":%d,"content":{"details":%q}`, i-r.IntN(100)/99,
		oneOf(r, "semantic", "episodic", "procedural"), oneOf(r, 0, 0, 1, 5, 50), strings.Repeat("a", oneOf(r, 1, 5000)))
	for _, key := range []string{"created_at", "updated_at", "last_accessed"} {
		if at := drawnMoment(r, set); !at.IsZero() {
			fmt.Fprintf(&record, `,%q:%q`, key, at.Format(time.RFC3339Nano))
		}
	}
	record.WriteString(oneOf(r, "", "", "", "", "", "", "", "", "",
		`,"priority":"critical"`, `,"protected":true`, `,"created_by":"USER"`, `,"promoted_to":["m1"]`, `,"tags":["permanent"]`, `,"tags":["x"]`, `,"subtype":"Decision"`))
	ms, err := workspace.ParseRecords(fmt.Sprintf("agents/A-1/%03d.json", i), []byte(record.String()+"}"))
	if err != nil || len(ms) != 1 {
		t.Fatalf("%s: %d records, %v", record.String(), len(ms), err)
	}
	return ms[0]
}

// Whatever the clock, the settings, the log and the review queue say: the traits that are
// told by marks are those of whoever looks at each memory, and so is what was put off.
func TestMarksTell(t *testing.T) {
	told, known := 0, 0
	for seed := range uint64(100) {
		r := rand.New(rand.NewPCG(seed, 0))
		req := Request{Settings: config.Default()}
		set := &req.Settings
		for days, d := range []*config.Duration{&set.Exclude.MinAge, &set.Summarise.MinAge, &set.Archive.UnreadAfter, &set.Archive.IdleAfter} {
			*d, _ = config.ParseDuration(fmt.Sprintf("%dd", 7+3*days))
		}
		var live []*workspace.Memory
		for i := range 1 + r.IntN(100) {
			live = append(live, drawnFor(t, r, i, set))
		}
		last := workspace.NewSnapshot(clock(r), live, nil)
		for i := range 2 * len(live) {
			if r.IntN(2) == 0 {
				last.Deferred = append(last.Deferred, fmt.Sprintf("m%d", i))
			}
		}
		_, found, err := PlanKnowing(last, req, nil)
		if err != nil {
			t.Fatal(err)
		}
		for range 3 {
			before := found.Bytes()
			switch r.IntN(10) {
			case 0:
				set.Exclude.Tags = append(set.Exclude.Tags, "x")
			case 1:
				set.Promote.TeamAccess = r.IntN(9)
			case 2:
				set.Archive.UnreadAfter = set.Exclude.MinAge
			}
			var next []*workspace.Memory
			for i, m := range live {
				m := *m
				m.AccessCount, m.Unfolded = m.AccessCount-m.Unfolded, 0
				switch r.IntN(20) {
				case 0: // gone
					continue
				case 1:
					m = *drawnFor(t, r, i, set)
				case 2:
					m.AccessCount, m.Unfolded = m.AccessCount+1, 1
				}
				next = append(next, &m)
			}
			s := workspace.NewSnapshot(clock(r), next, nil)
			if r.IntN(2) == 0 {
				s.Restored = map[string]time.Time{"m1": drawnMoment(r, set), "m2": drawnMoment(r, set), "m3": drawnMoment(r, set), "m4": drawnMoment(r, set)}
			}
			if r.IntN(5) == 0 {
				s.Review.Pairs = []review.Pair{{A: "m5", B: "m6", FlaggedAt: s.At.Truncate(time.Second)}}
			}
			s.Follow(last.Rows())
			if s.Deferred = last.Deferred; r.IntN(5) == 0 {
				s.Deferred = append(slices.Clone(s.Deferred[:len(s.Deferred)/2]), "m1")
			}
			anew, p := newPlanner(s, req).cover(nil), newPlanner(s, req)
			p.keeps = true
			p.cover(before)
			for i := range next {
				if anew.all[i] != p.all[i] {
					t.Fatalf("%d: at %s, %s: %05b by its marks, %05b", seed, s.At, next[i].Raw(), p.all[i], anew.all[i])
				}
			}
			if !slices.Equal(anew.places, p.places) || !slices.Equal(anew.late, p.late) {
				t.Fatalf("%d: of %v, deferred %x, without what is known %x", seed, s.Deferred, p.late, anew.late)
			}
			if bytes.HasPrefix(p.known.parts[partLate], p.deferredSum) {
				known++
			}
			tells := p.told()
			for i, row := range p.known.now {
				if row >= 0 {
					if _, ok := tells.traits(i, p.known.parts[partMarks][marksHead+row*markRow:][:markRow]); ok {
						told++
					}
				}
			}
			if _, found, err = PlanKnowing(s, req, before); err != nil {
				t.Fatal(err)
			}
			live, last = next, s
		}
	}
	if told < 1000 || known < 100 {
		t.Errorf("marks told the traits of %d memories, and what was put off was known of %d plans: next to nothing was tested", told, known)
	}
}
