package similarity

import (
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/memoryd/memoryd/pkg/internal/lazyregexp"
	"github.com/memoryd/memoryd/pkg/text"
	"golang.org/x/text/unicode/norm"
)

// kind is that of a token, or of a difference.
type kind uint8

const (
	kindWord kind = iota
	kindNumber
	kindUnit
	kindDate
	kindVersion
	kindIdentifier
	kindPath
	kindURL
	kindName
	kindNegation
	kindOrder
	kindReplaced
)

func (k kind) String() string {
	return [...]string{"", "number", "unit", "date", "version", "identifier", "path", "url", "name", "negation", "order", "word"}[k]
}

var (
	layout     = lazyregexp.New(`^[ \t>]*(?:(?:[-*+•]|#{1,6}|\(?\d{1,2}[.)])[ \t]+)?(?:\[[ xX]\][ \t]+)?`)
	comparison = lazyregexp.New(`^(?:[=!<>]==?|[<>≤≥≠])`)
	flag       = lazyregexp.New(`^-\pL`)
	pathStart  = lazyregexp.New(`^\.?/[\pL\d_.]`)
	urlRest    = lazyregexp.New(`^://[^\s<>"'\x60\[\]{}]*[\pL\d/_=#&~-]`)

	isoDate = lazyregexp.New(`^(\d{4})[-/](\d{1,2})[-/](\d{1,2})(?:T(\d.*))?$`)
	dotDate = lazyregexp.New(`^(\d{1,2})\.(\d{1,2})\.(\d{4})$`)
	anyDate = lazyregexp.New(`^(\d{1,2}/\d{1,2})/(\d{2}|\d{4})$`)
	clock   = lazyregexp.New(`^(\d{1,2}:\d{2}(?::\d{2})?)(?:(\.\d*[1-9])0*|\.0+)?(?i:(am|pm)|z)?$`)
	version = lazyregexp.New(`^[\^~]?(?:[vV]\d+(?:\.\d+)*|\d+(?:\.\d+){2,}|\d+(?:\.\d+)*\.[xX])` +
		`(?:[-.]?(?i:rc|alpha|beta|dev|pre|post|a|b|p)[-.]?\d*)*$`)
	number   = lazyregexp.New(`^([-+]?)((?:\$US|[$€£¥])?)#?((?:\d[\d,_]*)?(?:\.?\d+))([\pL%°µ]*)$`)
	email    = lazyregexp.New(`^[^@/]+@(?:[^@/]+\.[^@/]+|\pL[^@/]*)$`) // or a login: root@host
	ticket   = lazyregexp.New(`^[A-Z][A-Z0-9]*(?:-[A-Z0-9]+)*-\d+$|^[0-9a-fA-F]{8}(?:-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}$`)
	filePath = lazyregexp.New(`^(?:\.{0,2}|~)/|/.*/|^[^/]*[/\\][^/]*\.\pL{1,5}$|\\.*\.|^[A-Za-z]:\\`)
	dotted   = lazyregexp.New(`^\.?[\pL_][\pL\d_]*(?:(?:\.|::)[\pL_][\pL\d_]*)+(?:\(\))?$`)
	abbrev   = lazyregexp.New(`^(?:\pL{1,2}\.)+\pL{1,2}$`)
	marked   = lazyregexp.New(`^(?:--|[@$#])\pL|\(\)$|^\pL(?:\+\+|#)$`)
	mixed    = lazyregexp.New(`\pL_|_\pL|\pL\d|\d\pL|\p{Ll}\p{Lu}`)
)

// classify adds the tokens of one run of joined characters: as one fact if it has the shape of one, else by its parts.
func (l *lexer) classify(start, end int) {
	for start < end && l.text[start] == '_' {
		start++
	}
	for start < end && l.text[end-1] == '_' {
		end--
	}
	raw := l.text[start:end]
	if !text.IsASCII(raw) && strings.ContainsFunc(raw, func(r rune) bool { return r >= utf8.RuneSelf && unicode.IsDigit(r) }) {
		raw = norm.NFKC.String(raw) // full-width digits
	}
	if raw == "" {
		return
	}
	if plainWord(raw) {
		l.words(start, end)
		return
	}
	t := token{start: start, end: end}
	m := marksOf(raw)
	has := func(any marks) bool { return m&any != 0 }
	switch {
	case text.IsDigit(raw[0]) && has(hasColon|hasHyphen|hasSlash|hasDot) && l.dateOrClock(start, end):
		return
	case has(hasDigit) && (has(hasDot) || strings.IndexByte("vV^~", raw[0]) >= 0) && version.MatchString(raw):
		t.kind, t.key = kindVersion, strings.TrimPrefix(strings.ToLower(raw), "v")
	case has(hasDigit) && digitsOnly(raw):
		t.kind, t.value = kindNumber, &value{num: decimal(raw)}
		t.key = t.num
	case has(hasDigit) && !letter(raw[0]) && l.amount(t, raw):
		return
	case has(hasAt) && email.MatchString(raw), has(hasHyphen) && (text.IsDigit(raw[len(raw)-1]) || len(raw) == 36) && ticket.MatchString(raw):
		t.kind, t.key = kindIdentifier, text.Fold(raw)
	case has(hasSlash) && filePath.MatchString(raw):
		t.kind, t.key = kindPath, raw[:1]+strings.TrimSuffix(raw[1:], "/")
	case has(hasDot) && abbrev.MatchString(raw):
		t.key = text.Fold(strings.ReplaceAll(raw, ".", ""))
	case has(hasDot|hasColon) && dotted.MatchString(raw):
		t.kind, t.key = kindIdentifier, strings.TrimSuffix(text.Fold(raw), "()")
	case raw[0] == '^' || raw[0] == '~':
		l.classify(start+1, end)
		return
	default:
		l.parts(start, end)
		return
	}
	l.add(t)
}

// amount adds the token t of a number with what stands around it.
func (l *lexer) amount(t token, raw string) bool {
	m := number.FindStringSubmatch(raw)
	if m != nil {
		l.add(quantity(t, m))
	}
	return m != nil
}

func digitsOnly(s string) bool {
	for i := range len(s) {
		if !text.IsDigit(s[i]) {
			return false
		}
	}
	return true
}

// parts splits a run at what joins it, first at hyphens and slashes, then at dots, and classifies each part.
func (l *lexer) parts(start, end int) {
	raw := l.text[start:end]
	cuts := cutsAt(raw, joint)
	if cuts == nil {
		cuts = cutsAt(raw, dot)
	}
	switch {
	case strings.IndexByte(")+#", raw[len(raw)-1]) >= 0 && marked.MatchString(raw), strings.IndexByte("-@$#", raw[0]) >= 0 && marked.MatchString(raw), cuts == nil && mixedCase(raw):
		l.add(token{start: start, end: end, kind: kindIdentifier, key: strings.TrimSuffix(text.Fold(l.text[start:end]), "()")})
		return
	case cuts == nil:
		l.words(start, end)
		return
	}
	from := 0
	for _, cut := range append(cuts, [2]int{len(raw), len(raw)}) {
		if cut[0] > from {
			l.classify(start+from, start+cut[0])
		}
		from = cut[1]
	}
}

// mixedCase is mixed, without the regular expression where there is nothing but ASCII.
func mixedCase(raw string) bool {
	if !text.IsASCII(raw) {
		return mixed.MatchString(raw)
	}
	for i := 1; i < len(raw); i++ {
		a, b := raw[i-1], raw[i]
		switch {
		case letter(a) && (b == '_' || text.IsDigit(b)), letter(b) && (a == '_' || text.IsDigit(a)):
			return true
		case 'a' <= a && a <= 'z' && 'A' <= b && b <= 'Z':
			return true
		}
	}
	return false
}

// cutsAt lists where a run is cut: the spans of which length gives the length, 0 for none.
func cutsAt(raw string, length func(rest string) int) (cuts [][2]int) {
	for i := 0; i < len(raw); {
		n := length(raw[i:])
		if n == 0 {
			i++
			continue
		}
		cuts = append(cuts, [2]int{i, i + n})
		i += n
	}
	return cuts
}

// joint is the length of what joins two parts of a run at its beginning.
func joint(rest string) int {
	switch rest[0] {
	case '-', '/', '\\', '@', '#', '%':
		return 1
	}
	for _, s := range [...]string{"‑", "::", "++", "()"} {
		if strings.HasPrefix(rest, s) {
			return len(s)
		}
	}
	return 0
}

// dot is the same of what joins the parts of those.
func dot(rest string) int {
	if c := rest[0]; c == '.' || c == ':' || c == ',' {
		return 1
	}
	return 0
}

// plainWord reports whether s is made of letters and apostrophes only and has no capital inside that makes it an identifier.
func plainWord(s string) bool {
	lower := false
	for i := range len(s) {
		switch c := s[i]; {
		case 'a' <= c && c <= 'z':
			lower = true
		case 'A' <= c && c <= 'Z' && !lower, c == '\'':
		case c >= utf8.RuneSelf:
			return plainRunes(s)
		default:
			return false
		}
	}
	return true
}

func plainRunes(s string) bool {
	lower := false
	for _, r := range s {
		switch {
		case unicode.IsLower(r):
			lower = true
		case unicode.IsUpper(r) && lower:
			return false
		case !unicode.IsLetter(r) && !unicode.IsMark(r) && r != '\'' && r != '’':
			return false
		}
	}
	return true
}

// words adds a word, written out when it is a contraction or a numeral.
func (l *lexer) words(start, end int) {
	key := text.Fold(l.text[start:end])
	if !text.IsASCII(key) {
		key = strings.ReplaceAll(key, "’", "'")
	}
	t := token{start: start, end: end, key: key, hash: hashWord(key)}
	l.setCapitals(&t)
	t.lists = l.lexicon[key]
	switch {
	case t.lists&isCent != 0 && l.perCent(t.end):
	case end-start == 1 && l.text[start] == 'A' && l.gap == gapNone:
		t.setKey("A") // a label, no article
		t.lists = 0
		l.push(t)
	case t.lists&isNumeral != 0:
		n := numerals()[key]
		l.add(token{start: start, end: end, kind: kindNumber, spelt: true, value: &value{num: n.value, unit: n.unit}, key: numberKey(n.value, n.unit)})
	case t.lists&isJoined == 0 && strings.IndexByte(key, '\'') < 0:
		l.push(t)
	default:
		for _, w := range expand(key) {
			l.add(token{start: start, end: end, key: w})
		}
	}
}

// perCent makes one token of "per cent", whose second word ends at end.
func (l *lexer) perCent(end int) bool {
	n := len(l.tokens)
	if n == 0 || l.tokens[n-1].key != "per" || l.gap > gapNone {
		return false
	}
	t := &l.tokens[n-1]
	t.setKey("percent")
	t.lists, t.end = l.lexicon[t.key], end
	return true
}

// dateOrClock adds a calendar date or a time of day.
func (l *lexer) dateOrClock(start, end int) bool {
	raw := l.text[start:end]
	add := func(d date, from, to int) {
		l.add(token{start: from, end: to, kind: kindDate, value: valueOf(d), key: d.key()})
	}
	if m := clock.FindStringSubmatchIndex(raw); m != nil {
		hours, rest, _ := strings.Cut(raw[m[2]:m[3]], ":")
		d := date{clock: strconv.Itoa(atoi(hours)) + ":" + rest}
		if m[4] >= 0 {
			d.clock += raw[m[4]:m[5]] // a fraction
		} else {
			d.clock = strings.TrimSuffix(strings.TrimSuffix(d.clock, ":00"), ":00")
		}
		if m[6] >= 0 {
			d = d.halfDay(strings.ToLower(raw[m[6]:m[7]]))
		}
		add(d, start, end)
		return true
	}
	if m := isoDate.FindStringSubmatchIndex(raw); m != nil {
		to := m[7]
		add(date{year: atoi(raw[m[2]:m[3]]), month: atoi(raw[m[4]:m[5]]), day: atoi(raw[m[6]:m[7]])}, start, start+to)
		if m[8] >= 0 {
			l.classify(start+m[8], end)
		}
		return true
	}
	if m := dotDate.FindStringSubmatch(raw); m != nil {
		add(date{year: atoi(m[3]), month: atoi(m[2]), day: atoi(m[1])}, start, end)
		return true
	}
	if m := anyDate.FindStringSubmatch(raw); m != nil {
		add(date{year: atoi(m[2]), other: m[1]}, start, end)
		return true
	}
	return false
}

// atoi reads digits that a regular expression has already bounded.
func atoi(s string) int {
	n, err := strconv.Atoi(s)
	if err != nil {
		return 0
	}
	return n
}
