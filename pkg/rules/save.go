package rules

import (
	"bytes"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/tidwall/gjson"

	"github.com/memoryd/memoryd/pkg/config"
	"github.com/memoryd/memoryd/pkg/internal/jsonedit"
	"github.com/memoryd/memoryd/pkg/memory"
	"github.com/memoryd/memoryd/pkg/oplog"
	"github.com/memoryd/memoryd/pkg/review"
	"github.com/memoryd/memoryd/pkg/similarity"
	"github.com/memoryd/memoryd/pkg/supersession"
	"github.com/memoryd/memoryd/pkg/timestamp"
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
	SaysMore  Saying = "more" // all that the other says, and more, or in other words
)

// SaveVerdict tells how a memory that is about to be saved stands to another one.
type SaveVerdict struct {
	Saying
	Reason, Detail string   // why both stay; "": the new one is merged into the other
	Differences    []string // the facts in which they differ
}

// Reader reads memories that are about to be saved, and those that they are judged beside. It keeps what it has read of as many as are
// judged beside each other, such as those of an import. A nil one keeps nothing. It is for one goroutine.
type Reader struct {
	cache map[*memory.Memory]*compared
	size  int // of their texts
}

// compared is what was read of a memory, as far as that was asked for.
type compared struct {
	of      *memory.Memory
	text    *similarity.Features
	fields  map[string]*similarity.Features // of a content that is an object
	repeats bool                            // a field of it
	read    *reading
	keys    []memory.UnitKey
	counted bool // keys is set
}

// maxRead bounds the texts that a reader keeps what it has read of, in bytes.
const maxRead = 8 << 20

func (r *Reader) of(m *memory.Memory) *compared {
	if r == nil {
		return &compared{of: m}
	}
	if s, ok := r.cache[m]; ok {
		return s
	}
	if r.size += len(m.Text()); r.cache == nil || r.size > maxRead {
		r.cache, r.size = map[*memory.Memory]*compared{}, len(m.Text())
	}
	s := &compared{of: m}
	r.cache[m] = s
	return s
}

func (s *compared) features() *similarity.Features {
	if s.text == nil {
		s.text = similarity.Kept(s.of.Text())
	}
	return s.text
}

// members are those of the content, and whether one of them stands twice.
func (s *compared) members() (map[string]*similarity.Features, bool) {
	if s.fields == nil {
		byName, repeats := membersOf(s.of.Content())
		s.fields, s.repeats = map[string]*similarity.Features{}, repeats
		for name, v := range byName {
			s.fields[name] = similarity.Kept(memory.TextOf(v))
		}
	}
	return s.fields, s.repeats
}

// units are the keys of what the memory says.
func (s *compared) units() []memory.UnitKey {
	if !s.counted {
		s.keys, s.counted = memory.ContentKeys(s.of), true
	}
	return s.keys
}

func (s *compared) reading() *reading {
	if s.read == nil {
		s.read = readForJudgement(s.of)
	}
	return s.read
}

// Saving judges whether a memory that is about to be saved may be merged into
// another of its kind whose content is so similar. Brief asks for no more of a memory that says something else than that it does.
//
// The exclusions are those of the rules but for the age: whoever saves the same thing
// twice does so within days. They protect the memory that is there.
func (rd *Reader) Saving(s *memory.Snapshot, r Request, into, draft *memory.Memory, content float64, brief bool) (v SaveVerdict) {
	old, new := rd.of(into), rd.of(draft)
	covered := true // every unit of the one stands in the other
	switch oldInNew, newInOld := memory.Within(old.units(), new.units()), memory.Within(new.units(), old.units()); {
	case content <= r.Settings.Remember.MergeSimilarity:
	case oldInNew && newInOld:
		v.Saying = SaysSame
	case newInOld, len(memory.Lost(draft, into)) == 0:
		v.Saying = SaysLess
	case oldInNew:
		v.Saying = SaysMore
	default:
		covered = false
		if alike := content > r.Settings.Merge.ContentSimilarity; alike || rewords(old, new) {
			v.Saying = SaysMore
		}
	}
	if v.Saying == SaysOther && (brief || content < r.Settings.Remember.FlagSimilarity) {
		v.Reason = review.Similar
		return v
	}
	if v.Saying == SaysOther || !covered {
		v.Differences = describeAll(into, draft)
	}
	r.Trigger = SessionEnd // at which age doesn't count
	st := newState(s, r)
	v.Reason, v.Detail = st.excluded(&subject{Memory: into}, settling.except)
	protected := v.Reason == ReasonProtected && into.IsNote() && v.Saying != SaysOther
	if (v.Reason == ReasonInReview || protected) && v.Saying != SaysMore { // its text stays as it is
		v.Reason, v.Detail = "", ""
	}
	switch {
	case v.Reason != "":
		v.Detail = into.ID + ": " + v.Detail
	case ttlPassed(st, into):
		v.Reason, v.Detail = ReasonExpired, into.ID+": its ttl has passed"
	case len(into.SupersededBy) > 0:
		v.Reason, v.Detail = ReasonSuperseded, into.ID+" is superseded by "+strings.Join(into.SupersededBy, ", ")
	case len(v.Differences) > 0:
		v.Reason, v.Detail = ReasonDistinct, "the two state different facts"
	case v.Saying == SaysOther:
		v.Reason, v.Detail = review.Similar, fmt.Sprintf("%.2f alike", content)
	case v.Saying == SaysMore && into.IsNote():
		v.Reason, v.Detail = ReasonWording, "only an update of "+into.ID+" replaces the text of that note"
	}
	if v.Reason == "" && v.Saying == SaysMore && !covered {
		if _, err := saved(r.Settings.Merge, into, draft); errors.Is(err, memory.ErrTooManyVariants) {
			v.Saying, v.Reason, v.Detail = SaysOther, ReasonWording, err.Error()
		}
	}
	if len(v.Differences) > 0 {
		v.Saying = SaysOther
	}
	return v
}

// Long texts share many words, and are not compared for it: one that says all that another does has nearly all of its words.
const (
	manyWords    = 100
	leastCovered = 0.8
)

// rewords reports whether one of two contents that are not alike says, in its order, every word of the other one, objects field by field: the
// order of their members says nothing. The shorter must stand in the longer one as a whole, or as whole sentences.
func rewords(old, new *compared) bool {
	contained := func(a, b *similarity.Features) similarity.Containment {
		c := similarity.Contained(a, b)
		if !c.Whole && !c.Sentences {
			return similarity.Containment{}
		}
		return c
	}
	if share, words := similarity.Covered(old.features(), new.features()); words >= manyWords && share < leastCovered {
		return false
	}
	c := contained(old.features(), new.features())
	if c.AInB || c.BInA || !old.of.Content().IsObject() || !new.of.Content().IsObject() {
		return c.AInB || c.BInA
	}
	x, repeatsX := old.members()
	y, repeatsY := new.members()
	aInB, bInA := !repeatsX && !repeatsY, !repeatsX && !repeatsY
	nothing := similarity.Prepare("")
	both := func(a, b *similarity.Features) {
		field := contained(a, b)
		aInB, bInA = aInB && field.AInB, bInA && field.BInA
	}
	for name, a := range x {
		if y[name] == nil {
			both(a, nothing)
		}
	}
	for name, b := range y {
		a := nothing
		if x[name] != nil {
			a = x[name]
		}
		if aInB || bInA {
			both(a, b)
		}
	}
	return aInB || bInA
}

// MergeSaved builds the action by which a memory that is about to be saved goes into one that says the same in other words, or less, or more.
// The older one keeps its id, and gains what it lacks. If the new one says more, or otherwise, its content takes the place of the old one: what of
// the old wording it lacks becomes a variant, and the record that it replaces is stored in full. No wording is lost; that is proved. The action does
// nothing if there is nothing to gain.
func MergeSaved(s *memory.Snapshot, set config.Merge, into, draft *memory.Memory, says Saying) (memory.Action, error) {
	a := memory.Action{Action: oplog.Action{
		Type: oplog.Edit, Rule: memory.RuleManual, MemoryID: into.ID, From: into.Ref.String(),
		Reason: memory.ReasonSavedAgain, Detail: "the same was saved",
	}}
	var raw []byte
	var err error
	if says == SaysMore {
		a.Reason, a.Detail = memory.ReasonNewWording, "a text was saved that says all of it, and more"
		if oldInNew, _ := memory.Covered(into, draft); !oldInNew {
			a.Detail = "a text was saved that says it in other words; what it lacks of the old wording is a variant"
		}
		a.Originals = []memory.Original{memory.KeptOriginal(into)}
		a.Original, a.Digests = a.Originals[0].File, map[string]string{into.ID: string(into.Digest())}
		raw, err = saved(set, into, draft)
	} else {
		raw, err = savedAgain(into, draft)
	}
	if err != nil || bytes.Equal(raw, into.Raw()) {
		return memory.Action{}, err
	}
	edits := []jsonedit.Edit{changedAt(s.At)}
	if draft.Arrived.After(into.Arrived) {
		edits = append(edits, jsonedit.Set(memory.OriginMember(into.Origin, draft.Arrived), "origin"))
	}
	if raw, err = jsonedit.Apply(raw, edits...); err != nil {
		return memory.Action{}, err
	}
	a.Ops = []memory.Op{{Kind: memory.Put, ID: into.ID, Ref: into.Ref, Base: into.Digest(), Raw: raw}}
	return a, nil
}

// savedAgain is the record of a memory with what it gains of one that says no more.
func savedAgain(into, draft *memory.Memory) ([]byte, error) {
	nameless := *draft
	nameless.ID = ""
	nameless.AccessCount, nameless.Unfolded = max(0, draft.AccessCount-into.AccessCount), 0 // reads that an import brings count once, however often it is made
	gains := []member{{subject: &subject{Memory: &nameless}}}
	return into.Edit(append(gainEdits(into, gains), memberEdits(into, draft)...)...)
}

// saved is the record of a memory with the content of a newer one in the place of its own, with its own fields that the newer one lacks, and with
// its other wording as a variant.
func saved(set config.Merge, into, draft *memory.Memory) ([]byte, error) {
	raw, err := savedAgain(into, draft)
	if err != nil {
		return nil, err
	}
	content := []byte(draft.Content().Raw)
	if !bytes.Contains(into.Raw(), []byte("\n")) {
		content = jsonedit.Compact(content)
	}
	edits := []jsonedit.Edit{jsonedit.Set(content, "content")}
	edits = append(edits, contentEdits(draft, []member{{subject: &subject{Memory: into}}})...)
	if raw, err = jsonedit.Apply(raw, edits...); err != nil {
		return nil, err
	}
	return withVariants(set, into.ID, raw, []*memory.Memory{into, draft})
}

// provenance are the members of a record that say how it came to be, and those that a memory gains in a way of their own.
var provenance = []string{"id", "type", "subtype", "created_by", "created_at", "updated_at", "last_accessed", "access_count", "scope", "scope_id",
	"tags", "priority", "references", "confidence", "importance", "supersedes", "content", "title", "origin", "imported_from",
	"promoted_to", "promoted_from", "superseded_by", "superseded_kind", "consolidation_consent", memory.ConflictsKey, memory.AliasesKey}

// memberEdits are what a memory gains of one that says the same, in addition to what a merge gives: the longer life, the stricter reach to models, and
// the members that it lacks.
func memberEdits(into, draft *memory.Memory) (edits []jsonedit.Edit) {
	mine, theirs := gjson.ParseBytes(into.Raw()), gjson.ParseBytes(draft.Raw())
	if life := longerLife(into, draft); life != nil {
		edits = append(edits, *life)
	}
	if reach(draft) > reach(into) {
		edits = append(edits, jsonedit.Set([]byte(theirs.Get("model").Raw), "model"))
	}
	if draft.Protected && !into.Protected {
		edits = append(edits, jsonedit.Set([]byte("true"), "protected"))
	}
	if theirs.Get("pinned").Bool() && !mine.Get("pinned").Bool() {
		edits = append(edits, jsonedit.Set([]byte("true"), "pinned"))
	}
	theirs.ForEach(func(key, v gjson.Result) bool {
		name := key.Str
		own := mine.Get(gjson.Escape(name))
		if name == "metadata" && own.IsObject() && v.IsObject() {
			v.ForEach(func(inner, v gjson.Result) bool {
				if !present(own.Get(gjson.Escape(inner.Str))) && present(v) {
					edits = append(edits, jsonedit.Set([]byte(v.Raw), name, inner.Str))
				}
				return true
			})
			return true
		}
		if (!own.Exists() || own.Type == gjson.Null) && v.Type != gjson.Null && !slices.Contains(provenance, name) && !slices.Contains([]string{"ttl", "model", "protected", "pinned"}, name) {
			edits = append(edits, jsonedit.Set([]byte(v.Raw), name))
		}
		return true
	})
	return edits
}

// reach orders what records say of the language models to which they may be sent, the strictest last.
func reach(m *memory.Memory) int {
	return 1 + slices.Index([]string{memory.ModelLocal, memory.ModelNever}, m.Model())
}

// longerLife is the ttl of a memory if one that says the same is of use for longer; nil otherwise, and where one of the two can't be read.
func longerLife(into, draft *memory.Memory) *jsonedit.Edit {
	mine, err := ParseTTL(into.TTL, time.UTC)
	theirs, err2 := ParseTTL(draft.TTL, time.UTC)
	if err != nil || err2 != nil || mine == (TTL{}) || illTyped(into) || illTyped(draft) {
		return nil
	}
	var edit jsonedit.Edit
	switch end := theirs.end(draft.CreatedAt); {
	case theirs == (TTL{}):
		edit = jsonedit.Set([]byte("null"), "ttl")
	case !end.After(mine.end(into.CreatedAt)):
		return nil
	case theirs.HasSpan:
		edit = jsonedit.Set(jsonedit.Quote(timestamp.Format(end)), "ttl")
	default:
		edit = jsonedit.Set([]byte(gjson.GetBytes(draft.Raw(), "ttl").Raw), "ttl")
	}
	return &edit
}

// Gained are the members of a record that another one of the same memory lacks or has otherwise, but for when it was updated and arrived,
// and for a ttl that was [Lifted].
func Gained(before, after []byte) (names []string) {
	was := gjson.ParseBytes(before)
	gjson.ParseBytes(after).ForEach(func(key, v gjson.Result) bool {
		if name := key.Str; !slices.Contains([]string{"updated_at", "content", "origin"}, name) && (name != "ttl" || !Lifted(before, after)) && v.Raw != was.Get(gjson.Escape(name)).Raw {
			names = append(names, name)
		}
		return true
	})
	return names
}

// Correction is an older memory that a memory that is about to be saved says it corrects, or, Rejected, one that holds because a person decided
// against what is about to be saved.
type Correction struct {
	*memory.Memory
	Evidence string
	Rejected bool
}

// Corrects reports whether a memory that is about to be saved has words by which it says that it corrects another one.
func (rd *Reader) Corrects(draft *memory.Memory) bool {
	return MayCorrect(draft) && rd.of(draft).reading().Tells()
}

// ValueChanged tells whether a memory that is about to be saved says the same as an older one of its kind but for a value, so that it seems to
// replace it, and by what evidence. Of two events none replaces the other. at is now.
func ValueChanged(older, draft *memory.Memory, at time.Time) (evidence string, ok bool) {
	ahead := older.Newest().After(draft.Newest()) && !older.Newest().After(at)
	if older.Type == memory.Episodic || ahead || older.Type != draft.Type || older.Scope != draft.Scope {
		return "", false
	}
	x, y := readForJudgement(older), readForJudgement(draft)
	j, ok := judgeUpdate(x, y)
	if !ok || !Replaces(x.note, y.note, j) {
		return "", false
	}
	return describeUpdate(j), true
}

// Corrected finds the memories that a memory which is about to be saved says it corrects, among some of its scope. It looks at no
// exclusion: a person is asked, and nothing is changed before. at is now.
func (rd *Reader) Corrected(draft *memory.Memory, candidates []*memory.Memory, at time.Time) (found []Correction) {
	if !rd.Corrects(draft) {
		return nil
	}
	newer := rd.of(draft).reading()
	for _, m := range candidates {
		ahead := m.Newest().After(draft.Newest()) && !m.Newest().After(at) // a time that is still to come says nothing: what is saved now is newer
		if all, _ := memory.ReplacedBy(m); len(all) > 0 || ahead {
			continue
		}
		if j, ok := newer.Corrects(rd.of(m).reading().Reading); ok {
			found = append(found, Correction{m, describeUpdate(j), false})
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
