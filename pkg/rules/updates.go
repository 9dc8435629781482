package rules

import (
	"cmp"
	"maps"
	"slices"
	"strings"

	"github.com/tidwall/gjson"

	"github.com/memoryd/memoryd/pkg/similarity"
	"github.com/memoryd/memoryd/pkg/supersession"
	"github.com/memoryd/memoryd/pkg/workspace"
)

// updates finds the memories that a newer one updates, the freshest newer ones
// first. Working memories take no part: their session settles them.
func (p *planner) updates() []update {
	f := finder{planner: p, taken: map[[2]int32]bool{}, found: map[int32][]update{}}
	f.cited()
	f.alike()
	var out []update
	for _, k := range slices.SortedFunc(maps.Keys(f.found), p.before) {
		out = append(out, f.found[k]...)
	}
	return out
}

// finder collects updates without comparing all memories with each other.
type finder struct {
	*planner
	taken map[[2]int32]bool
	found map[int32][]update // by the newer one
}

// Bounds on look-alikes. A memory that seems to update many others belongs to a
// series of notes in one form ("The export wrote 1,217 rows"), of which none updates
// another. A series that is found out takes no further part: its older half, being
// smaller, would pass for updates.
const (
	maxUpdates = 3   // updates by one memory
	maxJudged  = 12  // look-alikes of one memory that are judged, the most alike first
	maxAlike   = 200 // look-alikes of one memory; with more, all of them are a series
)

// subjectOf is what two memories have in common of which one may update the other.
func subjectOf(m *workspace.Common) block {
	return block{kind: strings.ToLower(m.Type), scope: m.Scope.Kind, scopeID: m.Scope.ID}
}

func isWorking(m *workspace.Common) bool { return m.Type == workspace.Working }

// alike finds the memories that share much of their wording and tags with a newer
// one.
func (f *finder) alike() {
	s := &search{
		planner: f.planner, tags: f.Settings.Supersede.TagOverlap, content: f.Settings.Supersede.ContentSimilarity,
		visit: f.judgeAll,
	}
	f.asked = s.run(parting{kind: subjectOf, none: isWorking}, f.known.updated(f.planner))
	for _, e := range f.asked.inOrder(f.planner) {
		for _, u := range e.found.([]update) {
			f.keep(u)
		}
	}
}

// judgeAll judges the look-alikes of a memory, and lists those of a series.
func (f *finder) judgeAll(v *visit) (series []int32, found any) {
	order := make([]*similarTo, len(v.pairs))
	for i := range v.pairs {
		order[i] = &v.pairs[i]
	}
	slices.SortStableFunc(order, func(a, b *similarTo) int { return cmp.Compare(b.content, a.content) })
	var us []update
	var own *noted
	for _, pair := range order[:min(len(order), maxJudged)] {
		if f.mergeDecides(v.of, pair) || !f.at(pair.with).Newest().Before(f.at(v.of).Newest()) {
			continue
		}
		if pair.finding == nil {
			if own == nil {
				own = read(f.at(v.of))
			}
			j, ok := judge(read(f.at(pair.with)), own)
			pair.finding = appendJudgement(nil, j, ok)
			f.learnt.Add(learntPair)
		}
		if j, ok := readJudgement(pair.finding); ok {
			us = append(us, update{older: pair.with, newer: v.of, content: pair.content, judgement: j})
		}
	}
	if len(us) <= maxUpdates && len(order) <= maxAlike {
		return nil, us
	}
	for _, pair := range order {
		if len(order) > maxAlike || pair.content >= us[len(us)-1].content {
			series = append(series, pair.with)
		}
	}
	return series, []update(nil)
}

// mergeDecides reports whether a pair is one for the merge rule, which asks about
// distinct facts itself.
func (f *finder) mergeDecides(k int32, pair *similarTo) bool {
	set := f.Settings.Merge
	return pair.content > set.ContentSimilarity && pair.tags > set.TagOverlap && blockOf(f.at(k).Common) == blockOf(f.at(pair.with).Common)
}

// noted is a memory that was read to be judged.
type noted struct {
	*workspace.Memory
	note    supersession.Note
	reading supersession.Reading
}

func read(m *workspace.Memory) *noted {
	n := note(m)
	return &noted{m, n, supersession.Read(n)}
}

// judge tells whether a newer memory updates an older one in a way that is worth a
// person's time.
func judge(older, newer *noted) (supersession.Judgement, bool) {
	if slices.Contains(newer.Supersedes, older.ID) || slices.Contains(older.SupersededBy, newer.ID) {
		return supersession.Judgement{}, false // decided already
	}
	j := older.reading.Judge(newer.reading)
	return j, j.Relation == supersession.Updates && telling(older.Memory, older.note, newer.note, j.Cue)
}

// keep takes an update, and one only of a pair that is found twice.
func (f *finder) keep(u update) {
	pair := [2]int32{min(u.older, u.newer), max(u.older, u.newer)}
	if f.taken[pair] {
		return
	}
	f.taken[pair] = true
	u.tags = similarity.Tags(f.at(u.older).Tags, f.at(u.newer).Tags)
	f.found[u.newer] = append(f.found[u.newer], u)
}

// telling reports whether a cue is enough for a question to a person. What a text
// states always is; that two texts take up one subject is not. An episode is over:
// another with other values is another episode. Titles, where both have one, must
// be about the same.
func telling(older *workspace.Memory, a, b supersession.Note, cue string) bool {
	switch {
	case cue == supersession.CueStated:
		return true
	case cue != supersession.CueChange && cue != supersession.CueValue, older.Type == workspace.Episodic:
		return false
	case a.Title == "" || b.Title == "":
		return true
	}
	return supersession.Judge(supersession.Note{Text: a.Title}, supersession.Note{Text: b.Title}).Relation != supersession.Unrelated
}

// note is the memory as a text with a name and a title; the title is no part of
// the text.
func note(m *workspace.Memory) supersession.Note {
	n := supersession.Note{Name: m.ID, Title: title(m), Text: m.Text()}
	if rest, ok := strings.CutPrefix(n.Text, n.Title+"\n"); ok && strings.TrimSpace(rest) != "" {
		n.Text = rest
	}
	return n
}

// title is what a memory is called, by its content or beside it; "" when neither
// says.
func title(m *workspace.Memory) string {
	if v := m.Field("title"); v.Type == gjson.String && strings.TrimSpace(v.Str) != "" {
		return v.Str
	}
	if strings.TrimSpace(m.Title()) != "" {
		return m.Title()
	}
	return ""
}

// appendJudgement writes a judgement as a finding: nothing for no update.
func appendJudgement(out []byte, j supersession.Judgement, ok bool) []byte {
	if !ok {
		return append(out, 0)
	}
	out = append(out, 1)
	for _, s := range []string{j.Cue, j.OlderSentence, j.NewerSentence, j.Old, j.New} {
		out = appendString(out, s)
	}
	return out
}

func readJudgement(finding []byte) (j supersession.Judgement, ok bool) {
	r := reader{rest: finding}
	if r.byte() == 0 {
		return j, false
	}
	j.Relation = supersession.Updates
	for _, s := range []*string{&j.Cue, &j.OlderSentence, &j.NewerSentence, &j.Old, &j.New} {
		*s = r.string()
	}
	return j, !r.broken
}
