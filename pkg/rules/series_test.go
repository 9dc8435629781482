package rules

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/memoryd/memoryd/pkg/config"
	"github.com/memoryd/memoryd/pkg/memory"
	"github.com/memoryd/memoryd/pkg/review"
)

// seriesPlan plans for texts of one agent, the oldest first.
func seriesPlan(t *testing.T, kind string, waiting bool, texts ...string) *memory.Plan {
	t.Helper()
	at := time.Date(2026, 6, 1, 12, 0, 0, 0, time.UTC)
	var all []*memory.Memory
	for i, text := range texts {
		born := at.AddDate(0, 0, i-60).Format(time.RFC3339)
		m, err := memory.OneRecord(fmt.Sprintf("agents/A/m%d.json", i), fmt.Appendf(nil,
			`{"id":"m%d","type":%q,"created_by":"A","created_at":%q,"updated_at":%q,"last_accessed":%q,"access_count":1,"tags":["x"],"content":%q}`, i, kind, born, born, at.Format(time.RFC3339), text))
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, m)
	}
	snap := memory.NewSnapshot(at, all, nil)
	if waiting {
		snap.Review = memory.NewReviewQueue([]review.Pair{memory.NewPair(all[0], all[1], ReasonDistinct, nil, 1, 1)}, nil)
	}
	return Plan(snap, Request{Settings: config.Default()})
}

// Records of a template stay apart, and the plan names them once. Another value of the same subject is a question.
func TestSeries(t *testing.T) {
	for _, c := range []struct{ kind, template, values string }{
		{"semantic", "Node %s of the cluster in Graz runs the mail queue and the print queue.", "3 4 5 6"},
		{"semantic", "Ticket OPS-%s: the router was restarted %s times by the engineer on call.", "101/3 117/4 130/9"},
		{"semantic", "print-patrol\nPatrol report: Cycle %s: nobody at the press. All of it is quiet, no new mail.", "2 5 6 7"},
		{"semantic", "[2026-03-%s] Standup of the print team: %s open orders, nobody was ill.", "02/7 03/9 04/4"},
		{"episodic", "The nightly export wrote %s rows into the ledger of the shop.", "1217 1301 1188"},
		{"semantic", "Knoten %s des Clusters in Graz betreibt die Warteschlange für Post.", "3 4 5"},
		{"semantic", "id: job-%s\nowner: %s\nThe job copies the orders of the day into the warehouse of the shop.", "a17/mira b22/jonas c31/ines"},
	} {
		var texts []string
		for v := range strings.FieldsSeq(c.values) {
			args := []any{}
			for part := range strings.SplitSeq(v, "/") {
				args = append(args, part)
			}
			texts = append(texts, fmt.Sprintf(c.template, args...))
		}
		for _, waiting := range []bool{false, true} {
			plan := seriesPlan(t, c.kind, waiting, texts...)
			named := 0
			for _, sk := range plan.Skipped {
				if sk.Reason == ReasonSeries {
					named++
				}
			}
			decided := 0
			for _, a := range plan.Actions {
				if a.Type == "review" || a.Type == "merge" {
					t.Errorf("%s: %v", c.template, a.Action)
				}
				decided += len(a.Decisions)
			}
			if named != 1 && !waiting || waiting && decided != 1 {
				t.Errorf("%s, waiting %t: named %d times, %d questions withdrawn: %+v", c.template, waiting, named, decided, plan.Skipped)
			}
		}
	}
	for _, template := range []string{
		"The gateway of the shop in Graz listens on port %s since the last move.|8443|9443|7443",
		"The owner of the billing exporter in the shop of Graz is %s.|Tom|Ines|Mira",
		"The retention of the access logs of the shop is %s days by rule.|30|60|90",
		"The image of the scanner in the shop of Graz is built on version v%s.|1.2.0|1.3.0|1.4.1",
	} {
		values := strings.Split(template, "|")
		var texts []string
		for _, v := range values[1:] {
			texts = append(texts, fmt.Sprintf(values[0], v))
		}
		questions := 0
		for _, a := range seriesPlan(t, "semantic", false, texts...).Actions {
			if a.Type == "review" {
				questions++
				if len(a.Pairs) != 1 || a.Pairs[0].B != "m2" || a.Pairs[0].A != "m1" {
					t.Errorf("%s: not the newest against the one before: %+v", template, a.Pairs)
				}
			}
		}
		if questions != 1 {
			t.Errorf("%s: %d questions", template, questions)
		}
	}
}

// A series is found also where the plan is about some of its records only, whatever an earlier plan knew of those.
func TestSeriesBeyondTheRequest(t *testing.T) {
	at := time.Date(2026, 6, 1, 12, 0, 0, 0, time.UTC)
	var all []*memory.Memory
	for i := range 4 {
		born := at.AddDate(0, 0, i-60).Format(time.RFC3339)
		m, err := memory.OneRecord(fmt.Sprintf("agents/A/m%d.json", i), fmt.Appendf(nil,
			`{"id":"m%d","type":"semantic","created_by":"A","created_at":%q,"updated_at":%q,"last_accessed":%q,"access_count":1,"tags":["x"],"content":"Node %d of the cluster in Graz runs the mail queue and the print queue."}`, i, born, born, at.Format(time.RFC3339), i+3))
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, m)
	}
	memo := ReadMemo(nil)
	if plan := Plan(memory.NewSnapshot(at, all[:2], nil), Request{Settings: config.Default(), Memo: memo}); len(plan.Actions) != 1 {
		t.Fatalf("two records are a question: %+v", plan.Actions)
	}
	some := Request{Settings: config.Default(), Until: at.AddDate(0, 0, -58), Memo: ReadMemo(memo.Bytes())}
	if plan := Plan(memory.NewSnapshot(at, all, nil), some); len(plan.Actions) != 0 || len(plan.Skipped) != 1 || plan.Skipped[0].Reason != ReasonSeries {
		t.Errorf("%+v, %+v", plan.Actions, plan.Skipped)
	}
}
