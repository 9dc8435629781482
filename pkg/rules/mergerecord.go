package rules

import (
	"bytes"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/tidwall/gjson"

	"github.com/memoryd/memoryd/pkg/config"
	"github.com/memoryd/memoryd/pkg/internal/jsonedit"
	"github.com/memoryd/memoryd/pkg/memory"
	"github.com/memoryd/memoryd/pkg/oplog"
	"github.com/memoryd/memoryd/pkg/text"
	"github.com/memoryd/memoryd/pkg/timestamp"
)

// mergeResult are the records that a merge results in, and how many facts of the older
// memories the survivor states, and how many stand in the archived ones only.
type mergeResult struct {
	survivor     []byte
	older        [][]byte
	stated, left int
	wordings     int // variants that the survivor gained
}

// mergeResult makes the records: the survivor with what the older ones add, and each older
// one marked as superseded. A wording of an older one that would be lost is an error.
func mergeRecords(st *state, g *group) (r mergeResult, err error) {
	if r.survivor, err = survive(st, g.survivor.Memory, g.members); err != nil {
		return r, err
	}
	r.older = make([][]byte, len(g.members))
	for i, m := range g.members {
		if r.older[i], err = memory.Supersede(m.Memory, g.survivor.ID); err != nil {
			return r, err
		}
	}
	return r, proveMerge(g, &r)
}

// mergeAction puts the records of a merge where they belong.
func mergeAction(st *state, g *group) (memory.Action, error) {
	r, err := mergeRecords(st, g)
	if err != nil {
		return memory.Action{}, err
	}
	s := g.survivor
	a := memory.Action{
		Action: oplog.Action{Type: oplog.Merge, Rule: RuleMerge, ResultID: s.ID, FactsKept: &r.stated, FactsArchived: &r.left, WordingsKept: r.wordings},
		Ops:    []memory.Op{{Kind: memory.Put, ID: s.ID, Ref: s.Ref, Base: s.Digest(), Raw: r.survivor}},
	}
	tags, content := 1.0, 1.0
	for i, m := range g.members {
		a.Ops = append(a.Ops, st.files.Archive(m.Memory, r.older[i]))
		a.SourceIDs = append(a.SourceIDs, m.ID)
		tags, content = min(tags, m.tags), min(content, m.content)
	}
	a.TagOverlap, a.ContentSimilarity = oplog.Score(tags), oplog.Score(content)
	a.Pairs = inherited(st, g)
	return a, nil
}

// survive is the record of a survivor with what older memories add: the fuller text where one of them says all that it says, and more; the
// fields and members that it lacks; and as variants each wording of theirs that it lacks otherwise.
func survive(st *state, s *memory.Memory, older []member) ([]byte, error) {
	edits := slices.Concat(contentEdits(s, older), gainEdits(s, older), []jsonedit.Edit{changedAt(st.At)}, arrivedLast(st, s, older))
	raw, err := s.Edit(edits...)
	if err != nil {
		return nil, err
	}
	consent := s.Consent
	sources := []*memory.Memory{s}
	for _, m := range newestFirst(older) {
		so, err := memory.OneRecord(s.ID+".json", raw)
		if err != nil {
			return nil, err
		}
		edits := append(fullerText(so, m.Memory), memberEdits(so, m.Memory)...)
		if raw, err = jsonedit.Apply(raw, edits...); err != nil {
			return nil, err
		}
		consent = consent && m.Consent
		sources = append(sources, m.Memory)
	}
	if s.Consent && !consent { // it holds for what each source says
		if raw, err = jsonedit.Apply(raw, jsonedit.Set([]byte("false"), "consolidation_consent")); err != nil {
			return nil, err
		}
	}
	return withVariants(st.Settings.Merge, s.ID, raw, sources)
}

// withVariants is a record with the wording of its sources which it lacks. That it then has each is proved.
func withVariants(set config.Merge, id string, raw []byte, sources []*memory.Memory) ([]byte, error) {
	edits, err := memory.TakeOver(id, raw, sources, memory.VariantLimits{Most: set.MaxVariants, Length: set.VariantLength})
	if err != nil {
		return nil, err
	}
	if raw, err = jsonedit.Apply(raw, edits...); err != nil {
		return nil, err
	}
	survivor, err := memory.OneRecord(id+".json", raw)
	if err != nil {
		return nil, err
	}
	return raw, memory.ProveMerge(survivor, sources...)
}

// fullerText takes over the content of a memory that says all that another one says, at its place and in its order, and more.
func fullerText(s, fuller *memory.Memory) []jsonedit.Edit {
	if s.Content().Type != gjson.String || fuller.Content().Type != gjson.String || s.Title() != fuller.Title() && fuller.Title() != "" {
		return nil
	}
	if sInFuller, fullerInS := memory.Covered(s, fuller); !sInFuller || fullerInS {
		return nil
	}
	return []jsonedit.Edit{jsonedit.Set([]byte(fuller.Content().Raw), "content")}
}

func changedAt(at time.Time) jsonedit.Edit {
	return jsonedit.Set(jsonedit.Quote(timestamp.Format(at)), "updated_at")
}

// gainEdits lists what a survivor gains besides its content.
func gainEdits(s *memory.Memory, older []member) (edits []jsonedit.Edit) {
	root := gjson.ParseBytes(s.Raw())

	tags := slices.Clone(s.Tags)
	var added []string
	refs := elements(root.Get("references"))
	var newRefs []string
	// Reads that are still only in the access log are folded in later.
	count, accessed, priority := s.AccessCount-s.Unfolded, s, s
	confidence, importance := root.Get("confidence"), root.Get("importance")
	supersedes := slices.Clone(s.Supersedes)
	aliases, more := memory.Aliases(s), 0
	for _, m := range newestFirst(older) {
		for _, t := range m.Tags {
			if !hasTag(tags, t) {
				tags, added = append(tags, t), append(added, t)
			}
		}
		words, added := memory.WithAliases(aliases, memory.Aliases(m.Memory))
		aliases, more = words, more+added
		other := gjson.ParseBytes(m.Raw())
		for _, r := range elements(other.Get("references")) {
			if !slices.Contains(refs, r) {
				refs, newRefs = append(refs, r), append(newRefs, r)
			}
		}
		if n := m.AccessCount - m.Unfolded; count > math.MaxInt64-n {
			count = math.MaxInt64
		} else {
			count += n
		}
		if m.LastAccessed.After(accessed.LastAccessed) {
			accessed = m.Memory
		}
		if rank(m.Priority) > rank(priority.Priority) {
			priority = m.Memory
		}
		if c := other.Get("confidence"); c.Type == gjson.Number && (confidence.Type != gjson.Number || c.Num < confidence.Num) {
			confidence = c
		}
		if i := other.Get("importance"); i.Type == gjson.Number && (importance.Type != gjson.Number || i.Num > importance.Num) {
			importance = i
		}
		if m.ID != "" && !slices.Contains(supersedes, m.ID) {
			supersedes = append(supersedes, m.ID)
		}
	}
	edits = append(append(edits, appendTags(s, added)...), pinEdits(s, older)...)
	if count != s.AccessCount-s.Unfolded {
		edits = append(edits, jsonedit.Set([]byte(strconv.FormatInt(count, 10)), "access_count"))
	}
	if accessed != s {
		edits = append(edits, jsonedit.Set(lastAccessed(accessed), "last_accessed"))
	}
	if priority != s {
		edits = append(edits, jsonedit.Set([]byte(gjson.GetBytes(priority.Raw(), "priority").Raw), "priority"))
	}
	if confidence.Type == gjson.Number && confidence.Raw != root.Get("confidence").Raw {
		edits = append(edits, jsonedit.Set([]byte(confidence.Raw), "confidence"))
	}
	if importance.Type == gjson.Number && importance.Raw != root.Get("importance").Raw {
		edits = append(edits, jsonedit.Set([]byte(importance.Raw), "importance"))
	}
	edits = append(edits, appendTo(root.Get("references"), newRefs, "references")...)
	if aliases = aliases[:min(len(aliases), memory.MaxAliases)]; more > 0 {
		edits = append(edits, jsonedit.Set(jsonedit.Strings(aliases), memory.AliasesKey))
	}
	if len(supersedes) > len(s.Supersedes) {
		edits = append(edits, jsonedit.Set(jsonedit.Strings(supersedes), "supersedes"))
	}
	return edits
}

// pinEdits hand what pins an older memory to the survivor. A tag it has gained with the others.
func pinEdits(s *memory.Memory, older []member) (edits []jsonedit.Edit) {
	of := func(pins func(*memory.Memory) bool) bool {
		return !pins(s) && slices.ContainsFunc(older, func(m member) bool { return pins(m.Memory) })
	}
	if of(func(m *memory.Memory) bool { return m.PinMark }) {
		edits = append(edits, jsonedit.Set([]byte("true"), "pinned"))
	}
	if of((*memory.Memory).Permanent) {
		edits = append(edits, jsonedit.Set(jsonedit.Quote("permanent"), "ttl"))
	}
	return edits
}

// lastAccessed is when m was last read, as it writes it, if it does.
func lastAccessed(m *memory.Memory) []byte {
	if m.Unfolded > 0 {
		return jsonedit.Quote(timestamp.Format(m.LastAccessed))
	}
	return []byte(gjson.GetBytes(m.Raw(), "last_accessed").Raw)
}

// contentEdits adds to the survivor's content the fields that it lacks. Fields in both stay as the survivor has them: a list is
// one value.
func contentEdits(s *memory.Memory, older []member) (edits []jsonedit.Edit) {
	if !s.Content().IsObject() {
		return nil
	}
	have := map[string]bool{}
	s.Content().ForEach(func(k, _ gjson.Result) bool { have[k.Str] = true; return true })
	for _, m := range newestFirst(older) {
		if !m.Content().IsObject() {
			continue
		}
		m.Content().ForEach(func(k, v gjson.Result) bool {
			if !have[k.Str] {
				have[k.Str] = true
				edits = append(edits, jsonedit.Set([]byte(v.Raw), "content", k.Str))
			}
			return true
		})
	}
	return edits
}

// newestFirst gives the members in the order in which their fields count.
func newestFirst(ms []member) []member {
	out := slices.Clone(ms)
	slices.SortStableFunc(out, func(a, b member) int { return compareFreshness(b.Memory, a.Memory) })
	return out
}

// elements lists the elements of an array as compact JSON.
func elements(v gjson.Result) (out []string) {
	if !v.IsArray() {
		return nil
	}
	v.ForEach(func(_, e gjson.Result) bool {
		out = append(out, string(bytes.Clone(jsonedit.Compact([]byte(e.Raw)))))
		return true
	})
	return out
}

func hasTag(tags []string, tag string) bool {
	return slices.ContainsFunc(tags, func(t string) bool {
		return text.SameName(strings.TrimSpace(t), strings.TrimSpace(tag))
	})
}

// appendTags adds tags to a memory, whatever shape its tags have.
func appendTags(m *memory.Memory, add []string) []jsonedit.Edit {
	quoted := make([]string, len(add))
	for i, t := range add {
		quoted[i] = string(jsonedit.Quote(t))
	}
	return appendTo(gjson.GetBytes(m.Raw(), "tags"), quoted, "tags")
}

// appendTo adds elements to an array field; a field that is absent, null or a
// single value becomes an array.
func appendTo(v gjson.Result, add []string, key string) []jsonedit.Edit {
	if len(add) == 0 {
		return nil
	}
	if v.IsArray() {
		var edits []jsonedit.Edit
		for _, e := range add {
			edits = append(edits, jsonedit.Append([]byte(e), key))
		}
		return edits
	}
	if v.Exists() && v.Type != gjson.Null && v.Str != "" {
		add = append([]string{v.Raw}, add...)
	}
	return []jsonedit.Edit{jsonedit.Set([]byte("["+strings.Join(add, ", ")+"]"), key)}
}

// rank orders priorities; absent and unknown ones count as medium.
func rank(priority string) int {
	switch priority {
	case "critical":
		return 3
	case "high":
		return 2
	case "low":
		return 0
	}
	return 1
}

// arrivedLast is the change that makes a merged memory arrive when the last of its sources did: nobody has neglected what
// only that one said.
func arrivedLast(st *state, s *memory.Memory, older []member) (edits []jsonedit.Edit) {
	at := st.arrival(s)
	for _, m := range older {
		if other := st.arrival(m.Memory); other.After(at) {
			at, edits = other, []jsonedit.Edit{jsonedit.Set(memory.OriginMember(s.Origin, other), "origin")}
		}
	}
	return edits
}

// proveMerge reads the records that a merge results in as a later snapshot would,
// and notes what became of the sources' facts.
func proveMerge(g *group, r *mergeResult) error {
	result, err := memory.OneRecord(g.survivor.ID+".json", r.survivor)
	if err != nil {
		return err
	}
	had := memory.Variants(g.survivor.Memory)
	for _, v := range memory.Variants(result) {
		if !slices.Contains(had, v) {
			r.wordings++
		}
	}
	var sources, archived []*memory.Memory
	for i, m := range g.members {
		old, err := memory.OneRecord(m.ID+".json", r.older[i])
		if err != nil {
			return err
		}
		sources, archived = append(sources, m.Memory), append(archived, old)
	}
	r.stated, r.left, err = prove(sources, result, archived)
	return err
}
