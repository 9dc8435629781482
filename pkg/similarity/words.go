package similarity

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/memoryd/memoryd/pkg/text"
)

// wordScanner lists the hashes of the words of a text. A word is hashed in its normal form: compatibility-composed (NFKC),
// case-folded, without punctuation, contractions written out, digit groups joined (1,000 is 1000). Scripts that put no spaces
// between words yield pairs of neighbouring characters, or the character itself where it stands alone.
type wordScanner struct {
	hashes []uint64
	each   func(word []byte) // is shown each word besides; nil for nobody

	// The word or the unspaced run that is being read.
	buf        []byte
	apostrophe bool // buf holds one
	prev       rune // last character of an unspaced run, 0 outside of one
	inRun      int  // characters of the run so far
}

func (s *wordScanner) read(src string) {
	src = text.Normal(src)
	s.hashes = s.hashes[:0]
	for i := 0; i < len(src); {
		switch c := src[i]; {
		case asciiWord[c] != 0:
			end, hash := i, uint64(hashSeed)
			for end < len(src) && asciiWord[src[end]] != 0 {
				hash = (hash ^ uint64(asciiWord[src[end]])) * hashPrime
				end++
			}
			if s.inRun == 0 && len(s.buf) == 0 && s.each == nil && alone(src, i, end) {
				s.hashes = append(s.hashes, hash)
			} else {
				s.endRun()
				for _, c := range []byte(src[i:end]) {
					s.buf = append(s.buf, asciiWord[c])
				}
			}
			i = end
		case c < utf8.RuneSelf:
			if len(s.buf) > 0 || s.inRun > 0 {
				s.separator(src, i, c == '\'')
			}
			i++
		default:
			r, n := utf8.DecodeRuneInString(src[i:])
			s.rune(src, i, r, n)
			i += n
		}
	}
	s.endWord()
	s.endRun()
}

// alone reports whether the letters and digits text[i:end] are a word by themselves that is listed as it is.
func alone(src string, i, end int) bool {
	if end < len(src) && (src[end] >= utf8.RuneSelf || src[end] == '\'' || src[end] == ',' && text.IsDigitGroup(src, end)) {
		return false
	}
	return !mayBeJoined(src[i:end])
}

// say lists a word.
func (s *wordScanner) say(word []byte) {
	s.hashes = append(s.hashes, hashWord(word))
	if s.each != nil {
		s.each(word)
	}
}

// asciiWord maps the ASCII letters and digits to lower case and everything else to 0.
var asciiWord = func() (t [256]byte) {
	for c := byte('0'); c <= '9'; c++ {
		t[c] = c
	}
	for c := byte('a'); c <= 'z'; c++ {
		t[c], t[c-'a'+'A'] = c, c
	}
	return t
}()

// separator handles a byte or rune between words: an apostrophe between letters and a comma between digit groups stay inside.
func (s *wordScanner) separator(src string, i int, apostrophe bool) {
	if len(s.buf) > 0 {
		if apostrophe && letterAfter(src, i) {
			s.buf = append(s.buf, '\'')
			s.apostrophe = true
			return
		}
		if src[i] == ',' && text.IsDigitGroup(src, i) {
			return
		}
		s.endWord()
	}
	s.endRun()
}

func (s *wordScanner) rune(src string, i int, r rune, n int) {
	switch {
	case text.IsUnspaced(r):
		s.endWord()
		s.inRun++
		if s.prev != 0 {
			s.say(utf8.AppendRune(utf8.AppendRune(s.buf[:0], s.prev), r))
		}
		s.prev = r
	case text.IsWord(r):
		s.endRun()
		if form := text.LetterForm(r); form == r {
			s.buf = append(s.buf, src[i:i+n]...)
		} else if form >= 0 {
			s.buf = utf8.AppendRune(s.buf, form)
		}
	case r == '’' || r == '‘':
		s.separator(src, i, true)
	case unicode.Is(unicode.Cf, r): // soft hyphens, joiners and marks of direction are not seen
	case unicode.Is(unicode.So, r) && !layoutSymbol(r):
		s.endWord()
		s.endRun()
		s.say(utf8.AppendRune(s.buf[:0], r))
	default:
		s.separator(src, i, false)
	}
}

func (s *wordScanner) endRun() {
	if s.inRun == 1 {
		s.say(utf8.AppendRune(s.buf[:0], s.prev))
	}
	s.prev, s.inRun = 0, 0
}

func (s *wordScanner) endWord() {
	if len(s.buf) == 0 {
		return
	}
	if s.apostrophe || mayBeJoined(s.buf) && joined[string(s.buf)] != "" {
		for _, w := range expand(string(s.buf)) {
			s.say(append(s.buf[:0], w...))
		}
	} else {
		s.say(s.buf)
	}
	s.buf = s.buf[:0]
	s.apostrophe = false
}

// mayBeJoined reports whether a word ends as those in joined do, in whatever case.
func mayBeJoined[T string | []byte](word T) bool {
	n := len(word)
	return n > 3 && word[n-1]|0x20 == 't' && (word[n-2]|0x20 == 'n' || word[n-2]|0x20 == 'o')
}

// layoutSymbol reports box drawing, blocks and geometric shapes, which draw tables and bullets and say nothing.
func layoutSymbol(r rune) bool { return 0x2500 <= r && r <= 0x25FF }

// letterAfter reports whether the rune after the one at i is a letter.
func letterAfter(s string, i int) bool {
	_, n := utf8.DecodeRuneInString(s[i:])
	r, _ := utf8.DecodeRuneInString(s[i+n:])
	return unicode.IsLetter(r)
}

// expand writes a lower-case contraction out. A possessive 's is dropped, any other apostrophe separates words.
func expand(word string) []string {
	if verb := joined[word]; verb != "" {
		return []string{verb, "not"}
	}
	if stem, ok := strings.CutSuffix(word, "n't"); ok && stem != "" {
		if full, ok := irregular[stem]; ok {
			stem = full
		}
		return []string{stem, "not"}
	}
	i := strings.LastIndexByte(word, '\'')
	stem, ending := word[:i], word[i+1:]
	if full, ok := clitics[ending]; ok {
		return []string{stem, full}
	}
	if ending == "s" {
		if stem == "let" {
			return []string{"let", "us"}
		}
		if copular.Has(stem) {
			return []string{stem, "is"}
		}
		return []string{stem}
	}
	return strings.FieldsFunc(word, func(r rune) bool { return r == '\'' })
}

// joined are the verbs of the negations that are written without an apostrophe, by rule or by habit.
var joined = map[string]string{"cannot": "can", "dont": "do", "doesnt": "does", "didnt": "did", "isnt": "is", "arent": "are", "wasnt": "was",
	"werent": "were", "hasnt": "has", "havent": "have", "hadnt": "had", "couldnt": "could", "shouldnt": "should", "wouldnt": "would"}

var (
	irregular = map[string]string{"ca": "can", "wo": "will", "sha": "shall", "ai": "is"}
	clitics   = map[string]string{"re": "are", "ve": "have", "ll": "will", "m": "am", "d": "would", "t": "not"}
	copular   = text.NewSet("it that this there here what where who how he she")
)
