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
	p.fresh()
	f := finder{planner: p, taken: map[[2]int32]bool{}, found: make([][]update, len(p.live)), texts: make([]worded, len(p.live))}
	for _, k := range p.freshest {
		if p.live[k].Type != workspace.Working {
			f.says = append(f.says, k)
		}
	}
	each(len(f.says), func(i int) {
		k := f.says[i]
		text := p.live[k].Text()
		f.texts[k] = worded{p.live[k], k, text, similarity.Prepare(text)}
	})
	f.says = slices.DeleteFunc(f.says, func(k int32) bool { return strings.TrimSpace(f.texts[k].text) == "" })
	f.cited()
	f.alike()
	var out []update
	for _, k := range f.says {
		out = append(out, f.found[k]...)
	}
	return out
}

// worded is a memory with its position and text.
type worded struct {
	*workspace.Memory
	at       int32
	text     string
	features *similarity.Features
}

// finder collects updates without comparing all memories with each other.
type finder struct {
	*planner
	says  []int32  // freshest first
	texts []worded // by position
	taken map[[2]int32]bool
	found [][]update // by the newer one's position
}

// cited finds the memories that say which other they replace, or by which they
// are replaced: by its id, or by the number of a document in its title.
func (f *finder) cited() {
	cited := make([][]string, len(f.says))
	each(len(cited), func(i int) { cited[i] = supersession.Cited(f.texts[f.says[i]].text) })
	if !slices.ContainsFunc(cited, func(keys []string) bool { return keys != nil }) {
		return
	}
	names := make([][]string, len(f.says))
	each(len(names), func(i int) { names[i] = f.texts[f.says[i]].note().Keys() })
	// called is a name in the place in which one memory may cite another.
	type called struct {
		scope workspace.Scope
		key   string
	}
	by := map[called][]int32{}
	for i, k := range f.says {
		for _, key := range names[i] {
			c := called{f.live[k].Scope, key}
			by[c] = append(by[c], k)
		}
	}
	for i, k := range f.says {
		for _, key := range cited[i] {
			same := by[called{f.live[k].Scope, key}]
			if len(same) != 1 || same[0] == k {
				continue // several go by that name: nobody knows which is meant
			}
			f.statedBetween(f.texts[same[0]], f.texts[k])
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
	found := make([][]update, len(f.live)) // by the newer one
	parts(f.subjects(), func(part []int32) { f.alikeIn(part, found) })
	for _, k := range f.says {
		for _, u := range found[k] {
			f.keep(u)
		}
	}
}

// subjects lists the memories of each scope and type, freshest first.
func (f *finder) subjects() [][]int32 {
	type subject struct {
		scope workspace.Scope
		kind  string
	}
	at := map[subject]int{}
	var all [][]int32
	for _, k := range f.says {
		s := subject{f.live[k].Scope, strings.ToLower(f.live[k].Type)}
		i, ok := at[s]
		if !ok {
			i = len(all)
			at[s] = i
			all = append(all, nil)
		}
		all[i] = append(all[i], k)
	}
	return all
}

// alikeIn does that for the memories of one scope and type. It changes nothing but
// found, at the places of these.
func (f *finder) alikeIn(part []int32, found [][]update) {
	records := make([]similarity.Record, len(part))
	for n, k := range part {
		records[n] = similarity.Record{Tags: f.live[k].Tags, Text: f.texts[k].features}
	}
	join := similarity.NewJoin(records, f.Settings.Supersede.TagOverlap, f.Settings.Supersede.ContentSimilarity)
	for k, at := range part {
		pairs := join.Similar(k)
		join.Remove(k)
		slices.SortStableFunc(pairs, func(a, b similarity.Pair) int { return cmp.Compare(b.Content, a.Content) })
		other := func(pair similarity.Pair) int { return pair.A + pair.B - k }
		var us []update
		for _, pair := range pairs[:min(len(pairs), maxJudged)] {
			older, newer := f.texts[part[other(pair)]], f.texts[at]
			if f.mergeDecides(older, newer, pair) {
				continue
			}
			if u, ok := judge(older, newer); ok && older.Newest().Before(newer.Newest()) {
				u.content = pair.Content
				us = append(us, u)
			}
		}
		if len(us) <= maxUpdates && len(pairs) <= maxAlike {
			found[at] = us
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
	return pair.Content > set.ContentSimilarity && pair.TagOverlap > set.TagOverlap && blockOf(a.Memory) == blockOf(b.Memory)
}

// judge tells whether a newer memory updates an older one in a way that is worth a
// person's time.
func judge(older, newer worded) (update, bool) {
	if slices.Contains(newer.Supersedes, older.ID) || slices.Contains(older.SupersededBy, newer.ID) {
		return update{}, false // decided already
	}
	a, b := older.note(), newer.note()
	j := supersession.Judge(a, b)
	return update{older: older.at, newer: newer.at, judgement: j}, j.Relation == supersession.Updates && telling(older.Memory, a, b, j.Cue)
}

// keep takes an update, and one only of a pair that is found twice.
func (f *finder) keep(u update) {
	pair := [2]int32{min(u.older, u.newer), max(u.older, u.newer)}
	if f.taken[pair] {
		return
	}
	f.taken[pair] = true
	u.tags = similarity.Tags(f.live[u.older].Tags, f.live[u.newer].Tags)
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
