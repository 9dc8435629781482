package rules

import (
	"bytes"
	"fmt"
	"slices"
	"strings"

	"github.com/tidwall/gjson"

	"github.com/memoryd/memoryd/pkg/internal/jsonedit"
	"github.com/memoryd/memoryd/pkg/memory"
	"github.com/memoryd/memoryd/pkg/oplog"
	"github.com/memoryd/memoryd/pkg/review"
	"github.com/memoryd/memoryd/pkg/similarity"
	"github.com/memoryd/memoryd/pkg/supersession"
)

// Why an action of saving changes the record of another memory.
const (
	reasonSavedAgain = "saved_again" // the same was saved
	reasonNewWording = "new_wording" // a text was saved that says more
)

// Kind is what a memory has in common with those that it may be merged with: type,
// subtype, scope and author. Equal kinds are equal strings.
func Kind(m *memory.Memory) string {
	b := duplicateBlock(m)
	return strings.Join([]string{b.kind, b.subtype, b.scope, b.scopeID, b.author}, "\x00")
}

// Saying is what the text of a memory that is about to be saved says beside another one.
type Saying string

// The relations of a new text to an older one.
const (
	SaysOther Saying = ""     // something that the other does not say, and not all that it says
	SaysSame  Saying = "same" // the same, but for harmless differences
	SaysLess  Saying = "less" // nothing that the other doesn't say
	SaysMore  Saying = "more" // all that the other says, and more
)

// SaveVerdict tells how a memory that is about to be saved stands to another one.
type SaveVerdict struct {
	Saying
	Reason, Detail string   // why the two stay beside each other; "": the new one is merged into the other
	Differences    []string // the facts in which they differ
}

// Saving judges whether a memory that is about to be saved may be merged into
// another of its kind whose content is so similar.
//
// The exclusions are those of the rules but for the age: whoever saves the same thing
// twice does so within days. They protect the memory that is there.
func Saving(s *memory.Snapshot, r Request, into, draft *memory.Memory, content float64) (v SaveVerdict) {
	var apart bool // what the one says more is said by sentences of its own
	if content > r.Settings.Remember.MergeSimilarity {
		v.Saying, apart = saying(into, draft, content > r.Settings.Merge.ContentSimilarity)
	}
	if v.Saying == SaysOther && content < r.Settings.Remember.FlagSimilarity {
		v.Reason = review.Similar
		return v
	}
	if !apart {
		v.Differences = describeAll(into, draft)
	}
	r.Trigger = SessionEnd // at which age doesn't count
	p := newPlanner(s, r)
	v.Reason, v.Detail = p.excluded(&subject{Memory: into}, memory.RuleWorking)
	if v.Reason == ReasonInReview && v.Saying != SaysMore { // its text stays as it is
		v.Reason, v.Detail = "", ""
	}
	switch {
	case v.Reason != "":
		v.Detail = into.ID + ": " + v.Detail
	case len(into.SupersededBy) > 0:
		v.Reason, v.Detail = ReasonSuperseded, into.ID+" is superseded by "+strings.Join(into.SupersededBy, ", ")
	case len(v.Differences) > 0:
		v.Reason, v.Detail = ReasonDistinct, "the two state different facts"
	case v.Saying == SaysOther:
		v.Reason, v.Detail = review.Similar, fmt.Sprintf("%.2f alike", content)
	}
	if len(v.Differences) > 0 {
		v.Saying = SaysOther
	}
	return v
}

// saying compares two contents, objects field by field: the order of their members says nothing. Where the two are not alike, the
// shorter must stand in the longer one as a whole. apart tells that all that one says more are whole sentences.
func saying(old, new *memory.Memory, alike bool) (says Saying, apart bool) {
	contained := func(a, b *similarity.Features) similarity.Containment {
		c := similarity.Contained(a, b)
		if !alike && !c.Whole && !c.Sentences {
			return similarity.Containment{}
		}
		return c
	}
	c := contained(similarity.Later(old), similarity.Later(new))
	if a, b := old.Content(), new.Content(); !c.AInB && !c.BInA && a.IsObject() && b.IsObject() {
		x, repeatsX := members(a)
		y, repeatsY := members(b)
		c = similarity.Containment{AInB: !repeatsX && !repeatsY, BInA: !repeatsX && !repeatsY, Sentences: true}
		for name := range x {
			if _, ok := y[name]; !ok {
				y[name] = gjson.Result{}
			}
		}
		for name, b := range y {
			field := contained(similarity.Prepare(memory.TextOf(x[name])), similarity.Prepare(memory.TextOf(b)))
			c.AInB, c.BInA, c.Sentences = c.AInB && field.AInB, c.BInA && field.BInA, c.Sentences && field.Sentences
		}
	}
	switch {
	case c.AInB && c.BInA:
		return SaysSame, false
	case c.AInB:
		return SaysMore, c.Sentences
	case c.BInA:
		return SaysLess, c.Sentences
	}
	return SaysOther, false
}

// MergeSaved builds the action by which a memory that is about to be saved goes into one that says the same or less. The older one keeps
// its id, and gains tags, references and priority. If the new one says more, its content takes the place of the old one, and the record
// that is replaced is kept in full. The action does nothing if there is nothing to gain, or the new one says less.
func MergeSaved(s *memory.Snapshot, into, draft *memory.Memory, says Saying) (memory.Action, error) {
	if says == SaysLess {
		return memory.Action{}, nil
	}
	nameless := *draft
	nameless.ID = ""
	gains := []member{{subject: &subject{Memory: &nameless}}}
	a := memory.Action{Action: oplog.Action{
		Type: oplog.Edit, Rule: memory.RuleManual, MemoryID: into.ID, From: into.Ref.String(),
		Reason: reasonSavedAgain, Detail: "the same was saved",
	}}
	edits := gainEdits(into, gains)
	if says == SaysMore {
		content := []byte(draft.Content().Raw)
		if !bytes.Contains(into.Raw(), []byte("\n")) {
			content = jsonedit.Compact(content)
		}
		edits = append(edits, jsonedit.Set(content, "content"))
		a.Reason, a.Detail = reasonNewWording, "a text was saved that says all of it, and more"
		a.Originals = []memory.Original{memory.KeptOriginal(into)}
		a.Original, a.Digests = a.Originals[0].File, map[string]string{into.ID: string(into.Digest())}
	}
	raw, err := into.Edit(edits...)
	if err != nil || bytes.Equal(raw, into.Raw()) {
		return memory.Action{}, err
	}
	edits = []jsonedit.Edit{changedAt(s.At)}
	if draft.Arrived.After(into.Arrived) {
		edits = append(edits, jsonedit.Set(memory.OriginMember(into.Origin, draft.Arrived), "origin"))
	}
	if raw, err = jsonedit.Apply(raw, edits...); err != nil {
		return memory.Action{}, err
	}
	a.Ops = []memory.Op{{Kind: memory.Put, ID: into.ID, Ref: into.Ref, Base: into.Digest(), Raw: raw}}
	return a, nil
}

// Correction is an older memory that a memory that is about to be saved says it corrects.
type Correction struct {
	*memory.Memory
	Evidence string
}

// Corrected finds the memories that a memory which is about to be saved says it corrects, among some of its scope. It looks at no
// exclusion: a person is asked, and nothing is changed before.
func Corrected(draft *memory.Memory, candidates []*memory.Memory) (found []Correction) {
	newer := read(draft)
	for _, m := range candidates {
		if len(m.SupersededBy) > 0 || m.Newest().After(draft.Newest()) {
			continue
		}
		if j, ok := newer.Corrects(read(m).Reading); ok {
			found = append(found, Correction{m, describeUpdate(j)})
		}
	}
	return found[:min(len(found), maxUpdates)]
}

// MayCorrect reports, quickly, whether a memory has words by which it may say that it corrects another one.
func MayCorrect(m *memory.Memory) bool {
	return m.Type != memory.Working && supersession.Marked(m.Text())
}

// Correctable reports whether a memory is one that another of its scope may correct.
func Correctable(m, by *memory.Memory) bool {
	return m.Scope == by.Scope && m.Type != memory.Working && !memory.IsClusterSummary(m) && !m.Archived && m.ID != by.ID && !slices.Contains(by.Supersedes, m.ID)
}
