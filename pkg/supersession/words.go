package supersession

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/memoryd/memoryd/pkg/text"
)

// word is a word of a sentence: letters and digits with what joins them.
type word struct {
	start, end int    // bytes of the sentence
	key        string // lower case, without digit grouping and possessive
	capital    bool   // begins with an upper-case letter
	name       bool   // does so behind the first word, or has another one inside
	unspaced   bool   // of a script without spaces
	function   bool   // says nothing of a subject, in the language of the text (set by parts)
	digit      bool   // holds a digit
	number     bool   // is a number in words, in the language of the text (set by parts)
	colon      bool   // a colon, an equals sign or an arrow follows,
	arrow      bool   // the last
	clause     bool   // a comma, bracket, dash, semicolon or the like stands before it
}

// words lists the words of a sentence. It takes time linear in the text.
func words(s string) []word {
	var out []word
	clause := false
	for t := range text.Tokens(s) {
		raw := s[t.Start:t.End]
		n := len(out)
		if t.Kind == text.KindSign {
			switch {
			case raw == ":" || raw == "=" || raw == "：" || raw == "→" || strings.HasPrefix(s[t.Start:], "->"):
				if n > 0 {
					out[n-1].colon = true
					out[n-1].arrow = out[n-1].arrow || raw == "→" || raw == "-"
				}
				continue
			case strings.Contains(`,;()[]{}–—"“”„«»，、；（）「」『』،؛`, raw):
				clause = true
				continue
			case !strings.Contains("$€£%", raw):
				continue
			}
		}
		if n > 0 && out[n-1].end == t.Start && (raw == "%" || strings.Contains("$€£", s[out[n-1].start:t.Start])) {
			out[n-1].end = t.End // a sign and its number are one word
		} else {
			out = append(out, word{start: t.Start, end: t.End, clause: clause})
			n++
		}
		w := &out[n-1]
		raw = s[w.start:w.end]
		first, _ := utf8.DecodeRuneInString(raw)
		w.key, w.capital, w.digit = key(raw), unicode.IsUpper(first), strings.ContainsFunc(raw, unicode.IsDigit)
		w.unspaced = t.Kind == text.KindUnspaced
		w.name = w.capital && n > 1 || t.Kind == text.KindIdentifier || strings.ContainsAny(raw, "-_./")
		clause = false
	}
	return out
}

// parts lists words, those of scripts without spaces by their characters, and parted from what is elided before them and from the
// ending of a case behind a colon.
func parts(s string, ws []word, l text.Language) []word {
	var out []word
	for _, w := range ws {
		if w.unspaced {
			for i, r := range s[w.start:w.end] {
				c := w
				c.start, c.end = w.start+i, w.start+i+utf8.RuneLen(r)
				c.key, c.clause = text.Fold(string(r)), w.clause && i == 0
				out = append(out, c)
			}
			continue
		}
		if n := len(out); n > 0 && out[n-1].capital && w.start == out[n-1].end+1 && s[out[n-1].end] == ':' && !w.capital && utf8.RuneCountInString(w.key) <= 4 {
			continue // the ending of a case: "API:n"
		}
		if head, rest, _ := strings.Cut(w.key, "'"); utf8.RuneCountInString(rest) > 2 && elisions.Has(head) {
			at := w.start + strings.IndexAny(s[w.start:w.end], "'’")
			_, n := utf8.DecodeRuneInString(s[at:])
			out = append(out, word{start: w.start, end: at, key: head, clause: w.clause})
			first, _ := utf8.DecodeRuneInString(s[at+n:])
			w.start, w.key, w.clause, w.capital = at+n, rest, false, unicode.IsUpper(first)
			w.name = w.name || w.capital
		}
		out = append(out, w)
	}
	for i := range out {
		w := &out[i]
		w.number = l.Has("number", w.key)
		w.function = isFunctionWord(w.key) || text.English.List("frequent")[w.key] || l.IsStopWord(w.key) || l == text.Unknown && !w.capital && text.IsStopWord(w.key)
	}
	return out
}

// key is the normal form of a word.
func key(raw string) string {
	k := strings.ReplaceAll(text.Fold(raw), "’", "'")
	k = strings.TrimSuffix(k, "'s")
	if strings.Contains(k, ",") {
		k = strings.ReplaceAll(k, ",", "")
	}
	return k
}

// unjoined is a text without joiners of letters, as keys are: Persian and Bengali words are looked for in it.
func unjoined(s string) string {
	const nonJoiner, joiner = "\u200c", "\u200d"
	if !strings.Contains(s, nonJoiner) && !strings.Contains(s, joiner) {
		return s
	}
	return strings.NewReplacer(nonJoiner, "", joiner, "").Replace(s)
}

func joinKeys(ws []word) string {
	keys := make([]string, len(ws))
	for i, w := range ws {
		keys[i] = w.key
	}
	return strings.Join(keys, " ")
}

// contentWords are the stems of the words that carry meaning, sorted.
func contentWords(ws []word) (out []string) {
	for _, w := range ws {
		if !isFunctionWord(w.key) {
			out = append(out, text.English.Stem(w.key))
		}
	}
	slices.Sort(out)
	return out
}

// dice is the Sørensen–Dice index of two sorted multisets; of two empty ones 0.
func dice(a, b []string) float64 {
	common := 0
	for i, j := 0, 0; i < len(a) && j < len(b); {
		switch c := strings.Compare(a[i], b[j]); {
		case c < 0:
			i++
		case c > 0:
			j++
		default:
			common++
			i++
			j++
		}
	}
	if len(a)+len(b) == 0 {
		return 0
	}
	return 2 * float64(common) / float64(len(a)+len(b))
}

// isFunctionWord reports whether a word carries no subject: an article, a pronoun, a
// preposition, a conjunction, an auxiliary.
func isFunctionWord(k string) bool { return text.English.IsStopWord(k) || k == "may" }

// excerpt is the text of words of a sentence, verbatim.
func excerpt(s string, ws []word) string {
	if len(ws) == 0 {
		return ""
	}
	return s[ws[0].start:ws[len(ws)-1].end]
}

var (
	// auxiliaries stand between a subject and what is said about it.
	auxiliaries = text.NewSet(`is are was were be been am has have had does do did will would shall should can could may might must
		isn't aren't wasn't weren't hasn't haven't doesn't don't didn't won't can't cannot couldn't shouldn't`)

	// elisions are words before an apostrophe in French and Italian.
	elisions = text.NewSet(`c d j l m n s t qu jusqu lorsqu puisqu all coll dall dell nell sull un gl quest quell`)

	// connectives stand inside names and values.
	connectives = text.NewSet(`of and the a an & or for de la le du di da von van der den del y`)

	// slotMarks stand before a value.
	slotMarks = text.NewSet(`is are was were be been of by with in into to as at on from for than has have had the a an its via under
		within after until since every`)

	// pronouns are followed by a verb when they begin a sentence.
	pronouns = text.NewSet(`i we you they he she it everyone everybody someone nobody`)

	// deictic words begin a sentence whose subject only the text around it tells.
	deictic = text.NewSet(`this that these those it he she they here there`)

	// present words say that a statement holds by now and add nothing to it.
	present = text.NewSet(`now currently today nowadays presently meanwhile again`)
)
