package similarity

import (
	"math"
	"slices"
	"testing"

	"pgregory.net/rapid"
)

func TestJudge(t *testing.T) {
	const rest = " Whoever is on duty looks at the queue each morning and tells the others what waits there."
	for _, c := range []struct {
		a, b string
		want Decision
	}{
		{"The port is 8080." + rest, "The port is 8080!" + rest, Merge},
		{"The port is 8080." + rest, "Their port is 8080." + rest, Merge},
		{"The port is 8080." + rest, "The port is 9090." + rest, Review},
		{"The port is 8080." + rest, "Something else entirely, with other words in it.", Separate},
		{"", "", Merge},
		{"", "a", Separate},
	} {
		got := Judge(Prepare(c.a), Prepare(c.b), 0.8)
		if got.Decision != c.want || (got.Differences != nil) != (c.want == Review) {
			t.Errorf("Judge(%q, %q) = %+v, want %s", c.a, c.b, got, c.want)
		}
	}
	if got := Judge(nil, nil, 0.8); got.Decision != Merge || got.Content != 1 {
		t.Errorf("nothing against nothing: %+v", got)
	}
	if got := Judge(nil, Prepare("5"), -1); got.Decision != Merge || got.Content != 0 {
		t.Errorf("nothing against a text, threshold -1: %+v", got)
	}
	if got := Judge(Prepare("a"), Prepare("a"), 1); got.Decision != Separate {
		t.Errorf("equal texts are not above 1: %+v", got)
	}
	if s := Separate.String() + Review.String() + Merge.String(); s != "separatereviewmerge" {
		t.Error(s)
	}
}

// The parts of a verdict are those of the functions that it is made of.
func TestJudgeProperties(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		a, b := prose.Draw(t, "a"), prose.Draw(t, "b")
		if rapid.Bool().Draw(t, "near") {
			b = a + " not " + b
		}
		threshold := thresholds.Draw(t, "threshold")
		x, y := Prepare(a), Prepare(b)
		got, back := Judge(x, y, threshold), Judge(y, x, threshold)
		if got.Decision != back.Decision || got.Content != back.Content || len(got.Differences) != len(back.Differences) {
			t.Fatalf("Judge(%q, %q) = %+v, the other way %+v", a, b, got, back)
		}
		want := Separate
		if Content(x, y) > threshold {
			want = Merge
			if len(Differences(a, b)) > 0 {
				want = Review
			}
		}
		if got.Decision != want {
			t.Fatalf("Judge(%q, %q) = %+v, want %s", a, b, got, want)
		}
		if v := Judge(x, Prepare(a), threshold); threshold < 1 && v.Decision != Merge {
			t.Fatalf("Judge(%q, itself) = %+v", a, v)
		}
	})
}

func TestCalibrate(t *testing.T) {
	const rest = " Whoever is on duty looks at the queue each morning and tells the others what waits there, and the same is done on days when the office is closed."
	pair := func(a, b string, same bool) Labelled { return Labelled{A: Prepare(a), B: Prepare(b), Same: same} }
	pairs := []Labelled{
		pair("The alpha beta."+rest, "The ALPHA, beta!"+rest, true),                                                                                                  // 1
		pair("It is a red house by the sea."+rest, "It is a small red house by the sea, with trees."+rest, true),                                                     // 0.95
		pair("The gate was painted."+rest, "The gate of the old yard was painted with the colour of the garden wall."+rest, true),                                    // 0.87
		pair("A bird sat on the wall."+rest, "A bird sat on the wall and sang a song of spring for people who walked along the street with their dogs."+rest, false), // 0.85
		pair("The port is 80 for all."+rest, "The port is 90 for all."+rest, false),                                                                                  // 0.97, review
	}
	scores, best := Calibrate(pairs, []float64{0.94, 0.5, 0.83, 0.83})
	if len(scores) != 3 || scores[0].Threshold != 0.5 || scores[2].Threshold != 0.94 {
		t.Fatalf("scores %+v", scores)
	}
	want := []Score{
		{Threshold: 0.5, TruePositives: 3, FalsePositives: 1, TrueNegatives: 1, Reviewed: 1, Precision: 0.75, Recall: 1, F1: 6.0 / 7},
		{Threshold: 0.83, TruePositives: 3, TrueNegatives: 2, Reviewed: 1, Precision: 1, Recall: 1, F1: 1},
		{Threshold: 0.94, TruePositives: 2, FalseNegatives: 1, TrueNegatives: 2, Reviewed: 1, Precision: 1, Recall: 2.0 / 3, F1: 0.8},
	}
	if !slices.Equal(scores, want) {
		t.Errorf("scores\n%+v, want\n%+v", scores, want)
	}
	if best != want[1] {
		t.Errorf("best %+v", best)
	}
	if scores, best := Calibrate(nil, nil); len(scores) != 50 || best.F1 != 0 || best.Threshold != 0.99 {
		t.Errorf("no pairs: %d scores, best %+v", len(scores), best)
	}
}

// Each score is what judging every pair at that threshold gives.
func TestCalibrateEqualsJudge(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		records := drawRecords(t)
		var pairs []Labelled
		for i := 1; i < len(records); i++ {
			pairs = append(pairs, Labelled{A: records[i-1].Text, B: records[i].Text, Same: rapid.Bool().Draw(t, "same")})
		}
		scores, best := Calibrate(pairs, rapid.SliceOfN(thresholds, 1, 5).Draw(t, "thresholds"))
		for _, s := range scores {
			got := Score{Threshold: s.Threshold, Precision: s.Precision, Recall: s.Recall, F1: s.F1}
			for _, p := range pairs {
				v := Judge(p.A, p.B, s.Threshold)
				switch {
				case v.Decision == Merge && p.Same:
					got.TruePositives++
				case v.Decision == Merge:
					got.FalsePositives++
				case p.Same:
					got.FalseNegatives++
				default:
					got.TrueNegatives++
				}
				if v.Decision == Review {
					got.Reviewed++
				}
			}
			if got != s {
				t.Fatalf("score %+v, judged %+v", s, got)
			}
			if s.F1 > best.F1 || math.IsNaN(s.F1) {
				t.Fatalf("best is %+v, but there is %+v", best, s)
			}
		}
	})
}
