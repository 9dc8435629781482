package similarity

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/golangci/misspell"
	"golang.org/x/text/unicode/norm"

	"github.com/memoryd/memoryd/pkg/internal/lazyregexp"
	"github.com/memoryd/memoryd/pkg/text"
)

// OtherFacts returns the places for which a person has to decide whether two texts may become one: those of [DistinctFacts] that don't look
// like another wording, and those where only a mark, a pause or a capital makes another statement. Whoever asks keeps both wordings, so that
// the answer may be generous. It is symmetric and takes time linear in the texts.
func OtherFacts(a, b *Features) []Difference { return symmetric(a, b, otherFacts) }

// wording is a pair of texts of which both wordings stay, whatever is decided.
type wording struct{ *pair }

func otherFacts(a, b string) []Difference {
	both := newPair(newDocument(a), newDocument(b))
	both.generous = true
	p := wording{&both}
	hunks := align(&p.a, &p.b)
	p.lang = p.language()
	found := p.statedByForm(hunks)
	if hunks = p.forms(hunks); len(hunks) > 0 {
		found = append(found, p.weighed(p.otherWords(p.places(p.rewritten(hunks))))...)
	}
	return append(report(p.pair, found), differingMarks(a, b)...)
}

// otherWords takes out the places that look like another wording of the same.
func (p wording) otherWords(places []place) []place {
	said := make([]bool, len(places))
	for i, h := range places {
		said[i] = said[i] || p.reworded(h.hunk)
		for j := range places {
			if !said[i] && !said[j] && h.b0 == h.b1 && places[j].a0 == places[j].a1 && p.clauseMoved(h.hunk, places[j].hunk) {
				said[i], said[j] = true, true
			}
		}
	}
	var out []place
	for i, h := range places {
		if !said[i] {
			out = append(out, h)
		}
	}
	return out
}

// reworded reports whether a place looks like another wording: a slip, another spelling, an abbreviation, a label before the statement.
func (p wording) reworded(h hunk) bool {
	switch {
	case h.b0 == h.b1:
		return p.decoration(&p.a, h.a0, h.a1)
	case h.a0 == h.a1:
		return p.decoration(&p.b, h.b0, h.b1)
	case p.lang == text.English && p.a.spelledOut(h.a0, h.a1) == p.b.spelledOut(h.b0, h.b1):
		return true
	case h.a1-h.a0 > 1 || h.b1-h.b0 > 1:
		return p.sameDigits(h)
	}
	x, y := &p.a.tokens[h.a0], &p.b.tokens[h.b0]
	switch {
	case x.kind == kindNumber && y.kind == kindNumber:
		return p.sameDigits(h)
	case x.kind != kindWord || y.kind != kindWord || x.character || y.character || x.code || y.code:
		return false
	case prepositions.Has(x.key) && prepositions.Has(y.key) && p.lang == text.English:
		return true
	}
	return p.spelledAlike(x.key, y.key) || p.slip(x.key, y.key, x.capital || y.capital)
}

// prepositions are those that often stand for each other and name no direction.
var prepositions = text.NewSet("of for in on at")

// decoration reports whether a token that only one text has says nothing: a word before a colon at the beginning of a sentence, such as "Note:",
// a pictogram there, or a misspelled article.
func (p wording) decoration(s *side, from, to int) bool {
	if to-from != 1 || to == len(s.tokens) || !p.known() {
		return false
	}
	t := &s.tokens[from]
	switch {
	case limiting.Has(t.key):
		return false
	case t.kind == kindSign && t.gap == gapSentence && pictograms.Has(t.key), p.lang == text.English && len(t.key) == 3 && listedSlip(t.key, "the"):
		return true
	}
	between := s.text[t.end:max(t.end, s.tokens[to].start)]
	return t.gap == gapSentence && (t.kind == kindWord && !t.character || t.kind == kindIdentifier && lettersOnly(t.key)) &&
		strings.HasPrefix(strings.TrimLeft(between, "*_ "), ":") && !p.turns(t.key) && !among(text.English, t.key, turning)
}

// pictograms are those that people put before a sentence whatever it says.
var pictograms = text.NewSet("✅ ✔ 📌 📝 ℹ 💡 🚀 🎉 👉 ⭐ ✨ 🔥 🔖 🗒 📣 🧠 🤖")

// limiting are English words that make another statement of the one they are added to: they say of which things it holds, how it is done, or that it
// isn't certain. What one text has more, with one of these, is no mere detail.
var limiting = text.NewSet(`test tests testing trial demo sample expired expiring outdated obsolete deprecated legacy former previous temporary draft
proposed premium paid external internal manual manually automatic automatically optional optionally
mandatory failed failing pending disabled enabled inactive archived deleted encrypted unencrypted signed unsigned generated
anonymous anonymized rumour rumor rumours rumors myth hypothesis proposal wrong false untrue allegedly supposedly reportedly planned hopefully
experimental staging production nightly weekly daily monthly yearly quarterly weekend newest latest oldest
 partial incremental read-only silently`)

// limits reports whether tokens that only one text has hold a word that limits the statement, or one that negates in some other language.
func limits(p *pair, s *side, from, to int) bool {
	return slices.ContainsFunc(s.tokens[from:to], func(t token) bool {
		if t.kind != kindWord || t.character || p.listed(t.key, "neutral") || p.listed(t.key, "stop") {
			return false
		}
		return p.lang == text.English && limiting.Has(t.key) || negatesElsewhere(p, &t)
	})
}

// negatesElsewhere reports whether a word negates in some language.
func negatesElsewhere(p *pair, t *token) bool {
	return utf8.RuneCountInString(t.key) > 2 && !p.listed(t.key, "neutral") && !p.listed(t.key, "stop") &&
		slices.ContainsFunc(text.Languages(), func(l text.Language) bool { return l.List("negation")[t.key] })
}

// mostLimiting is how many words one text has more at a place where one of them may limit a statement that both make.
const mostLimiting = 4

// among reports whether a word stands in one of the sections of a language.
func among(lang text.Language, word string, sections []string) bool {
	return slices.ContainsFunc(sections, func(section string) bool { return lang.Has(section, word) })
}

// shortened are abbreviations and what they stand for.
var shortened = map[string]string{"e.g": "for example", "eg": "for example", "i.e": "that is", "ie": "that is", "approx": "approximately", "incl": "including",
	"excl": "excluding", "vs": "versus", "resp": "respectively", "max": "maximum", "min": "minimum", "info": "information", "docs": "documentation", "btw": "by the way"}

// spelledOut writes tokens with abbreviations spelled out.
func (s *side) spelledOut(from, to int) string {
	words := s.words(from, to)
	for i, w := range words {
		if full := shortened[w]; full != "" {
			words[i] = full
		} else if full := shortened[strings.TrimSuffix(strings.ToLower(s.text[s.tokens[from+i].start:s.tokens[from+i].end]), ".")]; full != "" {
			words[i] = full
		}
	}
	return strings.Join(words, " ")
}

// sameDigits reports whether both sides are one whole number, with groups of three digits marked in one of them: 10.000, 10 000, 10000.
func (p wording) sameDigits(h hunk) bool {
	whole := func(s *side, from, to int) (digits string, marked bool) {
		for i, t := range s.tokens[from:to] {
			if t.kind != kindNumber || i > 0 && len(t.key) != 3 {
				return "", false
			}
		}
		raw := s.text[s.tokens[from].start:s.tokens[to-1].end]
		if groups.MatchString(raw) {
			return strings.Map(func(r rune) rune {
				if r < '0' || r > '9' {
					return -1
				}
				return r
			}, raw), true
		}
		return raw, false
	}
	x, markedX := whole(&p.a, h.a0, h.a1)
	y, markedY := whole(&p.b, h.b0, h.b1)
	return x != "" && x == y && (markedX || markedY) && len(x) > 4
}

var groups = lazyregexp.New(`^\d{1,3}(?:[.,'’   ]\d{3})+$`)

// spelledAlike reports whether two words differ only in accents, umlauts or marks that are often left out.
func (p wording) spelledAlike(x, y string) bool {
	if len(x) < 4 || len(y) < 4 || p.turns(x) || p.turns(y) {
		return false
	}
	accents := p.known() && p.lang != "vi"
	return bare(x, accents) == bare(y, accents) || accents && (umlauts.Replace(x) == y || umlauts.Replace(y) == x)
}

var (
	umlauts = strings.NewReplacer("ä", "ae", "ö", "oe", "ü", "ue", "å", "aa", "ø", "oe", "æ", "ae", "ß", "ss")
	chillus = strings.NewReplacer("ൺ", "ണ്", "ൻ", "ന്", "ർ", "ര്", "ൽ", "ല്", "ൾ", "ള്", "ൿ", "ക്")
)

// bare is a word without nuktas, with one form of Malayalam's chillus and, on request, without accents.
func bare(word string, accents bool) string {
	return chillus.Replace(strings.Map(func(r rune) rune {
		switch {
		case r == 0x093C || r == 0x09BC || r == 0x0A3C || r == 0x0ABC || r == 0x0B3C, r == 0x200C || r == 0x200D, accents && 0x0300 <= r && r <= 0x036F:
			return -1
		}
		return r
	}, norm.NFD.String(word)))
}

// The lengths in letters from which on one letter more, less or other, or two that changed places, make a slip and not another word.
const (
	surelySlip    = 7
	surelySwapped = 6
)

// slip reports whether one of two words is a misspelling of the other.
func (p wording) slip(x, y string, name bool) bool {
	if p.lang == text.English && min(len(x), len(y)) > 2 && listedSlip(x, y) {
		return true
	}
	if !p.known() || p.turns(x) && p.turns(y) || p.lang.Opposites(x, y) {
		return false
	}
	a, b := []rune(x), []rune(y)
	if !lettersWithCase(a) || !lettersWithCase(b) || a[0] != b[0] {
		return false
	}
	head := 0
	for head < min(len(a), len(b)) && a[head] == b[head] {
		head++
	}
	tail := 0
	for tail < min(len(a), len(b))-head && a[len(a)-1-tail] == b[len(b)-1-tail] {
		tail++
	}
	m, n := len(a)-head-tail, len(b)-head-tail
	if m == 2 && n == 2 && a[head] == b[head+1] && a[head+1] == b[head] {
		return len(a) >= surelySwapped && (!name || p.turns(x) || p.turns(y)) // two names may be so close
	}
	return max(m, n) == 1 && !p.turns(x) && !p.turns(y) && tail > 1 && head > 1 && !name && min(len(a), len(b)) >= surelySlip
}

func lettersWithCase(word []rune) bool {
	return len(word) > 0 && !slices.ContainsFunc(word, func(r rune) bool { return !unicode.IsLower(r) })
}

// listedSlip reports whether one of two English words is a listed misspelling of the other, or its American spelling.
func listedSlip(a, b string) bool {
	for _, list := range [][]string{misspell.DictMain, misspell.DictAmerican} {
		for i := 0; i+1 < len(list); i += 2 {
			if list[i] == a && list[i+1] == b || list[i] == b && list[i+1] == a {
				return true
			}
		}
	}
	return false
}

// leastClause is how many tokens a clause has that may change its place.
const leastClause = 3

// clauseMoved reports whether tokens of one text stand in the other at the other end of their sentence, one of whose two parts begins like a
// condition or a time: "If the queue is empty, stop", "Stop if the queue is empty". gone and come are places of only one text each.
func (p wording) clauseMoved(gone, come hunk) bool {
	n := gone.a1 - gone.a0
	if n < leastClause || n != come.b1-come.b0 || p.sequence(gone) || !slices.Equal(p.a.keys[gone.a0:gone.a1], p.b.keys[come.b0:come.b1]) {
		return false
	}
	begins := func(s *side, i int) bool { return s.tokens[i].gap == gapSentence }
	ends := func(s *side, i int) bool { return i == len(s.tokens) || s.tokens[i].gap == gapSentence }
	joins := func(t *token) bool {
		return t.kind == kindWord && p.lang.IsStopWord(t.key) && !p.listed(t.key, "empty") && !p.listed(t.key, "negation")
	}
	first, rest := &p.a.tokens[gone.a0], (*token)(nil)
	switch {
	case begins(&p.a, gone.a0) && ends(&p.b, come.b1) && gone.a1 < len(p.a.tokens):
		rest = &p.a.tokens[gone.a1]
	case begins(&p.b, come.b0) && ends(&p.a, gone.a1) && come.b1 < len(p.b.tokens):
		rest = &p.b.tokens[come.b1]
	default:
		return false
	}
	return joins(first) || joins(rest)
}

// statedByForm finds the tokens that both texts have and that say something else in each of them: what follows a negation, with a pause behind
// it in one text only; a word that a capital makes a name.
func (p wording) statedByForm(hunks []hunk) (found []place) {
	i, j := 0, 0
	for n := 0; n <= len(hunks); n++ {
		end := len(p.a.tokens)
		if n < len(hunks) {
			end = hunks[n].a0
		}
		for ; i < end; i, j = i+1, j+1 {
			x, y := &p.a.tokens[i], &p.b.tokens[j]
			at := hunk{i, i + 1, j, j + 1}
			switch {
			case i > 0 && j > 0 && p.a.keys[i-1] == p.b.keys[j-1] && (x.gap < gapComma) != (y.gap < gapComma) && p.negates(p.a.tokens[i-1].key):
				found = append(found, place{at, kindNegation})
			case x.capital != y.capital && x.kind == kindWord && x.gap < gapSentence && y.gap < gapSentence && i > 0 && j > 0 && (named.Has(x.key) || len(x.key) == 1 && x.key != "a" && x.key != "i"):
				found = append(found, place{at, kindName})
			}
		}
		if n < len(hunks) {
			i, j = hunks[n].a1, hunks[n].b1
		}
	}
	return found
}

// negates reports whether a word is a negation: in the language of the texts, or in any if nobody knows which it is.
func (p wording) negates(word string) bool {
	if p.known() {
		return p.listed(word, "negation")
	}
	return slices.ContainsFunc(text.Languages(), func(l text.Language) bool { return l.List("negation")[word] })
}

// named are English words that are something else with a capital.
var named = text.NewSet(`polish turkey china japan jordan chad mali march august mark bill rose frank rich grant chase hope faith rust swift ruby java
go windows word excel access outlook teams slack drive amazon apple oracle orange shell meta signal linear notion zoom sentry vault consul nomad
jenkins travis atlas compass spark storm beam flink presto kafka cloud lambda athena aurora`)

// The marks before a line, and what is in half-open intervals.
var (
	lineMark = lazyregexp.New(`^[ \t>]*([-*+•‣◦·–]|#{1,6}|[▪▫■□▲△▶▷▼▽◀◁◆◇○●]|\(?\d{1,3}[.)])[ \t]+`)
	setting  = lazyregexp.New(`^[\w.-]+[ \t]*[=:]|;$`)
	interval = lazyregexp.New(`[(\[\]][^()\[\]\n]{1,40}[)\]\[]`)
)

// differingMarks finds what only the marks of two texts state: lines added and removed, a setting that is commented out, a number that counts
// nothing, a symbol; and intervals that are open at another end.
func differingMarks(a, b string) (out []Difference) {
	x, y := markedLines(a), markedLines(b)
	mixed := func(lines map[string][]string) bool { return len(lines["+"]) > 0 && len(lines["-"]) > 0 }
	changes := mixed(x.byMark) || mixed(y.byMark)
	for _, rest := range x.order {
		mark, other := x.mark[rest], ""
		var ok bool
		if other, ok = y.mark[rest]; !ok || mark == other {
			continue
		}
		var k kind
		switch {
		case changes && strings.Contains("+-", mark) && strings.Contains("+-", other):
			k = kindSign
		case (mark == "#" || other == "#") && (mark == "" || other == "") && setting.MatchString(rest):
			k = kindSign
		case numbered(mark) && numbered(other) && !(x.counted && y.counted):
			k = kindNumber
		case symbol(mark) && symbol(other):
			k = kindSign
		default:
			continue
		}
		out = append(out, Difference{Kind: k.String(), A: strings.TrimSpace(mark + " " + shortLine(rest)), B: strings.TrimSpace(other + " " + shortLine(rest))})
		if len(out) == maxDifferences {
			return out
		}
	}
	halfOpen := func(s string) (all []string) {
		for _, at := range interval.FindAllStringIndex(s, -1) {
			m := s[at[0]:at[1]]
			if m[0] == '(' && m[len(m)-1] == ']' || m[0] != '(' && m[len(m)-1] != ']' {
				if strings.ContainsAny(m, "0123456789") {
					all = append(all, m)
				}
			}
		}
		return all
	}
	if p, q := halfOpen(a), halfOpen(b); !slices.Equal(p, q) {
		out = append(out, Difference{Kind: kindSign.String(), A: strings.Join(p, " "), B: strings.Join(q, " ")})
	}
	return out
}

func numbered(mark string) bool { return strings.ContainsAny(mark, "0123456789") }

func symbol(mark string) bool {
	return mark != "" && strings.Contains("□■▲△▶▷▼▽◀◁◆◇○●", mark)
}

func shortLine(s string) string {
	if utf8.RuneCountInString(s) <= 40 {
		return s
	}
	return string([]rune(s)[:40]) + "…"
}

// marked are the lines of a text by what follows the mark before them.
type marked struct {
	order   []string
	mark    map[string]string // "" where there is none
	byMark  map[string][]string
	counted bool // the numbers before the lines are 1, 2, 3 …
}

// mostMarked bounds the lines that are looked at.
const mostMarked = 2000

func markedLines(s string) marked {
	m := marked{mark: map[string]string{}, byMark: map[string][]string{}, counted: true}
	next, lines := 1, 0
	for line := range strings.Lines(s) {
		if lines++; lines > mostMarked {
			break
		}
		line = strings.TrimRight(line, " \t\r\n")
		mark := ""
		if at := lineMark.FindStringSubmatchIndex(line); at != nil {
			mark, line = line[at[2]:at[3]], line[at[1]:]
		}
		if line = strings.TrimSpace(line); line == "" {
			continue
		}
		if numbered(mark) {
			if n := atoi(strings.Trim(mark, "().")); n != next && n != 1 {
				m.counted = false
			} else {
				next = n
			}
			next++
		}
		if _, twice := m.mark[line]; !twice {
			m.order = append(m.order, line)
		}
		m.mark[line] = mark
		m.byMark[mark] = append(m.byMark[mark], line)
	}
	return m
}

// called reports whether what is written in one word or in several is what something is called: names may differ in their punctuation only. A
// word before it says so, or a noun for what bears a name.
func called(p *pair, h hunk) bool {
	named := func(s *side, from, to int) bool {
		if s.tokens[from].code || quoted(s.text, s.tokens[from].start, s.tokens[to-1].end) {
			return true
		}
		for i := max(0, from-2); i < from; i++ {
			if naming.Has(s.tokens[i].key) || i == from-1 && bearing.Has(s.tokens[i].key) {
				return true
			}
		}
		return to < len(s.tokens) && s.tokens[to].gap == gapSpace && bearing.Has(s.tokens[to].key)
	}
	return named(&p.a, h.a0, h.a1) || named(&p.b, h.b0, h.b1)
}

// quoted reports whether a mark of quotation or of code stands right before and right behind a piece of text.
func quoted(body string, from, to int) bool {
	const marks = "\"'`„“”«»‹›「」『』"
	before, _ := utf8.DecodeLastRuneInString(body[:from])
	behind, _ := utf8.DecodeRuneInString(body[to:])
	return strings.ContainsRune(marks, before) && strings.ContainsRune(marks, behind)
}

var (
	// naming are words before a name.
	naming = text.NewSet(`called named titled alias id identifier name heißt heisst namens genannt nommé nommée appelé appelée appelle llama llamado llamada
		chamado chamada chama chiama chiamato chiamata genaamd heet heter kallas hedder nazywa nazwie nazwany называется именем називається adı adlı`)

	// bearing are nouns for what bears a name in software.
	bearing = text.NewSet(`package library module crate gem repository repo branch image container host hostname command flag option plugin extension table column
		file folder directory bucket queue topic label namespace cluster environment endpoint route script binary executable`)
)

// otherWhenJoined reports whether the two are two words: what is done again, and what the same letters mean in one.
func otherWhenJoined(p *pair, h hunk) bool {
	s, from, to := &p.a, h.a0, h.a1
	if h.b1-h.b0 > to-from {
		s, from, to = &p.b, h.b0, h.b1
	}
	return to-from == 2 && s.tokens[from].key == "re" && again.Has(s.tokens[from+1].key)
}

// again are the words that "re-" only repeats, and that are something else behind "re".
var again = text.NewSet(`creation creations create creates created creating sign signs signed signing cover covers covered covering form forms formed forming
	sort sorts sorted sorting lease leases leased leasing present presents presented presenting sent serve serves served serving lay lays laid mark marks
	marked marking pose poses posed move moves moved moving store stores stored storing search searches searched collect collects collected collection
	act acts acted acting count counts counted treat treats treated sound press presses pressed prove strain strained tire tired dress dressed`)
