package workspace

import (
	"time"

	"github.com/memoryd/memoryd/pkg/review"
)

// Suppose is the workspace as it would be at another time if nothing but these of
// its memories were there, and if the pairs had been put to a person long before. Of the review queue it
// has what is about them. Everything else, the ids that are taken among it, stays as it is.
//
// It is for asking what the rules would do; no transaction may be made of the answer.
func (s *Snapshot) Suppose(at time.Time, live, archived []*Memory, asked []review.Pair) *Snapshot {
	supposed := *s
	supposed.At, supposed.live, supposed.archived = at.UTC(), rosterOf(live), rosterOf(archived)
	if len(s.Review.Pairs)+len(asked) > 0 {
		supposed.Review = s.Review.among(live, asked)
	}
	return &supposed
}
