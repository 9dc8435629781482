package reviewing

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"slices"
	"strings"

	"github.com/memoryd/memoryd/pkg/memory"
	"github.com/memoryd/memoryd/pkg/review"
	"github.com/memoryd/memoryd/pkg/text"
)

// Group is pairs of the review queue that were flagged for the same reason and differ in the same way: in the same words, or in
// other words at the same places of the same text.
type Group struct {
	ID    string // it stays the same while the same pairs wait
	Pairs []review.Pair
}

// Groups puts pairs that wait into groups, the largest first. Those of a group stay in their order.
func Groups(snap *memory.Snapshot, open []review.Pair) []Group {
	of := map[string]int{} // by what they have in common
	var groups [][]review.Pair
	for _, p := range open {
		words, template := alike(snap, p)
		n, ok := of[words]
		if m, also := of[template]; also && !ok {
			n, ok = m, true
		} else if also && m != n { // it joins two groups
			groups[n], groups[m] = append(groups[n], groups[m]...), nil
			for key, group := range of {
				if group == m {
					of[key] = n
				}
			}
		}
		if !ok {
			n = len(groups)
			groups = append(groups, nil)
		}
		groups[n] = append(groups[n], p)
		of[words], of[template] = n, n
	}
	groups = slices.DeleteFunc(groups, func(g []review.Pair) bool { return len(g) == 0 })
	slices.SortStableFunc(groups, func(a, b []review.Pair) int { return cmp.Compare(len(b), len(a)) })
	out := make([]Group, len(groups))
	for i, g := range groups {
		ids := make([]string, len(g))
		for j, p := range g {
			ids[j] = p.ID()
		}
		slices.Sort(ids)
		sum := sha256.Sum256([]byte(strings.Join(ids, " ")))
		out[i] = Group{"grp_" + hex.EncodeToString(sum[:4]), g}
	}
	return out
}

// alike gives two keys of a pair: the words that differ, and the text around them.
func alike(snap *memory.Snapshot, p review.Pair) (words, template string) {
	const least = 3 // words that make a template
	var differ, around strings.Builder
	same := 0
	older, newer := snap.Sides(p)
	for _, run := range text.Diff(older.Text(), newer.Text()) {
		said := strings.Join(run.Words, " ")
		if run.Change == text.Same {
			same += len(run.Words)
			fmt.Fprintf(&around, "%s\x00", said)
			continue
		}
		fmt.Fprintf(&differ, "%d%s\x00", run.Change, said)
		fmt.Fprintf(&around, "%d\x01", run.Change)
	}
	if same < least {
		around.WriteString(p.ID())
	}
	return p.Reason + "\x02words\x00" + differ.String(), p.Reason + "\x02around\x00" + around.String()
}
