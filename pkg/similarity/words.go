package similarity

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/memoryd/memoryd/pkg/internal/lazymap"
)

// wordScanner lists the hashes of the words of a text. A word is hashed in its normal form: compatibility-composed (NFKC),
// case-folded, without punctuation, contractions written out, digit groups joined (1,000 is 1000). Scripts that put no spaces
// between words yield pairs of neighbouring characters, or the character itself where it stands alone.
type wordScanner struct {
	hashes []uint64
	each   func(word []byte) // is shown each word besides; nil for nobody

	// The word or the unspaced run that is being read.
	buf        []byte
	hash       uint64 // of buf
	apostrophe bool   // buf holds one
	prev       rune   // last character of an unspaced run, 0 outside of one
	inRun      int    // characters of the run so far
}

func (s *wordScanner) read(text string) {
	text = normalised(text)
	s.hashes, s.hash = s.hashes[:0], hashSeed
	for i := 0; i < len(text); {
		c := text[i]
		switch lower := asciiWord[c]; {
		case lower != 0:
			if s.inRun > 0 {
				s.endRun()
			}
			hash := s.hash
			for lower != 0 {
				s.buf = append(s.buf, lower)
				hash = (hash ^ uint64(lower)) * hashPrime
				if i++; i == len(text) {
					break
				}
				lower = asciiWord[text[i]]
			}
			s.hash = hash
		case c < utf8.RuneSelf:
			s.separator(text, i, c == '\'')
			i++
		default:
			r, n := utf8.DecodeRuneInString(text[i:])
			s.rune(text, i, r, n)
			i += n
		}
	}
	s.endWord()
	s.endRun()
}

func (s *wordScanner) add(part string) {
	s.buf = append(s.buf, part...)
	for i := range len(part) {
		s.hash = (s.hash ^ uint64(part[i])) * hashPrime
	}
}

// emit lists a word with its hash.
func (s *wordScanner) emit(word []byte, hash uint64) {
	s.hashes = append(s.hashes, hash)
	if s.each != nil {
		s.each(word)
	}
}

// say lists a word that does not stand in buf.
func (s *wordScanner) say(word []byte) { s.emit(word, hashWord(word)) }

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
func (s *wordScanner) separator(text string, i int, apostrophe bool) {
	if len(s.buf) > 0 {
		if apostrophe && letterAfter(text, i) {
			s.add("'")
			s.apostrophe = true
			return
		}
		if text[i] == ',' && digitGroupAt(text, i) {
			return
		}
		s.endWord()
	}
	s.endRun()
}

func (s *wordScanner) rune(text string, i int, r rune, n int) {
	switch {
	case unicode.In(r, unspaced...) || r == 'ー':
		s.endWord()
		s.inRun++
		if s.prev != 0 {
			s.say(utf8.AppendRune(utf8.AppendRune(s.buf[:0], s.prev), r))
		}
		s.prev = r
	case unicode.IsLetter(r) || unicode.IsMark(r) || unicode.IsNumber(r):
		s.endRun()
		s.add(text[i : i+n])
	case r == '’' || r == '‘':
		s.separator(text, i, true)
	case unicode.Is(unicode.Cf, r): // soft hyphens, joiners and marks of direction are not seen
	case unicode.Is(unicode.So, r) && !layoutSymbol(r):
		s.endWord()
		s.endRun()
		s.say(utf8.AppendRune(s.buf[:0], r))
	default:
		s.separator(text, i, false)
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
		s.emit(s.buf, s.hash)
	}
	s.buf = s.buf[:0]
	s.hash, s.apostrophe = hashSeed, false
}

// mayBeJoined reports whether a word ends as those in joined do.
func mayBeJoined(word []byte) bool {
	n := len(word)
	return n > 3 && word[n-1] == 't' && (word[n-2] == 'n' || word[n-2] == 'o')
}

// unspaced are the scripts that are written without spaces between words.
var unspaced = []*unicode.RangeTable{unicode.Han, unicode.Hiragana, unicode.Katakana, unicode.Thai, unicode.Lao, unicode.Khmer, unicode.Myanmar}

// layoutSymbol reports box drawing, blocks and geometric shapes, which draw tables and bullets and say nothing.
func layoutSymbol(r rune) bool { return 0x2500 <= r && r <= 0x25FF }

func isASCII(s string) bool {
	for i := 0; i < len(s); i++ {
		if s[i] >= utf8.RuneSelf {
			return false
		}
	}
	return true
}

// letterAfter reports whether the rune after the one at i is a letter.
func letterAfter(s string, i int) bool {
	_, n := utf8.DecodeRuneInString(s[i:])
	r, _ := utf8.DecodeRuneInString(s[i+n:])
	return unicode.IsLetter(r)
}

// digitGroupAt reports whether the comma at i joins groups of digits: a digit before it and exactly three behind it.
func digitGroupAt(s string, i int) bool {
	return i > 0 && isDigit(s[i-1]) && len(s) > i+3 && isDigit(s[i+1]) && isDigit(s[i+2]) && isDigit(s[i+3]) &&
		(len(s) == i+4 || !isDigit(s[i+4]))
}

func isDigit(c byte) bool { return '0' <= c && c <= '9' }

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
	copular   = lazymap.Words("it that this there here what where who how he she")
)
