package rules

import (
	"cmp"
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
	f := finder{planner: p, taken: map[[2]string]bool{}, found: map[string][]update{}}
	for _, w := range p.wording() {
		if w.Type != workspace.Working {
			f.says = append(f.says, w)
		}
	}
	slices.SortStableFunc(f.says, func(a, b worded) int { return fresher(b.Memory, a.Memory) })
	f.cited()
	f.alike()
	var out []update
	for _, s := range f.says {
		out = append(out, f.found[s.ID]...)
	}
	return out
}

// worded is a memory with its text.
type worded struct {
	*workspace.Memory
	text     string
	features *similarity.Features
}

// finder collects updates without comparing all memories with each other.
type finder struct {
	*planner
	says  []worded // freshest first
	taken map[[2]string]bool
	found map[string][]update // by the newer one's id
}

// place is what two memories have in common of which one cites the other.
func place(m *workspace.Memory) string { return m.Scope.Kind + "\x00" + m.Scope.ID + "\x00" }

// cited finds the memories that say which other they replace, or by which they
// are replaced: by its id, or by the number of a document in its title.
func (f *finder) cited() {
	cited := make([][]string, len(f.says))
	each(len(cited), func(i int) { cited[i] = supersession.Cited(f.says[i].text) })
	if !slices.ContainsFunc(cited, func(keys []string) bool { return keys != nil }) {
		return
	}
	names := make([][]string, len(f.says))
	each(len(names), func(i int) { names[i] = f.says[i].note().Keys() })
	by := map[string][]worded{}
	for i, s := range f.says {
		for _, key := range names[i] {
			by[place(s.Memory)+key] = append(by[place(s.Memory)+key], s)
		}
	}
	for i, s := range f.says {
		for _, key := range cited[i] {
			same := by[place(s.Memory)+key]
			if len(same) != 1 || same[0].Memory == s.Memory {
				continue // several go by that name: nobody knows which is meant
			}
			f.statedBetween(same[0], s)
		}
	}
}

// statedBetween keeps the update that one of two memories states, whichever is the
// newer: the text says who replaces whom.
func (f *finder) statedBetween(a, b worded) {
	for _, pair := range [][2]worded{{a, b}, {b, a}} {
		if u, ok := judge(pair[0], pair[1]); ok && u.judgement.Cue == supersession.CueStated {
			u.content = similarity.Content(a.features, b.features)
			f.keep(u)
			return
		}
	}
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

// alike finds the memories that share much of their wording and tags with a newer
// one.
func (f *finder) alike() {
	found := make([][]update, len(f.says)) // by the newer one
	key := func(i int) string { return place(f.says[i].Memory) + strings.ToLower(f.says[i].Type) }
	parts(len(f.says), key, func(part []int) { f.alikeIn(part, found) })
	for _, us := range found {
		for _, u := range us {
			f.keep(u)
		}
	}
}

// alikeIn does that for the memories of one place and type. It changes nothing but
// found, at the places of these.
func (f *finder) alikeIn(part []int, found [][]update) {
	records := make([]similarity.Record, len(part))
	for k, i := range part {
		records[k] = similarity.Record{Tags: f.says[i].Tags, Text: f.says[i].features}
	}
	join := similarity.NewJoin(records, f.Settings.Supersede.TagOverlap, f.Settings.Supersede.ContentSimilarity)
	for k, i := range part {
		pairs := join.Similar(k)
		join.Remove(k)
		slices.SortStableFunc(pairs, func(a, b similarity.Pair) int { return cmp.Compare(b.Content, a.Content) })
		other := func(pair similarity.Pair) int { return pair.A + pair.B - k }
		var us []update
		for _, pair := range pairs[:min(len(pairs), maxJudged)] {
			older, newer := f.says[part[other(pair)]], f.says[i]
			if f.mergeDecides(older, newer, pair) {
				continue
			}
			if u, ok := judge(older, newer); ok && older.Newest().Before(newer.Newest()) {
				u.content = pair.Content
				us = append(us, u)
			}
		}
		if len(us) <= maxUpdates && len(pairs) <= maxAlike {
			found[i] = us
			continue
		}
		for _, pair := range pairs {
			if len(pairs) > maxAlike || pair.Content >= us[len(us)-1].content {
				join.Remove(other(pair))
			}
		}
	}
}

// mergeDecides reports whether a pair is one for the merge rule, which asks about
// distinct facts itself.
func (f *finder) mergeDecides(a, b worded, pair similarity.Pair) bool {
	set := f.Settings.Merge
	return pair.Content > set.ContentSimilarity && pair.TagOverlap > set.TagOverlap && block(a.Memory) == block(b.Memory)
}

// judge tells whether a newer memory updates an older one in a way that is worth a
// person's time.
func judge(older, newer worded) (update, bool) {
	if slices.Contains(newer.Supersedes, older.ID) || slices.Contains(older.SupersededBy, newer.ID) {
		return update{}, false // decided already
	}
	a, b := older.note(), newer.note()
	j := supersession.Judge(a, b)
	return update{older: older.Memory, newer: newer.Memory, judgement: j}, j.Relation == supersession.Updates && telling(older.Memory, a, b, j.Cue)
}

// keep takes an update, and one only of a pair that is found twice.
func (f *finder) keep(u update) {
	ids := [2]string{min(u.older.ID, u.newer.ID), max(u.older.ID, u.newer.ID)}
	if f.taken[ids] {
		return
	}
	f.taken[ids] = true
	u.tags = similarity.Tags(u.older.Tags, u.newer.Tags)
	f.found[u.newer.ID] = append(f.found[u.newer.ID], u)
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
func (s worded) note() supersession.Note {
	n := supersession.Note{Name: s.ID, Title: title(s.Memory), Text: s.text}
	if rest, ok := strings.CutPrefix(n.Text, n.Title+"\n"); ok && strings.TrimSpace(rest) != "" {
		n.Text = rest
	}
	return n
}

// title is what a memory is called, by its content or beside it; "" when neither
// says.
func title(m *workspace.Memory) string {
	if v := m.Content().Get("title"); v.Type == gjson.String && strings.TrimSpace(v.Str) != "" {
		return v.Str
	}
	if strings.TrimSpace(m.Title()) != "" {
		return m.Title()
	}
	return ""
}
