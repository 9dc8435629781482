package answer

import (
	"cmp"
	"maps"
	"math"
	"slices"
	"strings"
	"time"

	"github.com/memoryd/memoryd/pkg/summary"
	"github.com/memoryd/memoryd/pkg/temporal"
	"github.com/memoryd/memoryd/pkg/text"
)

// reading is a question and the sentences that may answer it.
type reading struct {
	*Question
	time      bool   // it asks when
	ago       bool   // it asks how long ago
	unit      string // in which unit, if it says so
	side      side
	asked     map[string]float64
	total     float64 // of the weights of what is asked
	named     []temporal.Span
	sentences []*sentence // in the order of the hits and their texts
	subject   subject
	lacking   string // a word that the best sentence lacks, where no sentence has all that it must
}

// sentence is a sentence of a memory, or the text that is quoted in place of one.
type sentence struct {
	hit   *Hit
	text  string
	terms map[string]bool
	spans []temporal.Span // in the sentence; in its bytes
	share float64         // of what is asked: in it, and half of what is in the rest of the memory
	score float64
	n     int    // in its memory
	lacks string // a word of the question's subject that neither it nor the sentences around it have
}

// timed is a sentence with a time in it or next to it; without a span the day on which it was written.
type timed struct {
	*sentence
	span  *temporal.Span
	score float64
}

func (t *timed) from() time.Time {
	if t.span != nil {
		return t.span.From
	}
	w := t.hit.Written
	return time.Date(w.Year(), w.Month(), w.Day(), 0, 0, 0, 0, w.Location())
}

func (t *timed) to() time.Time {
	if t.span != nil {
		return t.span.To
	}
	return t.from().AddDate(0, 0, 1)
}

// What counts how much. They were chosen on questions of LoCoMo for a time; the result hardly depends on them (TestMeasured).
const (
	elsewhere  = .4  // what of the question stands in the rest of the memory only
	ranked     = .2  // the place that recall gives the memory; the rest is what of the question it has
	beside     = .85 // a time in the sentence before or behind
	undated    = .5  // no time, but the day of the record
	stranger   = .8  // the question names somebody, and somebody else says it
	wrongSide  = .5  // a time to come where the question is about the past, or the other way round
	repeated   = .6  // the time that the question names itself
	leastShare = .2  // of what is asked that an answer must have
)

// read takes the hits of a question apart.
func read(q *Question) *reading {
	r := &reading{Question: q, time: AsksWhen(q.Text), asked: map[string]float64{}}
	if r.time {
		r.unit, r.ago = unitOf(q.Text), ago().fit(q.Text)
		r.named, r.side = timesIn(q.Text, q.At), sideOf(q.Text, r.ago)
	}
	hits := q.Hits[:min(len(q.Hits), MaxHits)]
	inHits := make([]map[string]bool, len(hits))
	for i := range hits {
		h := &hits[i]
		inHits[i] = termsOf(h.Author)
		for n, text := range sentencesOf(h.Text) {
			s := &sentence{hit: h, text: text, terms: termsOf(text), n: n}
			if !h.Written.IsZero() {
				s.spans = timesIn(text, h.Written.In(q.At.Location()))
			}
			for term := range s.terms {
				inHits[i][term] = true
			}
			r.sentences = append(r.sentences, s)
		}
	}
	r.weigh(inHits)
	for i := range hits {
		r.score(&hits[i], inHits[i])
	}
	r.subject = subjectOf(q.Text, timesIn(q.Text, q.At), r.time)
	r.findSubject()
	return r
}

// findSubject looks in each sentence for the subject of the question: also in those next to it, in the first one of its memory, which may be a title, and in what
// else is known of that.
func (r *reading) findSubject() {
	best, found := -1.0, false
	about := timesIn(r.Text, r.At)
	var first *sentence
	for i, s := range r.sentences {
		if s.n == 0 {
			first = s
		}
		around := maps.Clone(s.terms)
		add := func(terms map[string]bool) {
			for t := range terms {
				around[t] = true
			}
		}
		add(first.terms)
		add(termsOf(s.hit.Author))
		add(termsOf(s.hit.About))
		for _, k := range []int{i - 1, i + 1} {
			if k >= 0 && k < len(r.sentences) && r.sentences[k].hit == s.hit {
				add(r.sentences[k].terms)
			}
		}
		if s.lacks = r.subject.missing(around); s.lacks == "" && !r.time && (!r.tells(s, first) || !r.subject.gives(s.text, i+1 < len(r.sentences) && r.sentences[i+1].hit == s.hit || i > 0 && r.sentences[i-1].hit == s.hit)) {
			s.lacks = r.subject.wants()
		}
		if s.lacks == "" && r.subject.opposed(words(s.text)) {
			s.lacks = r.subject.vague[0]
		}
		if s.lacks == "" {
			s.lacks = otherMonth(about, s.spans)
		}
		if s.score > best {
			best, r.lacking = s.score, s.lacks
		}
		found = found || s.lacks == "" && s.share >= leastShare
	}
	if found {
		r.lacking = ""
	}
}

// otherMonth is the month that a question names, where a sentence names months and this is none of them.
func otherMonth(question, sentence []temporal.Span) (lacks string) {
	other := false
	for _, q := range question {
		if q.Grain != temporal.GrainMonth || q.Relative && !whens.Has(text.Fold(lastWord(q.Text))) {
			continue
		}
		for _, s := range sentence {
			if s.Grain == temporal.GrainMonth {
				if s.From.Month() == q.From.Month() {
					return ""
				}
				lacks, other = q.Text, true
			}
		}
	}
	if !other {
		return ""
	}
	return lacks
}

func lastWord(s string) string { return s[strings.LastIndexByte(s, ' ')+1:] }

// tells reports whether a sentence, the tags or the title of its memory say what the question seeks.
func (r *reading) tells(s, first *sentence) bool {
	if r.subject.tells(s.text, s.terms) {
		return true
	}
	if about := s.hit.About; about != "" && r.subject.tells(about, termsOf(about)) {
		return true
	}
	return len(strings.Fields(first.text)) <= longestTitle && r.subject.tells(first.text+" "+s.text, first.terms)
}

// longestTitle is how many words the first sentence of a memory has at most where it tells of all that follows.
const longestTitle = 4

// timesIn are the times in a text; a day that can be two is there as both.
func timesIn(text string, at time.Time) (all []temporal.Span) {
	for _, s := range temporal.Resolve(text, at) {
		all = append(all, s.Readings()...)
	}
	return all
}

// weigh gives each term of the question its weight: how few of the memories have it.
func (r *reading) weigh(inHits []map[string]bool) {
	asked := termsOf(r.Text)
	for _, s := range r.named {
		for term := range termsOf(s.Text) {
			delete(asked, term)
		}
	}
	for term := range asked {
		df := 0
		for _, terms := range inHits {
			if terms[term] {
				df++
			}
		}
		r.asked[term] = math.Log(1 + float64(len(inHits)+1)/float64(df+1))
		r.total += r.asked[term]
	}
}

// score rates the sentences of a memory.
func (r *reading) score(h *Hit, inHit map[string]bool) {
	if r.total == 0 {
		return
	}
	top := r.Hits[0].Score
	rank := 1.0
	if top > 0 {
		rank = max(h.Score/top, 0)
	}
	for _, s := range r.sentences {
		if s.hit != h {
			continue
		}
		for _, term := range sorted(r.asked) { // in an order, for sums of floating point depend on it
			if s.terms[term] {
				s.share += r.asked[term] / r.total
			} else if inHit[term] {
				s.share += elsewhere * r.asked[term] / r.total
			}
		}
		s.score = (1-ranked)*s.share + ranked*rank
		if r.aboutOthers(s) {
			s.score *= stranger
		}
	}
}

// aboutOthers reports whether the question names an author of the memories, and the sentence is somebody else's who doesn't name them.
func (r *reading) aboutOthers(s *sentence) bool {
	named := false
	for i := range r.Hits {
		for name := range termsOf(r.Hits[i].Author) {
			if _, ok := r.asked[name]; ok {
				if named = true; s.terms[name] || r.Hits[i].Author == s.hit.Author {
					return false
				}
			}
		}
	}
	return named
}

// bestTime is the time that answers best, and the score of the best other one.
func (r *reading) bestTime() (best *timed, second float64) {
	all := r.times()
	slices.SortStableFunc(all, func(a, b *timed) int { return cmp.Compare(b.score, a.score) })
	if len(all) == 0 {
		return nil, 0
	}
	for _, t := range all[1:] {
		if !t.from().Before(all[0].to()) || !all[0].from().Before(t.to()) {
			return all[0], t.score
		}
	}
	return all[0], 0
}

// times are all times that may answer.
func (r *reading) times() (all []*timed) {
	for i, s := range r.sentences {
		if s.lacks != "" {
			continue
		}
		add := func(spans []temporal.Span, factor float64) (added bool) {
			for k := range spans {
				// A guess is perhaps no time: "by the night job".
				if spans[k].Confidence != temporal.Guess || len(spans[k].Readings()) > 1 {
					all, added = append(all, &timed{s, &spans[k], s.score * factor * r.fits(s, &spans[k])}), true
				}
			}
			return added
		}
		if add(s.spans, 1) {
			continue
		}
		for _, other := range []int{i - 1, i + 1} {
			if other >= 0 && other < len(r.sentences) && r.sentences[other].hit == s.hit {
				add(r.sentences[other].spans, beside)
			}
		}
		if !s.hit.Written.IsZero() && !r.recurs(s) && r.subject.tells(s.text, s.terms) {
			all = append(all, &timed{s, nil, s.score * undated})
		}
	}
	return all
}

// recurs reports whether a sentence is about what happens again and again, so that the day of its writing is not a time of it.
func (r *reading) recurs(s *sentence) bool {
	return r.side == 0 && (r.subject.english || slices.ContainsFunc(words(s.text), recurring.Has))
}

// fits is how well a time fits the question.
func (r *reading) fits(s *sentence, span *temporal.Span) float64 {
	fit := 1.0
	if future := span.From.After(s.hit.Written); future && r.side == past || !future && r.side == coming {
		fit *= wrongSide
	}
	for _, named := range r.named {
		if !named.From.After(span.From) && !named.To.Before(span.To) && named.To.Sub(named.From) == span.To.Sub(span.From) {
			fit *= repeated
		}
	}
	return fit
}

// sentencesOf takes a text apart. What has no sentences counts as one.
func sentencesOf(body string) []string {
	if all := summary.Sentences(body); len(all) > 0 {
		return all
	}
	if body = strings.TrimSpace(body); body != "" {
		return []string{body}
	}
	return nil
}

// termsOf are the words of a text that say something, by their stems.
func termsOf(body string) map[string]bool {
	lang := text.LanguageOf(body)
	known := lang.Known()
	if !known {
		lang = text.English
	}
	terms := map[string]bool{}
	for t := range text.Tokens(body) {
		word := strings.TrimSuffix(strings.TrimSuffix(text.Fold(body[t.Start:t.End]), "'s"), "’s")
		switch {
		case t.Kind == text.KindSign || lang.IsStopWord(word):
		case t.Kind == text.KindUnspaced:
			runes := []rune(word)
			for i := range len(runes) - 1 {
				terms[string(runes[i:i+2])] = true
			}
		case t.Kind == text.KindWord:
			if i := strings.LastIndexAny(word, "'’"); i > 0 && i <= 3 && (!known || lang != text.English) { // d'images
				terms[lang.Stem(lang.BaseForm(strings.TrimLeft(word[i:], "'’")))] = true
			}
			terms[lang.Stem(lang.BaseForm(word))] = true
		default:
			terms[word] = true
			for _, part := range text.NameWords(body[t.Start:t.End]) {
				terms[lang.Stem(part)] = true
			}
		}
	}
	return terms
}

func sorted(weights map[string]float64) (terms []string) {
	for term := range weights {
		terms = append(terms, term)
	}
	slices.Sort(terms)
	return terms
}
