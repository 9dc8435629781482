package rules_test

import (
	"errors"
	"fmt"
	"testing"

	"github.com/memoryd/memoryd/pkg/config"
	"github.com/memoryd/memoryd/pkg/memory"
	"github.com/memoryd/memoryd/pkg/rules"
	"github.com/memoryd/memoryd/pkg/workspace/storetest/random"
)

// Whoever plans is told how far it is, and may end it at any time.
func TestPlanEnds(t *testing.T) {
	for _, authors := range []int{1, 100} { // one large part, or many small ones
		var live []*memory.Memory
		for i := range 3000 {
			ms, err := memory.ParseRecords(fmt.Sprintf("global/%04d.json", i), fmt.Appendf(nil,
				`{"id":"m%d","type":"semantic","created_by":"a%d","created_at":"2025-01-01T00:00:00Z","tags":["t"],"content":"the number %d of %d is %d"}`, i, i%authors, i, i*i, i%7))
			if err != nil {
				t.Fatal(err)
			}
			live = append(live, ms...)
		}
		snap, told, most := memory.NewSnapshot(random.At, live, nil), 0, 0
		request := rules.Request{Settings: config.Default()}
		request.Progress = func(done, total int) error {
			if done < most || done > total {
				t.Errorf("%d of %d after %d", done, total, most)
			}
			most = done
			told++
			return nil
		}
		plan, err := rules.PlanWithProgress(snap, request)
		if err != nil || plan == nil || told < 5 || most < 2000 {
			t.Fatalf("%d authors: told %d times, of %d at most; %v", authors, told, most, err)
		}
		stop := errors.New("stop")
		for after := range told {
			request.Progress = func(int, int) error {
				if after--; after < 0 {
					return stop
				}
				return nil
			}
			if plan, err := rules.PlanWithProgress(snap, request); plan != nil || !errors.Is(err, stop) {
				t.Fatalf("%d authors: %v, %v", authors, plan, err)
			}
		}
	}
}
