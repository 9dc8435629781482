package rules

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/tidwall/gjson"

	"github.com/memoryd/memoryd/pkg/guard"
	"github.com/memoryd/memoryd/pkg/internal/jsonedit"
	"github.com/memoryd/memoryd/pkg/memory"
	"github.com/memoryd/memoryd/pkg/oplog"
	"github.com/memoryd/memoryd/pkg/review"
	"github.com/memoryd/memoryd/pkg/similarity"
	"github.com/memoryd/memoryd/pkg/text"
)

// Verdicts of a model on two memories, besides [VerdictMerge].
const (
	VerdictReplace  = "replace"       // one holds in place of the other, which is archived
	VerdictUpdate   = "update"        // one gains sentences of the other; both stay
	VerdictSeparate = "keep_separate" // both stay as they are
	VerdictSkip     = "skip"          // it can't tell
)

// Verdicts of a model on whether a newer memory makes an older one untrue.
const (
	VerdictFull    = "full"
	VerdictPartial = "partial"
	VerdictNone    = "none"
)

// ReasonDeep is why a pair is flagged that a model would change.
const ReasonDeep = "model_judged"

// Choice is what a model chose for two memories: a verdict, an id and sentences that stand in them. It holds no text of a model.
type Choice struct {
	A, B      *memory.Memory // the older first
	Verdict   string
	Stays     string   // replace, update: the id of the one that stays, or gains
	Sentences []string // merge, update: sentences of the other one, as they stand there
}

// sides tells the memory with the id from the other one.
func (c *Choice) sides(id string) (this, other *memory.Memory, err error) {
	switch id {
	case c.A.ID:
		return c.A, c.B, nil
	case c.B.ID:
		return c.B, c.A, nil
	}
	return nil, nil, fmt.Errorf("%s is none of %s and %s", id, c.A.ID, c.B.ID)
}

// Changes reports whether the verdict would change a memory.
func (c *Choice) Changes() bool {
	return c.Verdict == VerdictMerge || c.Verdict == VerdictReplace || c.Verdict == VerdictUpdate
}

// Deep builds the action that a choice stands for. Every text in it is one of the two memories.
func Deep(s *memory.Snapshot, r Request, c Choice) (a memory.Action, err error) {
	st := newState(s, r)
	switch c.Verdict {
	case VerdictMerge:
		a, err = deepMerge(st, &c)
	case VerdictReplace:
		stays, goes, wrong := c.sides(c.Stays)
		if wrong != nil {
			return a, wrong
		}
		a, err = archiveFor(st, stays, goes)
		a.Detail = stays.ID + " holds in its place"
	case VerdictUpdate:
		a, err = deepUpdate(st, &c)
	default:
		return a, fmt.Errorf("the verdict %q changes nothing", c.Verdict)
	}
	if err != nil {
		return a, err
	}
	a.Rule, a.Chosen = memory.RuleDeep, c.Sentences
	a.Digests = map[string]string{c.A.ID: string(c.A.Digest()), c.B.ID: string(c.B.Digest())}
	return a, nil
}

// deepMerge is the merge of the rules, with sentences of the older memory put behind the text of the newer.
func deepMerge(st *state, c *Choice) (memory.Action, error) {
	content := similarity.Content(similarity.Later(c.A), similarity.Later(c.B))
	older := member{subject: &subject{Memory: c.A}, tags: similarity.Tags(c.A.Tags, c.B.Tags), content: content}
	a, err := mergeAction(st, &group{survivor: &subject{Memory: c.B}, members: []member{older}})
	if err != nil {
		return a, err
	}
	survivor, err := memory.OneRecord(c.B.ID+".json", a.Ops[0].Raw)
	if err != nil {
		return a, err
	}
	missing := Lacks(survivor, c.Sentences)
	if len(missing) == 0 {
		return a, nil
	}
	raw, err := withSentences(c.B.ID, a.Ops[0].Raw, missing)
	if err == nil { // a variant that stands in the text now goes
		a.Ops[0].Raw, err = withVariants(st.Settings.Merge, c.B.ID, raw, []*memory.Memory{survivor, c.A, c.B})
	}
	return a, err
}

// Lacks lists those of some sentences that a memory doesn't say yet in the same wording.
func Lacks(m *memory.Memory, sentences []string) (missing []string) {
	said := map[string]bool{}
	for _, u := range text.Units(m.Text()) {
		said[u.Wording()] = true
	}
	for _, s := range sentences {
		lacks := func(u text.Unit) bool { return !said[u.Wording()] }
		if !strings.Contains(m.Text(), s) && slices.ContainsFunc(text.Units(s), lacks) {
			missing = append(missing, s)
			for _, u := range text.Units(s) {
				said[u.Wording()] = true
			}
		}
	}
	return missing
}

// deepUpdate lets one memory gain sentences of the other. The record before is kept in full.
func deepUpdate(st *state, c *Choice) (a memory.Action, err error) {
	gains, _, err := c.sides(c.Stays)
	if err != nil {
		return a, err
	}
	c.Sentences = Lacks(gains, c.Sentences)
	raw, err := withSentences(gains.ID, gains.Raw(), c.Sentences)
	if err != nil {
		return a, err
	}
	if raw, err = jsonedit.Apply(raw, changedAt(st.At)); err != nil {
		return a, err
	}
	kept := memory.KeptOriginal(gains)
	return memory.Action{
		Action: oplog.Action{
			Type: oplog.Edit, MemoryID: gains.ID, From: gains.Ref.String(), Reason: VerdictUpdate, Original: kept.File,
			Detail: gained(len(c.Sentences)),
		},
		Ops:       []memory.Op{{Kind: memory.Put, ID: gains.ID, Ref: gains.Ref, Base: gains.Digest(), Raw: raw}},
		Originals: []memory.Original{kept},
	}, nil
}

func gained(sentences int) string {
	if sentences == 1 {
		return "it gained a sentence of a memory like it"
	}
	return fmt.Sprintf("it gained %d sentences of a memory like it", sentences)
}

// proseFields are the members of a content that sentences are put behind, the first that is there.
var proseFields = []string{"details", "text", "body", "summary", "description", "note", "notes"}

// withSentences puts sentences behind the text of a record.
func withSentences(id string, raw []byte, sentences []string) ([]byte, error) {
	if len(sentences) == 0 {
		return nil, fmt.Errorf("%s: there are no sentences to add", id)
	}
	m, err := memory.OneRecord(id+".json", raw)
	if err != nil {
		return nil, err
	}
	more := strings.Join(sentences, "\n")
	content := m.Content()
	if content.Type == gjson.String {
		return jsonedit.Apply(raw, jsonedit.Set(jsonedit.Quote(content.Str+"\n"+more), "content"))
	}
	if !content.IsObject() {
		return nil, fmt.Errorf("%s: its content is not text", id)
	}
	for _, name := range proseFields {
		if v := content.Get(name); v.Type == gjson.String {
			return jsonedit.Apply(raw, jsonedit.Set(jsonedit.Quote(v.Str+"\n"+more), "content", name))
		}
	}
	if content.Get("details").Exists() {
		return nil, fmt.Errorf("%s: its details are not text", id)
	}
	return jsonedit.Apply(raw, jsonedit.Set(jsonedit.Quote(more), "content", "details"))
}

// Guarded says why a choice may not be made true without a person, "" if it may: an exclusion, another kind or author, a fact that
// would stand in the archive only, or less similarity than replacing asks for. Distinct facts stop a merge and a replacement, not an
// update: that takes nothing away, and a new fact is what it is for.
func Guarded(s *memory.Snapshot, r Request, c Choice, a *memory.Action) (reason string) {
	st := newState(s, r)
	for _, m := range []*memory.Memory{c.A, c.B} {
		if reason, detail := st.excluded(&subject{Memory: m}, merging.except); reason != "" {
			return m.ID + ": " + detail
		}
		if len(m.SupersededBy) > 0 {
			return m.ID + " is superseded already"
		}
		if waits := st.inReview(m); waits != "" {
			return m.ID + " " + waits
		}
	}
	switch {
	case duplicateBlock(c.A) != duplicateBlock(c.B):
		return "they differ in type, subtype, scope or author"
	case s.Review.DecidedKeepBoth(c.A, c.B):
		return "a person decided that both stay"
	case s.MergeUndone(c.A, c.B):
		return "their merge was undone"
	}
	if alike := similarity.Content(similarity.Later(c.A), similarity.Later(c.B)); c.Verdict == VerdictReplace && alike < st.Settings.Deep.ReplaceFloor {
		return fmt.Sprintf("they are %.2f alike, less than deep.replace_floor", alike)
	}
	if found := describeAll(c.A, c.B); c.Verdict != VerdictUpdate && len(found) > 0 {
		return "they state different facts: " + found[0]
	}
	var living []string
	for i := range a.Ops {
		if op := &a.Ops[i]; op.Kind == memory.Put {
			m, err := memory.OneRecord(op.ID+".json", op.Raw)
			if err != nil {
				return err.Error()
			}
			living = append(living, m.Text()+"\n"+m.Title())
		}
	}
	if c.Verdict == VerdictUpdate { // the other one lives on
		_, other, _ := c.sides(c.Stays) // Deep has built the action from it
		living = append(living, other.Text()+"\n"+other.Title())
	}
	if lost := guard.Lost([]string{c.A.Text() + "\n" + c.A.Title(), c.B.Text() + "\n" + c.B.Title()}, living); len(lost) > 0 {
		return fmt.Sprintf("the %s %q would stand in the archive only", lost[0].Kind, lost[0].Text)
	}
	return ""
}

// Flag is the question to a person about a choice.
func Flag(c Choice, evidence []string) memory.Action {
	tags, content := similarity.Tags(c.A.Tags, c.B.Tags), similarity.Content(similarity.Later(c.A), similarity.Later(c.B))
	return memory.Action{
		Action: oplog.Action{
			Type: oplog.Review, Rule: memory.RuleDeep, Reason: ReasonDeep, Detail: "a model would change them, and a person has to decide",
			MemoryIDs: []string{c.A.ID, c.B.ID}, Differences: evidence, TagOverlap: oplog.Score(tags), ContentSimilarity: oplog.Score(content),
			Digests: map[string]string{c.A.ID: string(c.A.Digest()), c.B.ID: string(c.B.Digest())},
		},
		Pairs: []review.Pair{memory.NewPair(c.A, c.B, ReasonDeep, evidence, tags, content)},
	}
}

// Alike lists the pairs of memories of one type, subtype, scope and author whose contents are as similar, or more, the most similar
// first. Memories that no rule may change are left out, and so are pairs that wait, or that a person keeps apart.
func Alike(s *memory.Snapshot, r Request, least float64) (pairs [][2]*memory.Memory) {
	var ms []*memory.Memory
	var records []similarity.Record
	for _, m := range askable(newState(s, r).cover()) {
		ms = append(ms, m.Memory)
		records = append(records, similarity.Record{Block: fmt.Sprintf("%q", duplicateBlock(m.Memory)), Text: similarity.Later(m)})
	}
	found := similarity.Pairs(records, -1, max(least-1e-9, 0))
	slices.SortStableFunc(found, func(a, b similarity.Pair) int {
		return cmp.Or(cmp.Compare(b.Content, a.Content), cmp.Compare(a.A, b.A), cmp.Compare(a.B, b.B))
	})
	for _, f := range found {
		if a, b := ByAge(ms[f.A], ms[f.B]); unasked(s, a, b) {
			pairs = append(pairs, [2]*memory.Memory{a, b})
		}
	}
	return pairs
}

// AlikeBy is [Alike] by another measure: near is given the memories of one type, subtype, scope and author, and returns the pairs of those that
// are alike.
func AlikeBy(s *memory.Snapshot, r Request, near func([]*memory.Memory) [][2]*memory.Memory) (pairs [][2]*memory.Memory) {
	var all []*memory.Memory
	for _, m := range askable(newState(s, r).cover()) {
		all = append(all, m.Memory)
	}
	for _, group := range grouped(all, func(m *memory.Memory) (block, bool) { return duplicateBlock(m), true }) {
		for _, pair := range near(group) {
			if older, newer := ByAge(pair[0], pair[1]); unasked(s, older, newer) {
				pairs = append(pairs, [2]*memory.Memory{older, newer})
			}
		}
	}
	return pairs
}

// askable are the memories that the rule "merge" may change, and that say something that holds.
func askable(st *state) (all []*subject) {
	for _, m := range st.subjects {
		if reason, _ := st.excluded(m, merging.except); reason == "" && saysAnything(m.Memory) && len(m.SupersededBy) == 0 {
			all = append(all, m)
		}
	}
	return all
}

// unasked reports whether two memories neither wait for a person's decision nor have had one.
func unasked(s *memory.Snapshot, a, b *memory.Memory) bool {
	return !s.Review.Pending(a, b) && !s.Review.DecidedKeepBoth(a, b) && !s.MergeUndone(a, b)
}
