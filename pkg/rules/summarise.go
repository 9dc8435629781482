package rules

import (
	"errors"
	"fmt"
	"path"
	"unicode/utf8"

	"github.com/tidwall/gjson"

	"github.com/memoryd/memoryd/pkg/internal/jsonedit"
	"github.com/memoryd/memoryd/pkg/internal/parallel"
	"github.com/memoryd/memoryd/pkg/oplog"
	"github.com/memoryd/memoryd/pkg/summary"
	"github.com/memoryd/memoryd/pkg/timestamp"
	"github.com/memoryd/memoryd/pkg/workspace"
)

// verbose reports whether an episode that is old enough has details longer than the
// limit. An object's length is that of its compact JSON.
func (p *planner) verbose(m *workspace.Memory) (chars int, ok bool) {
	chars = detailed(m)
	return chars, chars > p.Settings.Summarise.MinChars
}

// summarise proposes summaries of verbose episodes. A summary costs time, so none
// is made that can't fit: what the last run deferred comes first, and once the run
// is full the rest waits for the next, as it would if it were made. All cores make them.
func (p *planner) summarise() {
	episodes := make([]episode, 0, having(episodic, p.traits))
	for i, t := range p.traits {
		k := int32(i)
		if t&episodic == 0 || p.claimed.has(k) {
			continue
		}
		if p.admits(k, workspace.RuleSummarise) {
			episodes = append(episodes, episode{at: k})
		}
	}
	for _, late := range []bool{true, false} {
		room := p.left(late)
		if !late {
			for _, e := range episodes {
				room -= e.took
			}
		}
		var due []*episode
		for i := range episodes {
			if e := &episodes[i]; room > 0 && p.late.has(e.at) == late {
				due = append(due, e)
			}
		}
		for len(due) > 0 && room > 0 {
			batch := due[:min(room, len(due))] // each of which would be made, whatever comes of those before it
			due = due[len(batch):]
			parallel.Tasks(len(batch), func(i int) {
				action, err := p.shortened(batch[i].at)
				batch[i].action, batch[i].err = &action, err
			})
			for _, e := range batch {
				if e.err == nil {
					e.took = 1
					room--
				}
			}
		}
	}
	taken := 0
	for i := range episodes {
		switch e := &episodes[i]; {
		case e.err != nil:
			p.notShortened(e.at, e.err)
			continue
		case e.took == 0 && taken >= p.Settings.Run.Limit && !p.late.has(e.at):
			p.putOff(e.at)
		default:
			p.considerShort(e)
		}
		taken++
	}
}

// considerShort takes a summary into the plan: one that is made if a candidate before it comes to nothing, or is
// made already.
func (p *planner) considerShort(e *episode) {
	build := func() (workspace.Action, error) { return p.shortened(e.at) }
	if e.took > 0 {
		build = func() (workspace.Action, error) { return *e.action, nil }
	}
	p.consider(candidate{of: e.at, cost: 1, more: &wider{build: build, refused: func(err error) { p.notShortened(e.at, err) }}})
}

// episode is a memory to be summarised, and what came of it.
type episode struct {
	at     int32             // the memory
	took   int               // of the run's room; 0 when it was not made
	action *workspace.Action // nil when it was not made
	err    error
}

func (p *planner) notShortened(k int32, err error) {
	reason := ReasonBroken
	if errors.Is(err, summary.ErrNotShorter) || errors.Is(err, summary.ErrTooFewKeyTerms) {
		reason = ReasonSummary
	}
	p.skip(p.id(k), workspace.RuleSummarise, reason, err.Error())
}

// shortened builds the action that summarises the memory at k.
func (p *planner) shortened(k int32) (workspace.Action, error) {
	m := p.at(k)
	chars := detailed(m)
	d := m.Content().Get("details")
	text := d.Str
	if d.Type != gjson.String {
		text = plain(d)
	}
	r := p.Settings.Summarise
	s, err := p.summary(k, text, summary.Options{
		Title:    m.Content().Get("title").Str + " " + m.Content().Get("summary").Str,
		MaxChars: min(r.MaxChars, r.MinChars), MinKeyTerms: r.KeyTerms, Ref: m.CreatedAt,
	})
	if err != nil {
		return workspace.Action{}, err
	}
	value := jsonedit.Quote(s.Text())
	after := utf8.RuneCountInString(s.Text())
	if d.Type != gjson.String {
		value = sections(s)
		after = utf8.RuneCount(jsonedit.Compact(value))
	}
	if after >= chars || after > r.MinChars {
		return workspace.Action{}, fmt.Errorf("%w: %d characters instead of %d", summary.ErrNotShorter, after, chars)
	}
	edits := []jsonedit.Edit{
		jsonedit.Set(value, "content", "details"),
		jsonedit.Set(jsonedit.Quote(timestamp.Format(p.At)), "updated_at"),
	}
	if !m.HasTag("summarized") {
		edits = append(edits, appendTags(m, []string{"summarized"})...)
	}
	raw, err := m.Edit(edits...)
	if err != nil {
		return workspace.Action{}, err
	}
	if raw, err = shortTimeline(raw, r.TimelineKeep); err != nil {
		return workspace.Action{}, err
	}
	digest := m.Digest()
	kept := path.Join(workspace.OriginalDir, workspace.FileName(m.ID), string(digest[:16])+".json")
	return workspace.Action{
		Action: oplog.Action{
			Type: oplog.Summarize, Rule: workspace.RuleSummarise, MemoryID: m.ID,
			CharsBefore: chars, CharsAfter: after, Original: kept,
			Digests: map[string]string{m.ID: string(digest)},
			Detail:  fmt.Sprintf("%.0f %% of the key terms kept", s.KeyTermsKept*100),
		},
		Ops:       []workspace.Op{{Kind: workspace.Put, ID: m.ID, Ref: m.Ref, Base: digest, Raw: raw}},
		Originals: []workspace.Original{{File: kept, Raw: m.Raw()}},
	}, nil
}

// shortTimeline keeps the first and last keep entries of content.timeline.
func shortTimeline(raw []byte, keep int) ([]byte, error) {
	entries, ok := jsonedit.Elements(raw, "content", "timeline")
	if !ok || len(entries) <= 2*keep {
		return raw, nil
	}
	remove := map[int]bool{}
	for i := keep; i < len(entries)-keep; i++ {
		remove[i] = true
	}
	return jsonedit.EditArray(raw, []string{"content", "timeline"}, jsonedit.ArrayEdit{Remove: remove})
}

// plain is the text of a value: its strings and literals, one to a line, with
// the names of the fields before them.
func plain(v gjson.Result) string {
	out := ""
	v.ForEach(func(key, child gjson.Result) bool {
		switch {
		case child.IsObject() || child.IsArray():
			out += plain(child)
		case child.Type == gjson.String:
			out += child.Str + "\n"
		case child.Type != gjson.Null:
			out += key.String() + ": " + child.Raw + "\n"
		}
		return true
	})
	return out
}

// sections is a summary as an object.
func sections(s summary.Summary) []byte {
	out := []byte("{")
	add := func(key string, lines []string) {
		if len(lines) == 0 {
			return
		}
		if len(out) > 1 {
			out = append(out, ',')
		}
		out = append(append(append(out, jsonedit.Quote(key)...), ':'), jsonedit.Strings(lines)...)
	}
	add("what_happened", s.WhatHappened)
	add("who", s.Who)
	add("outcome", s.Outcome)
	add("key_learnings", s.KeyLearnings)
	return append(out, '}')
}
