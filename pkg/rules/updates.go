package rules

import (
	"cmp"
	"slices"
	"strings"

	"github.com/memoryd/memoryd/pkg/memory"
	"github.com/memoryd/memoryd/pkg/similarity"
	"github.com/memoryd/memoryd/pkg/supersession"
)

// updates finds the memories that a newer one updates, the freshest newer ones first: by
// what they say of others, by what they tell has changed, and by being alike. Working memories take no part: their
// session settles them.
func updates(st *state) (all []update) {
	found := map[[2]int]bool{} // pairs
	for _, u := range slices.Concat(statedUpdates(st), toldUpdates(st), likelyUpdates(st)) {
		if pair := [2]int{min(u.older.n, u.newer.n), max(u.older.n, u.newer.n)}; !found[pair] {
			found[pair] = true
			u.tags = similarity.Tags(u.older.Tags, u.newer.Tags)
			all = append(all, u)
		}
	}
	slices.SortStableFunc(all, func(a, b update) int { return freshestFirst(a.newer, b.newer) })
	return all
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

// likelyUpdates finds those that share much of their wording and tags with a newer one,
// and judges them.
func likelyUpdates(st *state) []update {
	return slices.Concat(searchSimilar(st, search{
		kind: 'u',
		block: func(m *memory.Memory) (block, bool) {
			return block{kind: strings.ToLower(m.Type), scope: m.Scope.Kind, scopeID: m.Scope.ID}, m.Type != memory.Working
		},
		tags: st.Settings.Supersede.TagOverlap, content: st.Settings.Supersede.ContentSimilarity,
	}, func(v *visit) ([]*subject, []update) { return judgeAll(st, v) })...)
}

// judgeAll judges the look-alikes of a memory, and lists those of a series.
func judgeAll(st *state, v *visit) (series []*subject, us []update) {
	pairs := slices.Clone(v.pairs)
	slices.SortStableFunc(pairs, func(a, b similarTo) int { return cmp.Compare(b.content, a.content) })
	var newer *reading
	for _, pair := range pairs[:min(len(pairs), maxJudged)] {
		// A pair for the merge rule is not one for this: that asks about distinct facts itself.
		merges := areDuplicates(st, pair.tags, pair.content) && duplicateBlock(v.of.Memory) == duplicateBlock(pair.Memory)
		if merges || !pair.Newest().Before(v.of.Newest()) {
			continue
		}
		told := pair.judge(func() []string {
			if newer == nil {
				newer = read(v.of.Memory)
			}
			j, ok := judge(read(pair.Memory), newer)
			if !ok {
				return nil
			}
			return verdict(j)
		})
		if len(told) > 0 {
			us = append(us, update{older: pair.subject, newer: v.of, content: pair.content, judgement: judgementOf(told)})
		}
	}
	if len(us) <= maxUpdates && len(pairs) <= maxAlike {
		return nil, us
	}
	for _, pair := range pairs {
		if len(pairs) > maxAlike || pair.content >= us[len(us)-1].content {
			series = append(series, pair.subject)
		}
	}
	return series, nil
}

// verdict is a judgement of an update as a memo keeps it; judgementOf reads it.
func verdict(j supersession.Judgement) []string {
	return []string{j.Cue, j.OlderSentence, j.NewerSentence, j.Old, j.New}
}

func judgementOf(v []string) supersession.Judgement {
	if len(v) != 5 {
		return supersession.Judgement{}
	}
	return supersession.Judgement{
		Relation: supersession.Updates, Cue: v[0], OlderSentence: v[1], NewerSentence: v[2], Old: v[3], New: v[4],
	}
}

// decided reports whether the records say already that a newer memory supersedes an older one.
func decided(older, newer *memory.Memory) bool {
	return slices.Contains(newer.Supersedes, older.ID) || slices.Contains(older.SupersededBy, newer.ID)
}

// reading is a memory that was read to be judged.
type reading struct {
	*memory.Memory
	note supersession.Note
	supersession.Reading
}

func read(m *memory.Memory) *reading {
	n := note(m)
	return &reading{m, n, supersession.Read(n)}
}

// judge tells whether a newer memory updates an older one in a way that is worth a
// person's time.
func judge(older, newer *reading) (supersession.Judgement, bool) {
	if decided(older.Memory, newer.Memory) {
		return supersession.Judgement{}, false
	}
	j := older.Judge(newer.Reading)
	return j, j.Relation == supersession.Updates && telling(older.Memory, older.note, newer.note, j.Cue)
}

// telling reports whether a cue is enough for a question to a person. What a text
// states always is; that two texts take up one subject is not. An episode is over:
// another with other values is another episode. Titles, where both have one, must
// be about the same.
func telling(older *memory.Memory, a, b supersession.Note, cue string) bool {
	switch {
	case cue == supersession.CueStated:
		return true
	case cue != supersession.CueChange && cue != supersession.CueValue, older.Type == memory.Episodic:
		return false
	case a.Title == "" || b.Title == "":
		return true
	}
	return supersession.Judge(supersession.Note{Text: a.Title}, supersession.Note{Text: b.Title}).Relation != supersession.Unrelated
}

// note is the memory as a text with a name and a title; the title is no part of
// the text.
func note(m *memory.Memory) supersession.Note {
	n := supersession.Note{Name: m.ID, Title: title(m), Text: m.Text()}
	if rest, ok := strings.CutPrefix(n.Text, n.Title+"\n"); ok && strings.TrimSpace(rest) != "" {
		n.Text = rest
	}
	return n
}
