package answer

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"
	"time"
	"unicode"

	"github.com/memoryd/memoryd/pkg/temporal"
)

// MaxHits is how many memories an answer is sought in.
const MaxHits = 12

// By names what answered where no model did.
const By = "rules"

// Hit is a memory that recall has found, as it is read for an answer.
type Hit struct {
	ID      string
	Text    string
	About   string    // what it is about besides: its tags, the name of its scope
	Author  string    // who says "I" in it; "" if nobody knows
	Written time.Time // from when its relative times are counted; zero: they can't be resolved
	Score   float64   // of recall
}

// Question is what is asked, of which memories, the best first.
type Question struct {
	Text string
	At   time.Time // now, in the asker's time zone
	Hits []Hit
}

// Answer is what a question came to.
type Answer struct {
	Answer            *string      `json:"answer" jsonschema:"null: the memories don't say"`
	Confidence        float64      `json:"confidence"`
	Reasoning         string       `json:"reasoning"`
	RequiresInference bool         `json:"requires_inference" jsonschema:"it is concluded, and stands so in no memory"`
	By                string       `json:"by" jsonschema:"By, or PROVIDER/MODEL"`
	Times             []Resolution `json:"temporal_resolutions"`
	Sources           []Source     `json:"sources"`
	Nearest           []Source     `json:"nearest,omitempty" jsonschema:"without an answer: what comes nearest, about something else"`
}

// Resolution is an expression of time in a memory, and what it means.
type Resolution struct {
	MemoryID   string    `json:"id"`
	Expression string    `json:"expression" jsonschema:"as written; '' for the day of the record itself"`
	Reference  time.Time `json:"reference" jsonschema:"when the memory was written"`
	From       time.Time `json:"from" jsonschema:"the interval [From, To)"`
	To         time.Time `json:"to"`
}

// Source is a sentence that an answer rests on.
type Source struct {
	MemoryID string `json:"id"`
	Quote    string `json:"quote"`
}

// FromText answers by rules.
func FromText(q *Question) Answer { return read(q).answer() }

func (r *reading) answer() Answer {
	if r.time {
		return r.when()
	}
	return r.what()
}

// Unanswered is printed instead of an answer.
const Unanswered = "the memories don't say"

// nothing says why there is no answer, with the nearest that the memories say.
func (r *reading) nothing(why string) Answer {
	if r.lacking != "" {
		why = fmt.Sprintf("none that fits mentions %q", r.lacking)
	}
	a := Answer{Reasoning: Unanswered + ": " + why, By: By, Times: []Resolution{}, Sources: []Source{}}
	near := slices.Clone(r.sentences)
	slices.SortStableFunc(near, func(a, b *sentence) int { return cmp.Compare(b.score, a.score) })
	for _, s := range near {
		if len(a.Nearest) < mostNearest && s.share >= leastShare && !slices.ContainsFunc(a.Nearest, func(x Source) bool { return x.MemoryID == s.hit.ID }) {
			a.Nearest = append(a.Nearest, s.source())
		}
	}
	return a
}

// mostNearest is how many sentences are named where none answers.
const mostNearest = 3

// what answers with the best sentence.
func (r *reading) what() Answer {
	best, second := r.best(func(a, b *sentence) bool { return a.hit == b.hit })
	if best == nil || best.share < leastShare {
		return r.nothing("no memory has the words of the question in one sentence")
	}
	text := best.text
	return Answer{
		Answer: &text, Confidence: confidence(best.score, second), By: By, Times: r.timesOf(best), Sources: []Source{best.source()},
		Reasoning: fmt.Sprintf("the sentence of %s that has most of what is asked (%s)", best.hit.ID, percent(best.share)),
	}
}

// when answers with a time.
func (r *reading) when() Answer {
	best, second := r.bestTime()
	if best == nil || best.share < leastShare {
		if again := r.again(); again != nil {
			text := again.text
			return Answer{
				Answer: &text, Confidence: confidence(again.score, 0), By: By, Times: []Resolution{}, Sources: []Source{again.source()},
				Reasoning: fmt.Sprintf("%s says when it happens again and again", again.hit.ID),
			}
		}
		return r.nothing("no memory tells a time for what is asked")
	}
	text := r.say(best)
	a := Answer{Answer: &text, Confidence: confidence(best.score, second), By: By, Times: best.resolutions(), Sources: []Source{best.source()}}
	a.Reasoning, a.RequiresInference = best.reasoning()
	if r.ago {
		a.RequiresInference = true
		a.Reasoning += fmt.Sprintf("; counted back from %s", r.At.Format(time.DateOnly))
	}
	return a
}

// again is the best sentence about what happens again and again; nil for none.
func (r *reading) again() (best *sentence) {
	if r.side != 0 {
		return nil
	}
	for _, s := range r.sentences {
		said := words(s.text)
		if s.lacks == "" && s.share >= leastShare && (best == nil || s.score > best.score) &&
			(slices.ContainsFunc(said, recurring.Has) || r.subject.english && slices.ContainsFunc(said, spans.Has) && strings.ContainsFunc(s.text, unicode.IsDigit)) {
			best = s
		}
	}
	return best
}

// reasoning says how the time was found, and whether that is a conclusion.
func (t *timed) reasoning() (text string, concluded bool) {
	day := t.hit.Written.Format(time.DateOnly)
	switch {
	case t.span == nil:
		return fmt.Sprintf("%s names no time for it and was written on %s", t.hit.ID, day), true
	case t.span.Relative:
		return fmt.Sprintf("%s, written on %s, says %q: %s", t.hit.ID, day, t.span.Text, t.span.Absolute()), true
	}
	if len(t.span.Readings()) > 1 {
		return fmt.Sprintf("%s says %q, and not whether the day or the month comes first", t.hit.ID, t.span.Text), true
	}
	return fmt.Sprintf("%s says %q", t.hit.ID, t.span.Text), t.span.Confidence != temporal.Sure
}

// say words a time as the question wants it.
func (r *reading) say(t *timed) string {
	date := ""
	switch {
	case t.span == nil:
		date = t.from().Format(time.DateOnly)
	case t.span.Shape == temporal.Range && t.span.Grain == temporal.GrainRange:
		date = t.span.From.Format(time.DateOnly) + " to " + t.span.To.Add(-time.Second).Format(time.DateOnly)
	default:
		date = prefixes[t.span.Shape] + t.span.Absolute()
		if both := t.span.Readings(); len(both) > 1 {
			return date + " or " + both[1].Absolute()
		}
	}
	if !r.ago {
		return grained(r.Text, t, date)
	}
	return fmt.Sprintf("%s (%s)", r.distance(t), date)
}

// grained is the part of a date that a question of English asks for: a year, a month, or all of it.
func grained(question string, t *timed, date string) string {
	asked := plain(words(question))
	switch {
	case strings.Contains(asked, " what year ") || strings.Contains(asked, " which year "):
		return t.from().Format("2006")
	case (strings.Contains(asked, " what month ") || strings.Contains(asked, " which month ")) && (t.span == nil || t.span.Grain != temporal.GrainYear):
		return t.from().Format("2006-01")
	}
	return date
}

var prefixes = map[temporal.Shape]string{temporal.Since: "since ", temporal.Until: "until ", temporal.Before: "before ", temporal.After: "after "}

// distance says how long ago something was, in the unit that the question names, or one that fits. It counts from the middle of the interval.
func (r *reading) distance(t *timed) string {
	middle := t.from().Add(t.to().Sub(t.from()) / 2)
	days := int(math.Round(midnight(r.At).Sub(midnight(middle)).Hours() / 24))
	if days < 0 {
		return "in the future"
	}
	unit := r.unit
	if unit == "" {
		i := slices.IndexFunc(distances, func(d distanceUnit) bool { return days >= d.least })
		unit = distances[i].name
	}
	i := slices.IndexFunc(distances, func(d distanceUnit) bool { return d.name == unit })
	n := int(math.Round(float64(days) / distances[i].days))
	if days == 0 && r.unit == "" {
		return "today"
	}
	if n != 1 {
		unit += "s"
	}
	return fmt.Sprintf("%d %s ago", n, unit)
}

type distanceUnit struct {
	name  string
	days  float64
	least int // days from which on it is said
}

// distances are units with the days of the Gregorian calendar on average.
var distances = []distanceUnit{{"year", 365.2425, 730}, {"month", 30.436875, 61}, {"week", 7, 14}, {"day", 1, 0}}

func midnight(t time.Time) time.Time {
	return time.Date(t.Year(), t.Month(), t.Day(), 0, 0, 0, 0, time.UTC)
}

// confidence is how good the best is, and by how much it is better than the next that says something else.
func confidence(best, second float64) float64 {
	margin := (best - max(second, 0)) / best
	return math.Round(min(best, 1)*(.5+.5*margin)*100) / 100
}

func percent(share float64) string { return fmt.Sprintf("%.0f %% of its words", share*100) }

func (s *sentence) source() Source { return Source{s.hit.ID, s.text} }

func (t *timed) resolution() Resolution {
	r := Resolution{MemoryID: t.hit.ID, Reference: t.hit.Written, From: t.from(), To: t.to()}
	if t.span != nil {
		r.Expression = t.span.Text
	}
	return r
}

// resolutions are the time, and the other one that it may be.
func (t *timed) resolutions() []Resolution {
	all := []Resolution{t.resolution()}
	if t.span == nil {
		return all
	}
	for _, other := range t.span.Readings()[1:] {
		all = append(all, (&timed{sentence: t.sentence, span: &other}).resolution())
	}
	return all
}

// timesOf are the times in a sentence, resolved.
func (r *reading) timesOf(s *sentence) []Resolution {
	all := []Resolution{}
	for i := range s.spans {
		t := timed{sentence: s, span: &s.spans[i]}
		all = append(all, t.resolution())
	}
	return all
}

// best is the sentence with the highest score, and the score of the best one that isn't the same.
func (r *reading) best(same func(a, b *sentence) bool) (best *sentence, second float64) {
	sorted := r.about()
	slices.SortStableFunc(sorted, func(a, b *sentence) int { return cmp.Compare(b.score, a.score) })
	if len(sorted) == 0 {
		return nil, 0
	}
	for _, s := range sorted[1:] {
		if !same(s, sorted[0]) {
			return sorted[0], s.score
		}
	}
	return sorted[0], 0
}

// about are the sentences that are about the subject of the question, by themselves or with the sentences around them.
func (r *reading) about() (all []*sentence) {
	for _, s := range r.sentences {
		if s.lacks == "" && r.subject.counts(s.text) {
			all = append(all, s)
		}
	}
	return all
}

// plain is a text in lower case with single blanks, between blanks.
func plain(words []string) string { return " " + strings.Join(words, " ") + " " }
