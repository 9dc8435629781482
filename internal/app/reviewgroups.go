package app

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"slices"
	"strings"

	"github.com/memoryd/memoryd/pkg/config"
	"github.com/memoryd/memoryd/pkg/memory"
	"github.com/memoryd/memoryd/pkg/review"
	"github.com/memoryd/memoryd/pkg/rules"
	"github.com/memoryd/memoryd/pkg/text"
)

// PairGroup is pairs of the review queue that were flagged for the same reason and differ in the same way: in the same words, or in
// other words at the same places of the same text.
type PairGroup struct {
	ID    string // it stays the same while the same pairs wait
	Pairs []review.Pair
}

// GroupPairs puts pairs that wait into groups, the largest first. Those of a group stay in their order.
func GroupPairs(snap *memory.Snapshot, open []review.Pair) []PairGroup {
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
	out := make([]PairGroup, len(groups))
	for i, g := range groups {
		ids := make([]string, len(g))
		for j, p := range g {
			ids[j] = p.ID()
		}
		slices.Sort(ids)
		sum := sha256.Sum256([]byte(strings.Join(ids, " ")))
		out[i] = PairGroup{"grp_" + hex.EncodeToString(sum[:4]), g}
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

// Verdicts on several pairs, besides those of [rules.Decide]: in each pair the one or the other stays.
const (
	VerdictKeepNewer = "keep_newer"
	VerdictKeepOlder = "keep_older"
)

// Deciding builds the actions by which a person settles pairs in one transaction. Pairs whose memories an action before them changes are
// left: they are to be decided after it, if they wait still.
func Deciding(snap *memory.Snapshot, settings config.Settings, logHead string, pairs []review.Pair, verdict, keep string) (actions []memory.Action, done, left []review.Pair, err error) {
	changed := map[string]bool{}
	for _, p := range pairs {
		if changed[p.A] || changed[p.B] {
			left = append(left, p)
			continue
		}
		verdict, keep := verdict, keep
		switch verdict {
		case VerdictKeepNewer:
			verdict, keep = "keep", p.B
		case VerdictKeepOlder:
			verdict, keep = "keep", p.A
		}
		a, err := rules.Decide(snap, rules.Request{Settings: settings, LogHead: logHead}, p, verdict, keep)
		if err != nil {
			return nil, nil, nil, err
		}
		if len(a.Ops) > 0 {
			changed[p.A], changed[p.B] = true, true
		}
		actions, done = append(actions, a), append(done, p)
	}
	return actions, done, left, nil
}
