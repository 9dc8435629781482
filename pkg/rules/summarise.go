package rules

import (
	"crypto/sha256"
	"errors"
	"fmt"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/tidwall/gjson"

	"github.com/memoryd/memoryd/pkg/internal/jsonedit"
	"github.com/memoryd/memoryd/pkg/internal/parallel"
	"github.com/memoryd/memoryd/pkg/memory"
	"github.com/memoryd/memoryd/pkg/oplog"
	"github.com/memoryd/memoryd/pkg/summary"
)

// RuleSummarise is the name of the rule that shortens long details of old episodes.
const RuleSummarise = "summarise"

var summarising = rule{
	name: RuleSummarise,
	does: "shortens the long details of an old episodic memory to a summary; the original is kept in full",
	asks: verbose,
	moments: func(st *state, m *memory.Memory) []moment {
		if m.Type != memory.Episodic {
			return nil
		}
		return []moment{{span: st.Settings.Summarise.MinAge, from: m.CreatedAt, more: true}}
	},
	propose: proposeSummaries,
}

// verbose is what the rule asks of a memory. The length of details that are an object is that of their compact JSON.
var verbose = conditions{
	typeIs(memory.Episodic),
	{
		what: func(st *state, _ *memory.Memory) string {
			return "created more than " + st.Settings.Summarise.MinAge.String() + " ago"
		},
		met: func(st *state, m *memory.Memory) bool {
			return !m.CreatedAt.IsZero() && m.CreatedAt.Before(st.episode)
		},
		is: ageOf,
	},
	{
		what: func(st *state, _ *memory.Memory) string {
			return fmt.Sprintf("content.details longer than %d characters", st.Settings.Summarise.MinChars)
		},
		met: func(st *state, m *memory.Memory) bool { return detailsLength(m) > st.Settings.Summarise.MinChars },
		is:  func(_ *state, m *memory.Memory) string { return fmt.Sprint(detailsLength(m)) },
	},
}

// verboseEpisode is a memory to be summarised, and what came of it.
type verboseEpisode struct {
	*subject
	action *memory.Action // nil when it was not made
	err    error
}

// proposeSummaries proposes summaries of verbose episodes. A summary costs time, so none is made
// that can't fit: what the last run deferred comes first, and once the run is full the rest
// waits for the next one. An episode without a faithful summary is left to the next rule.
func proposeSummaries(p *proposer) {
	var episodes []*verboseEpisode
	for _, m := range p.subjects {
		if !m.claimed && p.rule.asks.hold(p.state, m.Memory) && p.admits(m) {
			episodes = append(episodes, &verboseEpisode{subject: m})
		}
	}
	all, waited := p.room()
	all -= shortenSome(p.state, episodes, true, waited)
	shortenSome(p.state, episodes, false, all)
	made := 0
	for _, e := range episodes {
		switch {
		case e.err != nil:
			notShortened(p, e.subject, e.err)
			continue
		case e.action == nil && made >= p.Settings.Run.Limit && !e.late:
			p.deferNow(e.subject)
		default:
			p.consider(candidate{
				about: []*subject{e.subject}, cost: 1,
				build: func() (memory.Action, error) {
					if e.action != nil {
						return *e.action, nil
					}
					return shortened(p.state, e.Memory) // a candidate before it came to nothing
				},
				refused: func(err error) { notShortened(p, e.subject, err) },
			})
		}
		made++
	}
}

// shortenSome makes summaries of those episodes that waited, or of those that didn't, until
// the room in the run is used up, on all cores. It returns how many there are.
func shortenSome(st *state, episodes []*verboseEpisode, waited bool, room int) (made int) {
	var due []*verboseEpisode
	for _, e := range episodes {
		if e.late == waited {
			due = append(due, e)
		}
	}
	for len(due) > 0 && room > made {
		batch := due[:min(room-made, len(due))] // all of which would be made one after the other, too
		due = due[len(batch):]
		parallel.Tasks(len(batch), func(i int) {
			action, err := shortened(st, batch[i].Memory)
			if batch[i].err = err; err == nil {
				batch[i].action = &action
			}
		})
		for _, e := range batch {
			if e.err == nil {
				made++
			}
		}
	}
	return made
}

func notShortened(p *proposer, m *subject, err error) {
	reason := ReasonBroken
	if isUnfaithful(err) {
		reason = ReasonSummary
	}
	p.skip(m.ID, reason, err.Error())
}

// shortened builds the action that summarises a memory. A sketch takes what is known of it.
func shortened(st *state, m *memory.Memory) (memory.Action, error) {
	if st.Sketch == nil {
		return summarised(st, m)
	}
	key := summaryKey(st, m)
	if value, ok := st.Sketch.get(key); ok && len(value) > 0 {
		st.Sketch.put(key, value)
		if text := string(value[1:]); value[0] == 0 {
			return memory.Action{Action: oplog.Action{Type: oplog.Summarize, Rule: RuleSummarise, MemoryID: m.ID, Detail: text}}, nil
		} else {
			return memory.Action{}, unfaithful(text)
		}
	}
	action, err := summarised(st, m)
	switch {
	case err == nil:
		st.Sketch.put(key, append([]byte{0}, action.Detail...))
	case isUnfaithful(err):
		st.Sketch.put(key, append([]byte{1}, err.Error()...))
	}
	return action, err
}

// summaryKey identifies what a summary is made of.
func summaryKey(st *state, m *memory.Memory) (key memoKey) {
	h := sha256.New()
	sum := m.Checksum()
	fmt.Fprintf(h, "%d %+v %s ", summary.Version, st.Settings.Summarise, st.Settings.Triggers.Timezone)
	h.Write(sum[:])
	copy(key[:], h.Sum(nil))
	key[0] = 'z'
	return key
}

// unfaithful is an error of a summary as a sketch knows it.
type unfaithful string

func (e unfaithful) Error() string { return string(e) }

func isUnfaithful(err error) bool {
	var known unfaithful
	return errors.Is(err, summary.ErrNotShorter) || errors.Is(err, summary.ErrTooFewKeyTerms) || errors.As(err, &known)
}

// summary makes the action.
func summarised(st *state, m *memory.Memory) (memory.Action, error) {
	chars := detailsLength(m)
	d := m.Content().Get("details")
	text, document := d.Str, d
	if d.Type == gjson.String {
		document = jsonDocument(d.Str)
	}
	if document.IsObject() || document.IsArray() {
		text = plainText(document)
	}
	r := st.Settings.Summarise
	s, err := summary.Summarise(text, summary.Options{
		Title:    m.Content().Get("title").Str + " " + m.Content().Get("summary").Str,
		MaxChars: min(r.MaxChars, r.MinChars), MinKeyTerms: r.KeyTerms, Ref: inZone(m.CreatedAt, st.Settings.Triggers.Days()),
	})
	if err != nil {
		return memory.Action{}, err
	}
	short := s.Text()
	switch {
	case document.IsObject():
		short = string(sections(s))
	case document.IsArray():
		short = "[" + string(sections(s)) + "]"
	}
	value, after := []byte(short), utf8.RuneCountInString(short)
	if d.Type == gjson.String {
		value = jsonedit.Quote(short)
	}
	if after >= chars || after > r.MinChars {
		return memory.Action{}, fmt.Errorf("%w: %d characters instead of %d", summary.ErrNotShorter, after, chars)
	}
	edits := []jsonedit.Edit{jsonedit.Set(value, "content", "details"), changedAt(st.At)}
	if !m.HasTag("summarized") {
		edits = append(edits, appendTags(m, []string{"summarized"})...)
	}
	raw, err := m.Edit(edits...)
	if err != nil {
		return memory.Action{}, err
	}
	if raw, err = shortTimeline(raw, r.TimelineKeep); err != nil {
		return memory.Action{}, err
	}
	kept := memory.KeptOriginal(m)
	return memory.Action{
		Action: oplog.Action{
			Type: oplog.Summarize, Rule: RuleSummarise, MemoryID: m.ID,
			CharsBefore: chars, CharsAfter: after, Original: kept.File,
			Detail: fmt.Sprintf("kept %d of %d facts", s.FactsKept, s.Facts),
		},
		Ops:       []memory.Op{{Kind: memory.Put, ID: m.ID, Ref: m.Ref, Base: m.Digest(), Raw: raw}},
		Originals: []memory.Original{kept},
	}, nil
}

// inZone is the time with the day that it has in the zone; the zero time stays what it is, a time that isn't known.
func inZone(t time.Time, zone *time.Location) time.Time {
	if t.IsZero() {
		return t
	}
	return t.In(zone)
}

// shortTimeline keeps the first and last keep entries of content.timeline, and says beside it, in
// content.timeline_cut, how many are left out.
func shortTimeline(raw []byte, keep int) ([]byte, error) {
	entries, ok := jsonedit.Elements(raw, "content", "timeline")
	if !ok || len(entries) <= 2*keep {
		return raw, nil
	}
	remove := map[int]bool{}
	for i := keep; i < len(entries)-keep; i++ {
		remove[i] = true
	}
	before := summary.Marked(gjson.GetBytes(raw, "content.timeline_cut").Str)
	raw, err := jsonedit.EditArray(raw, []string{"content", "timeline"}, jsonedit.ArrayEdit{Remove: remove})
	if err != nil {
		return nil, err
	}
	return jsonedit.Apply(raw, jsonedit.Set(jsonedit.Quote(summary.Mark(before+len(remove))), "content", "timeline_cut"))
}

// jsonDocument is the JSON object or array that a text consists of, nothing if it doesn't.
func jsonDocument(text string) gjson.Result {
	if text = strings.TrimSpace(text); text != "" && (text[0] == '{' || text[0] == '[') && jsonedit.Check([]byte(text)) == nil {
		return gjson.Parse(text)
	}
	return gjson.Result{}
}

// plainText is the text of an object or an array: its fields and elements as the entries of lists, one to a line. A string of
// several sentences is a paragraph; an object or array in another has its name as a heading.
func plainText(v gjson.Result) string {
	const long = 120                // bytes
	var out, nested strings.Builder // what is nested comes last: it has lists of its own
	v.ForEach(func(key, child gjson.Result) bool {
		name := ""
		if v.IsObject() {
			name = key.String()
		}
		switch line := jsonedit.Text(child); {
		case child.Type == gjson.Null:
		case child.IsObject() && v.IsArray() && flat(child):
			out.WriteString("- " + inOneLine(child) + "\n")
		case child.IsObject() || child.IsArray():
			if name != "" {
				nested.WriteString("\n## " + name + "\n\n")
			}
			nested.WriteString(plainText(child) + "\n")
		case len(line) > long || strings.Contains(line, "\n"):
			out.WriteString("\n" + line + "\n\n")
		case name != "":
			out.WriteString("- " + name + ": " + line + "\n")
		default:
			out.WriteString("- " + line + "\n")
		}
		return true
	})
	return out.String() + nested.String()
}

// flat reports whether an object has neither objects nor arrays in it.
func flat(v gjson.Result) bool {
	all := true
	v.ForEach(func(_, child gjson.Result) bool {
		all = !child.IsObject() && !child.IsArray()
		return all
	})
	return all
}

// inOneLine is a flat object in one line.
func inOneLine(v gjson.Result) string {
	var list []string
	v.ForEach(func(key, child gjson.Result) bool {
		if child.Type != gjson.Null {
			list = append(list, key.String()+": "+strings.Join(strings.Fields(jsonedit.Text(child)), " "))
		}
		return true
	})
	return strings.Join(list, "; ")
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
