package main

import "github.com/memoryd/memoryd/pkg/similarity"

// verdict is the decision about a pair of texts.
type verdict uint8

const (
	separate verdict = iota
	review
	merge
)

// judge decides as the merge rule does: similar texts are merged unless they
// differ in a fact.
func judge(a, b string, threshold float64) verdict {
	switch {
	case !(similarity.Content(similarity.Prepare(a), similarity.Prepare(b)) > threshold):
		return separate
	case len(similarity.Differences(a, b)) > 0:
		return review
	}
	return merge
}

// labelled is a pair with what it is.
type labelled struct {
	content  float64
	distinct bool // the texts differ in a fact
	same     bool
}

// score is what a threshold makes of labelled pairs, merging being the decision.
type score struct {
	threshold             float64
	merged, wrong, review int
	precision, recall, f1 float64
}

func scoreAt(pairs []labelled, threshold float64) score {
	s := score{threshold: threshold}
	right, same := 0, 0
	for _, p := range pairs {
		if p.same {
			same++
		}
		switch {
		case !(p.content > threshold):
		case p.distinct:
			s.review++
		case p.same:
			s.merged++
			right++
		default:
			s.merged++
			s.wrong++
		}
	}
	if s.merged > 0 {
		s.precision = float64(right) / float64(s.merged)
	}
	if same > 0 {
		s.recall = float64(right) / float64(same)
	}
	if s.precision+s.recall > 0 {
		s.f1 = 2 * s.precision * s.recall / (s.precision + s.recall)
	}
	return s
}

// calibrate scores the thresholds from 0.50 to 0.99 and names the best: the one
// with the highest F1, of equals the one that merges least.
func calibrate(pairs []labelled) (scores []score, best score) {
	for n := 50; n < 100; n++ {
		s := scoreAt(pairs, float64(n)/100)
		scores = append(scores, s)
		if s.f1 >= best.f1 {
			best = s
		}
	}
	return scores, best
}
