package supersession

import (
	"maps"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/memoryd/memoryd/pkg/text"
)

// Corrects tells whether newer says that something has changed which older states: "Correction: …, not 8443", "switched from X to
// Y", "no longer", "has left", in any language with a section "change" in its file (package text). The judgement is [Updates] by
// [CueChange]; whether it holds is for a person to decide. Never both of two texts correct the other. It reads no more than newer
// where that tells of no change, which [Marked] says beforehand.
func Corrects(newer, older Note) (Judgement, bool) {
	if !Marked(newer.Text) {
		return Judgement{}, false
	}
	return changed(read(older), read(newer))
}

// Corrects is [Corrects] of the note that was read, as the newer one, and another.
func (r Reading) Corrects(older Reading) (Judgement, bool) { return changed(older.reading, r.reading) }

// Correction is a note that says that it corrects an older one.
type Correction struct {
	Newer, Older int
	Judgement
}

// Bounds on what one note corrects.
const (
	maxTried     = 8 // older notes that are judged of each kind of change, those that share most of its words first
	maxCorrected = 3 // of these that it corrects
)

// Corrections finds among n notes, from the newest to the oldest, those that correct older ones ([Corrects]); marked are those whose text is [Marked],
// in the same order.
// It reads the others only if a marked one tells of a change indeed.
func Corrections(n int, marked []int, note func(i int) Note) (all []Correction) {
	readings := map[int]*reading{}
	var wanted []asked
	by := map[string][]int32{} // by how words of what they correct begin: places in wanted
	for _, i := range marked {
		n := note(i)
		if !tells(n.Text) {
			continue
		}
		r := read(n)
		readings[i] = r
		for _, update := range []bool{false, true} {
			begins := r.subjects(update)
			if len(begins) == 0 {
				continue
			}
			for _, begin := range begins {
				by[begin] = append(by[begin], int32(len(wanted)))
			}
			wanted = append(wanted, asked{newer: i})
		}
	}
	if len(by) == 0 {
		return nil
	}
	find := newFinder(slices.Sorted(maps.Keys(by)))
	words, met := make([]int32, len(wanted)), map[string]bool{}
	var touched []int32 // places of words that aren't zero
	for i := marked[0] + 1; i < n; i++ {
		text := note(i)
		clear(met)
		for _, b := range find.all(unjoined(text.Title + "\n" + clip(text.Text, maxText))) {
			if met[b.text] {
				continue
			}
			met[b.text] = true
			for _, k := range by[strings.ToLower(b.text)] {
				if wanted[k].newer >= i {
					break // as are those behind it
				}
				if words[k] == 0 {
					touched = append(touched, k)
				}
				words[k]++
			}
		}
		for _, k := range touched {
			wanted[k].meet(i, words[k])
			words[k] = 0
		}
		touched = touched[:0]
	}
	for len(wanted) > 0 {
		i, older := wanted[0].newer, wanted[0].nearest
		if wanted = wanted[1:]; len(wanted) > 0 && wanted[0].newer == i {
			older, wanted = slices.Concat(older, wanted[0].nearest), wanted[1:]
		}
		found := 0
		for _, s := range older {
			if slices.ContainsFunc(all[len(all)-found:], func(c Correction) bool { return c.Older == s.older }) {
				continue
			}
			if readings[s.older] == nil {
				readings[s.older] = read(note(s.older))
			}
			if j, ok := changed(readings[s.older], readings[i]); ok && found < maxCorrected {
				found++
				all = append(all, Correction{i, s.older, j})
			}
		}
	}
	return all
}

// asked is a newer note, and the older notes that share most words with what it says of a change, those that share most first.
// What it corrects is looked for by its changes, and apart from these by the values that it announces as new.
type asked struct {
	newer   int
	nearest []share
}

// share is how many words an older note shares with what a newer one says of a change.
type share struct {
	older int
	words int32
}

// meet takes in an older note that shares words, the notes from the newest to the oldest.
func (a *asked) meet(older int, words int32) {
	at := len(a.nearest)
	for at > 0 && a.nearest[at-1].words < words {
		at--
	}
	if at == maxTried {
		return
	}
	if len(a.nearest) == maxTried {
		a.nearest = a.nearest[:maxTried-1]
	}
	a.nearest = slices.Insert(a.nearest, at, share{older, words})
}

// subjects are how the words begin of which what the note corrects has some: those of the old values, or else of the sentence.
func (r *reading) subjects(update bool) (begins []string) {
	for i, tells := range r.changes() {
		for _, m := range tells {
			if m.update != update {
				continue
			}
			us := units(m.old, nil)
			if !m.said {
				us = units(r.parted()[i].words, m.literals)
			}
			for _, u := range us {
				n := commonLetters(u.key)
				if !letters(u.key) || u.weight == pairWeight {
					n = len(u.key)
				}
				begins = append(begins, firstRunes(u.key, n))
			}
		}
	}
	slices.Sort(begins)
	return slices.Compact(begins)
}

// maxChanges bounds how many changes of a text are looked up in the other.
const maxChanges = 32

// changed finds a sentence of the newer text that tells of a change from something that the older text states.
func changed(a, b *reading) (Judgement, bool) {
	j, ok := changes(a, b)
	if !ok {
		return j, false
	}
	if _, both := changes(b, a); both {
		return Judgement{}, false
	}
	return j, true
}

// maxNote is how many sentences a note has at most that may be about its change alone. In a longer text a change is mentioned
// among other things: it must name what held before, and of what.
const maxNote = 5

func (r *reading) long() bool { return len(r.sentences) > maxNote }

// counts reports whether a sentence tells of a change by which the note may correct another one, whatever that says.
func (r *reading) counts(s *sentence, m mark) bool {
	return !s.question && (!r.long() || m.said && !m.update)
}

// Tells reports whether the note tells of a change by which it may correct another one. Most long notes that are [Marked] don't.
func (r Reading) Tells() bool {
	for i, marks := range r.changes() {
		s := &r.parted()[i]
		if slices.ContainsFunc(marks, func(m mark) bool { return r.counts(s, m) }) {
			return true
		}
	}
	return false
}

func changes(a, b *reading) (Judgement, bool) {
	left := maxChanges
	tells := b.changes()
	if tells == nil {
		return Judgement{}, false
	}
	have := a.sentenceKeys()
	for i := range b.sentences {
		s := &b.parted()[i]
		if len(tells[i]) == 0 || have[s.key] {
			continue
		}
		for _, m := range tells[i] {
			if left--; left < 0 {
				return Judgement{}, false
			}
			if !b.counts(s, m) {
				continue
			}
			if m.update {
				if from, old, value := a.renewed(b, s, m); from != nil {
					return Judgement{Relation: Updates, Cue: CueValue, OlderSentence: from.text, NewerSentence: s.text,
						Old: excerpt(from.text, old), New: excerpt(s.text, value)}, true
				}
				continue
			}
			if from := a.states(s, m, b.long()); from != nil {
				j := Judgement{Relation: Updates, Cue: CueChange, OlderSentence: from.text, NewerSentence: s.text}
				if m.said && len(m.new) > 0 {
					j.Old, j.New = excerpt(s.text, m.old), excerpt(s.text, m.new)
				}
				return j, true
			}
		}
	}
	return Judgement{}, false
}

// findChanges finds the changes that each sentence tells of; nil if none does.
func (r *reading) findChanges() (all [][]mark) {
	if !Marked(r.Text) {
		return nil
	}
	all = make([][]mark, len(r.sentences))
	for i := range all {
		all[i] = r.parted()[i].marks(r.language())
	}
	return all
}

// part takes the words of the sentences into parts.
func (r *reading) part() []sentence {
	all := slices.Clone(r.sentences)
	for i := range all {
		all[i].words = parts(all[i].text, all[i].words, r.language())
		all[i].words = all[i].words[:min(len(all[i].words), 2*maxSentence)]
	}
	return all
}

// findUnits lists what each sentence says, and at the end what the title does.
func (r *reading) findUnits() (all [][]unit) {
	for _, s := range r.parted() {
		all = append(all, units(s.words, nil))
	}
	return append(all, units(parts(r.Title, r.title, r.language()), nil))
}

// states returns the sentence of the text that holds what the newer sentence says has changed, and is about the same. Where the
// pattern says what held before, most of that stands there, and if the newer sentence says of what, something of this does, too.
// Where it doesn't, the clause and the older sentence share most of what one of them says.
func (r *reading) states(newer *sentence, m mark, mention bool) *sentence {
	old := units(m.old, nil)
	// What else the newer sentence says; where no pattern tells, all that its clause does.
	about := slices.DeleteFunc(units(newer.words, m.literals), func(u unit) bool { return slices.ContainsFunc(old, u.alike) })
	subject := slices.DeleteFunc(slices.Clone(about), func(u unit) bool { return slices.ContainsFunc(units(m.new, nil), u.alike) })
	switch {
	case newer.question || mention && (!m.said || len(subject) == 0):
		return nil
	case !m.said:
		if old = units(newer.clause(m), m.literals); len(old) == 0 {
			old = about
		}
	case len(old) == 0 || m.contrast && (old[0].weight < nameWeight || len(subject) == 0):
		return nil
	}
	all := r.units()
	for i := range r.sentences {
		s, have := &r.parted()[i], all[i]
		if tableRow(s.text) {
			continue // a cell is one of many values
		}
		got, named := shared(old, have)
		if got == 0 && m.said || r.tellsOf(i, old) {
			continue
		}
		if m.said {
			// One ordinary word is enough where it opens a sentence about it.
			about, _ := shared(about, have)
			sure := got >= nameWeight || named || !m.ended && about >= nameWeight || !m.ended && old[0].weight == pairWeight || m.ended && slices.ContainsFunc(old, have[0].alike)
			if !most(got, weigh(old)) || !sure {
				continue
			}
			title, _ := shared(subject, all[len(all)-1])
			if !mention && (len(subject) == 0 || m.ended || got > nameWeight) || about+title > 0 && (named || !mention) || s.abbreviated(newer) {
				return s
			}
			continue
		}
		if len(have) == 0 || len(old) == 0 || !slices.ContainsFunc(old, have[0].alike) && !slices.ContainsFunc(have, old[0].alike) {
			continue // of another subject
		}
		// What only the older sentence has may be the value that has changed, if it is a name or number.
		back, _ := shared(have, about)
		left := weigh(slices.DeleteFunc(slices.Clone(have), func(u unit) bool { return u.weight == nameWeight || slices.ContainsFunc(about, u.alike) }))
		least := leastAbout
		if have[0].weight == pairWeight {
			least--
		}
		if got >= least && most(got, weigh(old)) || back >= least && most(back, back+left) {
			return s
		}
	}
	return nil
}

// tableRow reports whether a sentence is a row of a table in Markdown.
func tableRow(sentence string) bool { return strings.Count(sentence, "|") > 2 }

// tellsOf reports whether a sentence tells of a change itself, but of one to what is old by now.
func (r *reading) tellsOf(i int, old []unit) bool {
	tells := r.changes()
	return tells != nil && slices.ContainsFunc(tells[i], func(t mark) bool { return !t.update }) && !slices.ContainsFunc(tells[i], func(t mark) bool {
		got, _ := shared(old, units(t.new, nil))
		return t.said && got == weigh(old)
	})
}

// most reports whether a part is most of a whole.
func most(part, whole int) bool { return 3*part >= 2*whole }

// clause is the clause that states a change.
func (s *sentence) clause(m mark) []word {
	from, to := m.from, m.to
	for from > 0 && !s.words[from].clause {
		from--
	}
	for to < len(s.words) && !s.words[to].clause {
		to++
	}
	return s.words[from:to]
}

// abbreviated reports whether the newer sentence has an abbreviation of words of this one: CI of continuous integration.
func (s *sentence) abbreviated(newer *sentence) bool {
	var initials strings.Builder
	for _, w := range s.words {
		first, _ := utf8.DecodeRuneInString(w.key)
		initials.WriteRune(first)
	}
	return slices.ContainsFunc(newer.words, func(w word) bool {
		raw := newer.text[w.start:w.end]
		return len(raw) > 1 && raw == strings.ToUpper(raw) && !w.digit && !w.unspaced && w.capital && strings.Contains(initials.String(), w.key)
	})
}

// unit is a word that says something, or two neighbouring characters of a script without spaces.
type unit struct {
	key    string
	weight int
	opens  bool // the sentence, so that its capital tells nothing
	at     int  // the word of the sentence
}

// Weights of units. A pair of characters is about half a word.
const (
	pairWeight = 1
	wordWeight = 2
	nameWeight = 4 // names, identifiers, numbers
	leastAbout = 4 // weight from which a clause is about something
)

// units lists what words say, but for those that begin at the places to be left out.
func units(ws []word, out map[int]bool) (all []unit) {
	for i, w := range ws {
		if out[w.start] {
			continue
		}
		switch {
		case w.unspaced:
			if i+1 < len(ws) && ws[i+1].unspaced && !out[ws[i+1].start] && ws[i+1].start == w.end && says(w) && says(ws[i+1]) {
				all = append(all, unit{key: w.key + ws[i+1].key, weight: pairWeight, at: i})
			}
		case w.digit:
			all = append(all, unit{key: bare(w), weight: nameWeight, at: i})
		case w.function || utf8.RuneCountInString(w.key) < 2:
		default:
			weight := wordWeight
			if w.name || w.number {
				weight = nameWeight
			}
			all = append(all, unit{bare(w), weight, w.capital && !w.name, i})
		}
	}
	return all
}

// says reports whether a character of a script without spaces is part of a word and no particle: hiragana are endings.
func says(w word) bool {
	r, _ := utf8.DecodeRuneInString(w.key)
	return !unicode.Is(unicode.Hiragana, r)
}

// bare is a name or number without the ending of a case: "8443-on", "Oracle-t", "Lyon'un", "API:n".
func bare(w word) string {
	if at := strings.LastIndexAny(w.key, "-':"); at > 1 && (w.digit || w.capital) && letters(w.key[at+1:]) &&
		(w.key[at] == '\'' || utf8.RuneCountInString(w.key[at+1:]) <= 4) {
		return w.key[:at]
	}
	if first, _ := utf8.DecodeRuneInString(w.key); unicode.IsDigit(first) {
		end := strings.LastIndexFunc(w.key, unicode.IsDigit)
		if rest := strings.TrimLeftFunc(w.key[end:], unicode.IsDigit); utf8.RuneCountInString(rest) > 0 && text.RuneScript([]rune(rest)[0]) != text.Latin {
			return w.key[:len(w.key)-len(rest)]
		}
	}
	return w.key
}

// alike reports whether two units are forms of one word: most of their letters are the same from the first on.
func (u unit) alike(v unit) bool {
	if u.key == v.key {
		return true
	}
	if u.key == "" || v.key == "" || u.key[0] != v.key[0] { // most of the time
		return false
	}
	if u.weight == pairWeight || v.weight == pairWeight || !letters(u.key) || !letters(v.key) {
		return false
	}
	x, y := []rune(u.key), []rune(v.key)
	n := 0
	for n < min(len(x), len(y)) && x[n] == y[n] {
		n++
	}
	if n == 0 {
		return false
	}
	least := commonLetters(u.key)
	return n >= least && (n >= max(len(x), len(y))-3 || n > least && n >= min(len(x), len(y))-1)
}

// commonLetters is how many letters forms of a word have in common at least.
func commonLetters(k string) int {
	first, _ := utf8.DecodeRuneInString(k)
	switch text.RuneScript(first) {
	case text.Latin, text.Cyrillic, "Greek", "Armenian", "Georgian":
		return 4
	case "Hangul":
		return 2
	}
	return 3
}

func letters(k string) bool {
	return !strings.ContainsFunc(k, func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsMark(r) })
}

// weigh is the weight of all units.
func weigh(us []unit) (sum int) {
	for _, u := range us {
		sum += u.weight
	}
	return sum
}

// shared is the weight of those units that stand among others, and whether one of them is a name: what begins a sentence shows
// it among the others only.
func shared(us, others []unit) (sum int, named bool) {
	for _, u := range us {
		if i := slices.IndexFunc(others, u.alike); i >= 0 {
			sum += u.weight
			named = named || u.weight == nameWeight || u.opens && others[i].weight == nameWeight
		}
	}
	return sum, named
}
