package retention_test

import (
	"fmt"
	"math"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/memoryd/memoryd/pkg/config"
	"github.com/memoryd/memoryd/pkg/memory"
	"github.com/memoryd/memoryd/pkg/retention"
)

var at = time.Date(2026, 3, 1, 9, 0, 0, 0, time.UTC)

func ago(days float64) string {
	return at.Add(-time.Duration(days * 24 * float64(time.Hour))).Format(time.RFC3339)
}

func record(t interface{ Fatal(...any) }, members string) *memory.Memory {
	if members != "" {
		members = "," + members
	}
	ms, err := memory.ParseRecords("global/m.json", []byte(`{"id":"m","content":"x"`+members+`}`))
	if err != nil || len(ms) != 1 {
		t.Fatal(len(ms), err)
	}
	return ms[0]
}

func preset(t interface{ Fatal(...any) }, name string) config.Settings {
	c, err := config.Parse("memory.toml", []byte(fmt.Sprintf("preset = %q", name)))
	if err != nil {
		t.Fatal(err)
	}
	return c.Settings
}

// The numbers are worked out by hand from the formulas in doc.go.
func TestOf(t *testing.T) {
	for _, tt := range []struct {
		name, preset, members string
		score                 float64
		tier                  retention.Tier
	}{
		{"new", "seed", `"created_at":"` + ago(0) + `"`, .4 + .2, retention.Hot},
		{"a half-life old", "seed", `"created_at":"` + ago(30) + `"`, .2 + .2, retention.Warm},
		{"two half-lives old", "seed", `"created_at":"` + ago(60) + `"`, .1 + .2, retention.Warm},
		{"a year old", "seed", `"created_at":"` + ago(360) + `"`, .4/4096 + .2, retention.Cold},
		{"no date", "seed", ``, .2, retention.Cold},
		{"of the future", "seed", `"created_at":"` + ago(-9) + `"`, .6, retention.Hot},
		{"unimportant, no date", "seed", `"importance":0.2`, .08, retention.Archived},
		{"read as often as counts", "seed", `"access_count":20`, .2 + .2, retention.Warm},
		{"read more often", "seed", `"access_count":9223372036854775807`, .2 + .2, retention.Warm},
		{"read thrice", "seed", `"access_count":3`, .2*math.Log(4)/math.Log(21) + .2, retention.Cold},
		{"read lately", "seed", `"created_at":"` + ago(900) + `","last_accessed":"` + ago(30) + `"`, .2 + .2, retention.Warm},
		{"changed lately", "seed", `"created_at":"` + ago(900) + `","updated_at":"` + ago(30) + `"`, .2 + .2, retention.Warm},
		{"shortened lately", "seed", `"created_at":"` + ago(300) + `","updated_at":"` + ago(0) + `","tags":["summarized"]`, .4/1024 + .2, retention.Cold},
		{"superseded", "seed", `"created_at":"` + ago(0) + `","superseded_by":"n"`, .12, retention.Cold},
		{"superseded in part", "seed", `"created_at":"` + ago(0) + `","superseded_by":"n","superseded_kind":"partial"`, .7 * .6, retention.Warm},
		{"in part, but by nothing", "seed", `"created_at":"` + ago(0) + `","superseded_kind":"partial"`, .6, retention.Hot},
		{"critical, ancient", "seed", `"created_at":"1990-01-01","priority":"critical"`, .4, retention.Warm},
		{"permanent, ancient", "seed", `"created_at":"1990-01-01","tags":["Permanent "],"importance":0`, .4, retention.Warm},
		{"decision, ancient", "seed", `"created_at":"1990-01-01","type":"semantic","subtype":"decision"`, .36, retention.Warm},
		{"high, ancient", "seed", `"created_at":"1990-01-01","priority":"high","importance":0.1`, .32, retention.Warm},
		{"low, ancient", "seed", `"created_at":"1990-01-01","priority":"low"`, .08, retention.Archived},
		{"importance out of range", "seed", `"importance":7`, .4, retention.Warm},
		{"importance below", "seed", `"importance":-7`, 0, retention.Archived},

		{"subcog: new", "subcog", `"created_at":"` + ago(0) + `"`, .3 + .15, retention.Warm},
		{"subcog: decision", "subcog", `"created_at":"` + ago(14) + `","subtype":"Decisions","access_count":12,"importance":0.7`, .15 + .3*(math.Log(12)+1)/5 + .3*.8, retention.Warm},
		{"subcog: reads don't make it younger", "subcog", `"created_at":"` + ago(140) + `","last_accessed":"` + ago(0) + `"`, .3/1024 + .15, retention.Archived},
		{"subcog: superseded", "subcog", `"created_at":"` + ago(0) + `","superseded_by":["n"]`, .3 * (.3 + .15 - .07), retention.Archived},
		{"subcog: superseded in part", "subcog", `"created_at":"` + ago(0) + `","superseded_by":["n"],"superseded_kind":"partial"`, .7 * (.3 + .15 - .07), retention.Cold},
		{"subcog: never below 0", "subcog", `"superseded_by":["n"],"importance":-1,"subtype":"observation"`, 0, retention.Archived},
	} {
		got := retention.Of(record(t, tt.members), at, preset(t, tt.preset))
		if math.Abs(got.Score-tt.score) > 1e-9 || got.Tier != tt.tier {
			t.Errorf("%s: %.6f %s, want %.6f %s", tt.name, got.Score, got.Tier, tt.score, tt.tier)
		}
	}
}

func TestProperties(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s := preset(t, rapid.SampledFrom(config.Presets()).Draw(t, "preset"))
		date := func(name string) string {
			return fmt.Sprintf(`,%q:%q`, name, ago(rapid.Float64Range(-10, 3000).Draw(t, name)))
		}
		members := `"type":"semantic"`
		if rapid.Bool().Draw(t, "dated") {
			members += date("created_at") + date("updated_at") + date("last_accessed")
		}
		members += rapid.SampledFrom([]string{"", `,"priority":"high"`, `,"priority":"low"`, `,"tags":["protected"]`, `,"subtype":"decision"`}).Draw(t, "least")
		superseded := rapid.Bool().Draw(t, "superseded")
		if superseded {
			members += `,"superseded_by":"n"`
		}
		reads, importance := rapid.Int64Range(0, 1e6).Draw(t, "reads"), rapid.Float64Range(-1, 2).Draw(t, "importance")
		of := func(reads int64, importance float64, days float64) retention.Score {
			m := record(t, fmt.Sprintf(`%s,"access_count":%d,"importance":%f`, members, reads, importance))
			return retention.Of(m, at.Add(time.Duration(days*24*float64(time.Hour))), s)
		}
		score := of(reads, importance, 0)
		if score != of(reads, importance, 0) {
			t.Fatal("computed again, it differs")
		}
		if later := of(reads, importance, rapid.Float64Range(0, 5000).Draw(t, "days")); later.Score > score.Score {
			t.Fatalf("time alone made %+v of %+v", later, score)
		}
		if more := of(reads+1, importance, 0); more.Score < score.Score {
			t.Fatalf("a read made %+v of %+v", more, score)
		}
		if more := of(reads, importance+.1, 0); more.Score < score.Score {
			t.Fatalf("importance made %+v of %+v", more, score)
		}
		for _, part := range []float64{score.Score, score.Recency, score.Activation, score.Importance} {
			if !(part >= 0 && part <= 1) {
				t.Fatalf("out of range: %+v", score)
			}
		}
		if floor := s.Retention.ImportanceWeight * score.Importance; !superseded && score.Score < floor {
			t.Fatalf("%+v is below %f", score, floor)
		}
	})
}

func TestTierNames(t *testing.T) {
	for _, tier := range retention.Tiers() {
		text, err := tier.MarshalText()
		if err != nil {
			t.Fatal(err)
		}
		var back retention.Tier
		if err := back.UnmarshalText(text); err != nil || back != tier {
			t.Errorf("%s reads back as %s, %v", text, back, err)
		}
	}
	if _, err := retention.ParseTier("tepid"); err == nil {
		t.Error("tepid is a tier")
	}
	if got := retention.Tier(9).String(); got != "tier 9" {
		t.Error(got)
	}
}
