package review

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/tidwall/gjson"

	"github.com/memoryd/memoryd/pkg/internal/jsonedit"
	"github.com/memoryd/memoryd/pkg/timestamp"
)

// Pair is two memories that a person has to decide about.
type Pair struct {
	A, B           string // ids, the older first
	PrintA, PrintB string // fingerprints of the memories as they were flagged
	// Digests of their texts; "" in queues of earlier versions.
	TextA             string `json:",omitempty"`
	TextB             string `json:",omitempty"`
	Reason            string // distinct_facts, both_edited, supersede, similar
	Differences       []string
	TagOverlap        float64
	ContentSimilarity float64
	RunID             string
	FlaggedAt         time.Time
}

// ID names the pair for commands: it stays the same while both texts do.
func (p Pair) ID() string {
	sum := sha256.Sum256([]byte(p.A + "\x00" + p.B + "\x00" + p.PrintA + p.PrintB))
	return "rev_" + hex.EncodeToString(sum[:4])
}

// Compared reports whether the pair has scores: nobody compares the sides of conflict copies and conflicts of a merge.
func (p Pair) Compared() bool { return p.TagOverlap != 0 || p.ContentSimilarity != 0 }

// Decision is what a person made of a pair.
type Decision struct {
	Pair
	Verdict   string // keep_both, merge, supersede, or keep and an id
	DecidedAt time.Time
}

// Similar is why a pair is flagged when the newer is saved, and nothing more is known of it. It does not keep a run from asking
// about one of the two together with a third.
const Similar = "similar"

// KeepBoth is the verdict that two memories stay apart: the pair is never offered
// again while both texts stand.
const KeepBoth = "keep_both"

// Partly is the verdict that the newer of two memories replaces a part of what the older says: both stay, and the older one says so.
const Partly = "supersede_partly"

// StaysApart reports whether the verdict leaves both memories as they are: the pair is not offered again while both texts stand.
func (d Decision) StaysApart() bool { return d.Verdict == KeepBoth || d.Verdict == Partly }

// Promotion is the reason of a decision that only notes a proposal: B is the id that a copy of A gets in another scope, if people accept it.
const Promotion = "promotion"

// proposed begins the verdict of a proposal; the scope follows.
const proposed = "propose for "

// Propose is the decision that notes that the copy b of a memory was proposed for a scope.
func Propose(a Pair, scope string) Decision {
	a.Reason = Promotion
	return Decision{Pair: a, Verdict: proposed + scope}
}

// Proposal is the scope that a copy of A was proposed for; ok is false for other decisions.
func (d Decision) Proposal() (scope string, ok bool) {
	scope, ok = strings.CutPrefix(d.Verdict, proposed)
	return scope, ok && d.Reason == Promotion
}

// Key is the pair whichever of its ids comes first.
func Key(a, b string) [2]string { return [2]string{min(a, b), max(a, b)} }

// empty is a queue that holds nothing.
const empty = "{\n  \"version\": \"1.0.0\",\n  \"pairs\": []\n}\n"

// Parse reads the queue: the pairs that wait, and the decisions that were made. What
// somebody else put into its lists is passed over; no list of pairs is an error.
func Parse(doc []byte) (pairs []Pair, decided []Decision, err error) {
	if err := jsonedit.Check(doc); err != nil {
		return nil, nil, fmt.Errorf("not valid JSON: %w", err)
	}
	var elements []gjson.Result
	members, ok := jsonedit.MembersOf(doc)
	if ok {
		elements, ok = members.Elements("pairs")
	}
	if !ok {
		return nil, nil, errors.New(`no list "pairs"`)
	}
	for _, e := range elements {
		if d, ok := readPair(e); ok {
			pairs = append(pairs, d.Pair)
		}
	}
	elements, _ = members.Elements("decided")
	for _, e := range elements {
		if d, ok := readPair(e); ok {
			decided = append(decided, d)
		}
	}
	return pairs, decided, nil
}

// The members of a pair, and of a decision.
var names = [...]string{
	"memory_ids", "fingerprints", "reason", "differences", "tag_overlap", "content_similarity", "run_id", "flagged_at", "decision", "decided_at",
	"texts",
}

// readPair reads a pair, and what was decided of it; what somebody else wrote there is not one.
func readPair(e gjson.Result) (d Decision, ok bool) {
	if !e.IsObject() {
		return d, false
	}
	var found [len(names)]gjson.Result
	e.ForEach(func(key, v gjson.Result) bool {
		if i := slices.Index(names[:], key.Str); i >= 0 && !found[i].Exists() {
			found[i] = v
		}
		return true
	})
	ids, prints := jsonedit.Texts(found[0]), jsonedit.Texts(found[1])
	if len(ids) != 2 || len(prints) != 2 {
		return d, false
	}
	texts := append(jsonedit.Texts(found[10]), "", "")
	return Decision{
		Pair{
			TextA: texts[0], TextB: texts[1],
			A: ids[0], B: ids[1], PrintA: prints[0], PrintB: prints[1],
			Reason: found[2].Str, Differences: jsonedit.Texts(found[3]), TagOverlap: found[4].Num, ContentSimilarity: found[5].Num,
			RunID: found[6].Str, FlaggedAt: timestamp.Parse(found[7].Str),
		},
		found[8].Str, timestamp.Parse(found[9].Str),
	}, true
}

// Patch puts pairs into the queue and moves decided ones to the
// decisions. A pair, or decision, of the same two ids is replaced.
func Patch(doc []byte, pairs []Pair, decisions []Decision) ([]byte, error) {
	if len(doc) == 0 {
		doc = []byte(empty)
	}
	if _, ok := jsonedit.Get(doc, "decided"); !ok && len(decisions) > 0 {
		var err error
		if doc, err = jsonedit.Apply(doc, jsonedit.Set([]byte("[]"), "decided")); err != nil {
			return nil, err
		}
	}
	gone := map[[2]string]bool{}
	var waiting, decided [][]byte
	for _, d := range decisions {
		gone[Key(d.A, d.B)] = true
		raw, err := pairJSON(d.Pair, d.Verdict, d.DecidedAt)
		if err != nil {
			return nil, err
		}
		decided = append(decided, raw)
	}
	for _, p := range pairs {
		gone[Key(p.A, p.B)] = true
		raw, err := pairJSON(p, "", time.Time{})
		if err != nil {
			return nil, err
		}
		waiting = append(waiting, raw)
	}
	doc, err := replacePairs(doc, "pairs", gone, waiting)
	if err != nil || len(decided) == 0 {
		return doc, err
	}
	return replacePairs(doc, "decided", gone, decided)
}

// replacePairs takes the pairs of the given ids out of a list and adds others.
func replacePairs(doc []byte, key string, gone map[[2]string]bool, add [][]byte) ([]byte, error) {
	elements, ok := jsonedit.Elements(doc, key)
	if !ok {
		return nil, fmt.Errorf("no list %q: mend or move the file", key)
	}
	edit := jsonedit.ArrayEdit{Remove: map[int]bool{}}
	for i, e := range elements {
		if p, ok := readPair(e); ok && gone[Key(p.A, p.B)] {
			edit.Remove[i] = true
		}
	}
	for _, raw := range add {
		edit.Insert = append(edit.Insert, jsonedit.Insertion{Before: len(elements), Raw: raw})
	}
	return jsonedit.EditArray(doc, []string{key}, edit)
}

// Take undoes [Patch]: it removes what a run had put there, and lets the
// decided pairs wait again.
func Take(doc []byte, pairs []Pair, decisions []Decision) ([]byte, error) {
	if len(pairs)+len(decisions) == 0 || len(doc) == 0 {
		return doc, nil
	}
	gone := map[string]bool{}
	for _, p := range pairs {
		gone[p.ID()+p.RunID] = true
	}
	var err error
	for _, key := range []string{"pairs", "decided"} {
		elements, ok := jsonedit.Elements(doc, key)
		edit := jsonedit.ArrayEdit{Remove: map[int]bool{}}
		for i, e := range elements {
			if p, ok := readPair(e); ok && gone[p.ID()+p.RunID] {
				edit.Remove[i] = true
			}
		}
		if ok && len(edit.Remove) > 0 {
			if doc, err = jsonedit.EditArray(doc, []string{key}, edit); err != nil {
				return nil, err
			}
		}
		gone = map[string]bool{}
		for _, d := range decisions {
			gone[d.ID()+d.RunID] = true
		}
	}
	var wait []Pair
	for _, d := range decisions {
		if _, ok := d.Proposal(); !ok { // that asks nobody here
			wait = append(wait, d.Pair)
		}
	}
	return Patch(doc, wait, nil)
}

func pairJSON(p Pair, verdict string, decidedAt time.Time) ([]byte, error) {
	at := ""
	if verdict != "" {
		at = timestamp.Format(decidedAt)
	}
	var texts []string
	if p.TextA != "" && p.TextB != "" {
		texts = []string{p.TextA, p.TextB}
	}
	return json.Marshal(struct {
		ID                string    `json:"id"`
		MemoryIDs         [2]string `json:"memory_ids"`
		Reason            string    `json:"reason"`
		Differences       []string  `json:"differences,omitempty"`
		TagOverlap        float64   `json:"tag_overlap"`
		ContentSimilarity float64   `json:"content_similarity"`
		Fingerprints      [2]string `json:"fingerprints"`
		Texts             []string  `json:"texts,omitempty"`
		RunID             string    `json:"run_id"`
		FlaggedAt         string    `json:"flagged_at"`
		Decision          string    `json:"decision,omitempty"`
		DecidedAt         string    `json:"decided_at,omitempty"`
	}{
		p.ID(), [2]string{p.A, p.B}, p.Reason, p.Differences, p.TagOverlap, p.ContentSimilarity,
		[2]string{p.PrintA, p.PrintB}, texts, p.RunID, timestamp.Format(p.FlaggedAt), verdict, at,
	})
}
