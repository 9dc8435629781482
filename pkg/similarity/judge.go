package similarity

import "slices"

// Decision is what becomes of a pair of texts.
type Decision uint8

const (
	Separate Decision = iota // the wording is not similar
	Review                   // similar, but the texts state distinct facts: a person decides
	Merge                    // similar, and nothing in one contradicts the other
)

func (d Decision) String() string {
	switch d {
	case Review:
		return "review"
	case Merge:
		return "merge"
	}
	return "separate"
}

// Verdict is a decision with its reasons.
type Verdict struct {
	Decision    Decision
	Content     float64      // similarity of the wording
	Differences []Difference // the distinct facts for which a person has to decide, nil unless Decision is Review
}

// Judge decides about a pair of texts: they are similar when Content is above threshold, strictly, and then merged unless
// OtherFacts finds any. It is symmetric but for the sides of the differences.
func Judge(a, b *Features, threshold float64) Verdict {
	v := Verdict{Content: Content(a, b)}
	if !(v.Content > threshold) {
		return v
	}
	v.Decision = Merge
	if v.Differences = OtherFacts(a, b); v.Differences != nil {
		v.Decision = Review
	}
	return v
}

// Labelled is a pair of texts of which it is known whether they are duplicates.
type Labelled struct {
	A, B *Features
	Same bool
}

// Score says how well Judge does on labelled pairs at one threshold. Only a merge counts as found: a pair that waits for review is
// none.
type Score struct {
	Threshold                     float64
	TruePositives, FalsePositives int // merged duplicates, merged others
	FalseNegatives, TrueNegatives int // duplicates and others that are not merged
	Reviewed                      int // of those not merged
	Precision, Recall, F1         float64
}

// Calibrate judges labelled pairs at each threshold, in ascending order and without repeats, by default at 0.50, 0.51 … 0.99. It returns a
// score for each and the one with the best F1; of several equals that with the highest threshold, which merges least. Precision, recall
// and F1 are 0 where nothing was merged. Each pair is compared once, whatever the number of thresholds.
func Calibrate(pairs []Labelled, thresholds []float64) (scores []Score, best Score) {
	if len(thresholds) == 0 {
		for i := 50; i < 100; i++ {
			thresholds = append(thresholds, float64(i)/100)
		}
	}
	thresholds = slices.Compact(slices.Sorted(slices.Values(thresholds)))
	if len(thresholds) == 0 {
		return nil, Score{}
	}
	verdicts := make([]Verdict, len(pairs))
	for i, p := range pairs {
		verdicts[i] = Judge(p.A, p.B, thresholds[0])
	}
	for i, t := range thresholds {
		s := Score{Threshold: t}
		for j, v := range verdicts {
			similar := v.Content > t
			merged := similar && v.Decision == Merge
			switch {
			case merged && pairs[j].Same:
				s.TruePositives++
			case merged:
				s.FalsePositives++
			case pairs[j].Same:
				s.FalseNegatives++
			default:
				s.TrueNegatives++
			}
			if similar && !merged {
				s.Reviewed++
			}
		}
		if s.TruePositives > 0 {
			tp := float64(s.TruePositives)
			s.Precision = tp / (tp + float64(s.FalsePositives))
			s.Recall = tp / (tp + float64(s.FalseNegatives))
			s.F1 = 2 * tp / (2*tp + float64(s.FalsePositives+s.FalseNegatives))
		}
		scores = append(scores, s)
		if i == 0 || s.F1 >= best.F1 {
			best = s
		}
	}
	return scores, best
}
