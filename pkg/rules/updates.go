package rules

import (
	"slices"
	"strings"

	"github.com/tidwall/gjson"

	"github.com/memoryd/memoryd/pkg/similarity"
	"github.com/memoryd/memoryd/pkg/supersession"
	"github.com/memoryd/memoryd/pkg/workspace"
)

// updates finds the memories that a newer one updates, the freshest newer ones
// first; only pairs that wanted accepts are judged. Working memories take no part:
// their session settles them.
func (p *planner) updates(wanted func(a, b *workspace.Memory) bool) []update {
	f := finder{planner: p, wanted: wanted, taken: map[[2]string]bool{}, found: map[string][]update{}}
	for _, m := range p.live {
		if text := m.Text(); m.Type != workspace.Working && strings.TrimSpace(text) != "" {
			f.says = append(f.says, worded{m, text})
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
	text string
}

// finder collects updates without comparing all memories with each other.
type finder struct {
	*planner
	says   []worded // freshest first
	wanted func(a, b *workspace.Memory) bool
	taken  map[[2]string]bool
	found  map[string][]update // by the newer one's id
}

// place is what two memories have in common of which one cites the other.
func place(m *workspace.Memory) string { return m.Scope.Kind + "\x00" + m.Scope.ID + "\x00" }

// cited finds the memories that say which other they replace, or by which they
// are replaced: by its id, or by the number of a document in its title.
func (f *finder) cited() {
	cited := make([][]string, len(f.says))
	some := false
	for i, s := range f.says {
		cited[i] = supersession.Cited(s.text)
		some = some || cited[i] != nil
	}
	if !some {
		return
	}
	by := map[string][]worded{}
	for _, s := range f.says {
		for _, key := range s.note().Keys() {
			by[place(s.Memory)+key] = append(by[place(s.Memory)+key], s)
		}
	}
	for i, s := range f.says {
		for _, key := range cited[i] {
			same := by[place(s.Memory)+key]
			if len(same) != 1 || same[0].Memory == s.Memory {
				continue // several go by that name: nobody knows which is meant
			}
			content := func() float64 {
				return similarity.Content(similarity.Prepare(same[0].text), similarity.Prepare(s.text))
			}
			if !f.try(same[0], s, content, true) {
				f.try(s, same[0], content, true)
			}
		}
	}
}

// maxAlike is how many look-alikes a memory may have. One with more belongs to a
// series, such as daily reports, of which none updates another.
const maxAlike = 8

// alike finds the memories that share much of their wording and tags with a newer
// one.
func (f *finder) alike() {
	records := make([]similarity.Record, len(f.says))
	for i, s := range f.says {
		records[i] = similarity.Record{Block: place(s.Memory) + strings.ToLower(s.Type), Tags: s.Tags, Text: similarity.Prepare(s.text)}
	}
	join := similarity.NewJoin(records, f.Settings.Supersede.TagOverlap, f.Settings.Supersede.ContentSimilarity)
	series := make([]bool, len(records))
	for i, newer := range f.says {
		if series[i] {
			continue
		}
		pairs := join.Similar(i)
		join.Remove(i)
		if len(pairs) > maxAlike {
			for _, pair := range pairs {
				series[pair.A+pair.B-i] = true
			}
			continue
		}
		for _, pair := range pairs {
			j := pair.A + pair.B - i
			if older := f.says[j]; !series[j] && older.Newest().Before(newer.Newest()) {
				f.try(older, newer, func() float64 { return pair.Content }, false)
			}
		}
	}
}

// try judges a pair and keeps it if the newer updates the older; cited asks that
// one of the texts states it.
func (f *finder) try(older, newer worded, content func() float64, cited bool) bool {
	ids := [2]string{min(older.ID, newer.ID), max(older.ID, newer.ID)}
	if !f.wanted(older.Memory, newer.Memory) || f.taken[ids] || slices.Contains(newer.Supersedes, older.ID) || slices.Contains(older.SupersededBy, newer.ID) {
		return false
	}
	a, b := older.note(), newer.note()
	j := supersession.Judge(a, b)
	if j.Relation != supersession.Updates || !telling(older.Memory, a, b, j.Cue) || cited && j.Cue != supersession.CueStated {
		return false
	}
	f.taken[ids] = true
	f.found[newer.ID] = append(f.found[newer.ID], update{older.Memory, newer.Memory, similarity.Tags(older.Tags, newer.Tags), content(), j})
	return true
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
	for _, v := range []gjson.Result{m.Content().Get("title"), gjson.GetBytes(m.Raw, "title")} {
		if v.Type == gjson.String && strings.TrimSpace(v.Str) != "" {
			return v.Str
		}
	}
	return ""
}
