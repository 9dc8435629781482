package similarity

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"

	"github.com/memoryd/memoryd/pkg/internal/lazyregexp"
	"github.com/memoryd/memoryd/pkg/text"
)

// The forms of a chunk that is not prose.
var (
	isoDate    = lazyregexp.New(`^(\d{4})[-/.](\d{1,2})[-/.](\d{1,2})(?:T(\d.*))?$`)
	dayDate    = lazyregexp.New(`^(\d{1,2})([./])(\d{1,2})[./](\d{4}|\d{2})$`)
	clock      = lazyregexp.New(`^(\d{1,2}):(\d{2})(?::(\d{2}(?:\.\d+)?))?(Z|[+-]\d{2}:?\d{2})?(?i:(am|pm))?$`)
	version    = lazyregexp.New(`^(?:[vV]\d+(?:\.\d+)*|\d+(?:\.\d+){2,}|\d+(?:\.\d+)*\.[xX])(?:[-.+]?[A-Za-z]+[-.]?\d*)*$`)
	amount     = lazyregexp.New(`^(-?)((?:US|R|A|C)?[$€£¥])?(\d+(?:[.,_'’]\d+)*)(\pL{0,8}|%|°|°C|°F|µs|μs)$`)
	grouped    = lazyregexp.New(`^\d{1,3}(?:\.\d{3})+(?:,\d+)?$`)
	pathForm   = lazyregexp.New(`^(?:\.{0,2}|~)/|/.*/|[/\\].*\.\pL{1,5}$|^[A-Za-z]:\\`)
	noted      = lazyregexp.New(`^(\pL+)\[(\d+)\]$`) // a word and the number of a note
	callSuffix = "()"
)

// chunk adds the tokens of the characters from start to end, which no white space parts.
func (l *lexer) chunk(start, end int) {
	raw := l.text[start:end]
	if at := strings.IndexFunc(raw, otherNumber); at >= 0 {
		_, n := utf8.DecodeRuneInString(raw[at:])
		if at > 0 {
			l.chunk(start, start+at)
		}
		l.push(token{start: start + at, end: start + at + n, key: raw[at : at+n], kind: kindNumber})
		if start+at+n < end {
			l.chunk(start+at+n, end)
		}
		return
	}
	if n := len(raw) - len(strings.TrimLeft(raw, "_")); n > 1 && len(raw) > 2*n && strings.HasSuffix(raw, raw[:n]) {
		l.chunk(start+n, end-n) // __init__ may be written bold
		return
	}
	if m := noted.FindStringSubmatchIndex(raw); m != nil {
		l.chunk(start, start+m[3])
		l.chunk(start+m[4], start+m[5])
		return
	}
	if l.words(start, end) || l.unit(start, end) {
		return
	}
	form := plainForm(raw)
	t := token{start: start, end: end, key: form, kind: kindIdentifier}
	digit := strings.ContainsFunc(form, unicode.IsDigit)
	switch {
	case strings.Contains(form, "://"):
		t.kind, t.key = kindURL, strings.TrimSuffix(form, "/")
	case !strings.ContainsFunc(form, isWordRune):
		t.kind, t.key = kindSign, signForm(form)
	case digit && l.date(t, form), digit && l.amount(t, form):
		return
	case digit && version.MatchString(form):
		t.kind, t.key = kindVersion, strings.TrimPrefix(strings.ToLower(form), "v")
	case pathForm.MatchString(form):
		t.kind, t.key = kindPath, form[:1]+strings.TrimSuffix(form[1:], "/")
	case strings.IndexByte("<>=≤!~^+", form[0]) >= 0 && l.prefixed(start, end):
		return
	case strings.Count(form, "/") == 1 && l.alternatives(start, end):
		return
	default:
		t.key = strings.TrimSuffix(form, callSuffix)
		if at := strings.LastIndexByte(t.key, '\''); at > 0 && t.key[at:] == "'s" {
			t.key = t.key[:at]
		}
		if r, _ := utf8.DecodeRuneInString(form); unicode.IsUpper(r) && lettersOnly(t.key) {
			t.key = text.Fold(t.key) // GitHub, Github
			t.capital = true
		}
	}
	l.push(t)
}

// otherNumber reports superscripts, fractions and circled numbers: 10² is no 102.
func otherNumber(r rune) bool { return r >= utf8.RuneSelf && unicode.Is(unicode.No, r) }

// plainForm is a chunk with one form of each letter, digit, dash and apostrophe: compatibility-composed, digits of every script as ASCII.
func plainForm(s string) string {
	if strings.IndexByte(s, '\\') >= 0 {
		s = escapes.Replace(s)
	}
	if text.IsASCII(s) {
		return s
	}
	return strings.Map(func(r rune) rune {
		switch {
		case r == '−' || r == '–' || r == '‑' || r == '‐' || r == '—':
			return '-'
		case r == '’':
			return '\''
		case r == '٫':
			return '.'
		case r == '٬':
			return ','
		case r == '٪':
			return '%'
		case r >= utf8.RuneSelf && unicode.IsDigit(r):
			return '0' + digitValue(r)
		case invisible(r):
			return -1
		}
		return r
	}, norm.NFKC.String(s))
}

// escapes are Markdown's.
var escapes = strings.NewReplacer(`\_`, "_", `\*`, "*", `\#`, "#", `\[`, "[", `\]`, "]", "\\`", "`")

// digitValue is the value of a decimal digit. Unicode lists the ten digits of a script one after the other.
func digitValue(r rune) rune {
	n := rune(0)
	for n < 9 && unicode.IsDigit(r-n-1) {
		n++
	}
	return n
}

// signForm is one spelling of an operator that has several.
func signForm(s string) string {
	switch s {
	case "->", "-->":
		return "→"
	case "<-", "<--":
		return "←"
	case "<=":
		return "≤"
	case ">=":
		return "≥"
	case "!=", "<>":
		return "≠"
	}
	return s
}

// words adds the words of a chunk that is made of letters, apostrophes and hyphens, or of single letters and full stops (e.g.).
func (l *lexer) words(start, end int) bool {
	raw := l.text[start:end]
	dots := false
	for i, r := range raw {
		switch {
		case letter(byte(r)) && r < utf8.RuneSelf, r >= utf8.RuneSelf && (unicode.IsLetter(r) || unicode.IsMark(r)), r == '\'' || r == '’' || r == 'ʼ' || invisible(r):
		case i > 0 && strings.ContainsRune("-‑‐", r):
		case i > 0 && r == '.':
			dots = true
		default:
			return false
		}
	}
	if dots {
		for part := range strings.SplitSeq(raw, ".") {
			if utf8.RuneCountInString(part) > 1 {
				return false
			}
		}
		l.push(token{start: start, end: end, key: text.Fold(strings.ReplaceAll(raw, ".", ""))})
		return true
	}
	if !plainCase(raw) && !strings.ContainsAny(raw, "-‑‐'’") {
		return false
	}
	for from, i := 0, 0; i <= len(raw); {
		n := 1
		if i < len(raw) {
			r, size := utf8.DecodeRuneInString(raw[i:])
			if n = size; !strings.ContainsRune("-‑‐", r) {
				i += n
				continue
			}
		}
		if part := raw[from:i]; part != "" {
			if from > 0 {
				l.gap = max(l.gap, gapHyphen)
			}
			r, _ := utf8.DecodeRuneInString(part)
			if plainCase(part) || strings.ContainsAny(part, "'’") {
				l.word(start+from, start+i, unicode.IsUpper(r))
			} else {
				l.push(token{start: start + from, end: start + i, key: plainForm(part), kind: kindIdentifier, capital: unicode.IsUpper(r)})
			}
		}
		i += n
		from = i
	}
	return true
}

func lettersOnly(s string) bool {
	return !strings.ContainsFunc(s, func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsMark(r) })
}

// alternatives adds two words with a slash between them: and/or.
func (l *lexer) alternatives(start, end int) bool {
	at := start + strings.IndexByte(l.text[start:end], '/')
	if !lettersOnly(l.text[start:at]) || !lettersOnly(l.text[at+1:end]) || at == start || at+1 == end {
		return false
	}
	l.chunk(start, at)
	l.push(token{start: at, end: at + 1, key: "/", kind: kindSign})
	l.chunk(at+1, end)
	return true
}

// prefixed adds the operator that a chunk begins with, and the rest: >=5, !ready, ~20.
func (l *lexer) prefixed(start, end int) bool {
	n := 0
	for start+n < end && strings.IndexByte("<>=!~^+", l.text[start+n]) >= 0 {
		n++
	}
	if n == 0 || start+n == end || !isWordAt(l.text, start+n) || strings.IndexByte(l.text[start:end], '>') > n {
		return false
	}
	l.push(token{start: start, end: start + n, key: signForm(l.text[start : start+n]), kind: kindSign})
	l.chunk(start+n, end)
	return true
}

// amount adds a number with the currency before it or the unit behind it.
func (l *lexer) amount(t token, form string) bool {
	m := amount.FindStringSubmatch(form)
	if m == nil || strings.Count(m[3], ".") > 1 && !grouped.MatchString(m[3]) {
		return false
	}
	sign, currency, digits, suffix := m[1], m[2], m[3], m[4]
	unit, known := units()[suffix]
	if suffix != "" && !known {
		if unit = ordinals[suffix]; unit.name == "" {
			return false
		}
	}
	t.kind = kindNumber
	t.key = sign + strings.Map(func(r rune) rune {
		if r == '_' || r == '\'' || r == '’' {
			return -1
		}
		return r
	}, digits)
	end := t.end
	if currency != "" {
		l.push(token{start: t.start, end: t.start + len(currency), key: units()[currency].name, kind: kindUnit})
		t.start += len(currency)
	}
	if suffix == "" {
		l.push(t)
		return true
	}
	t.end -= min(len(suffix), t.end-t.start-1)
	l.push(t)
	l.push(token{start: t.end, end: end, key: unit.name, kind: kindUnit})
	return true
}

var ordinals = map[string]unit{"st": {name: "th"}, "nd": {name: "th"}, "rd": {name: "th"}, "th": {name: "th"}}

// unit adds a unit that stands behind a number.
func (l *lexer) unit(start, end int) bool {
	n := len(l.tokens)
	if n == 0 || l.tokens[n-1].kind != kindNumber || l.gap != gapSpace {
		return false
	}
	u, ok := units()[l.text[start:end]]
	if !ok && end-start > 3 {
		u, ok = units()[strings.ToLower(l.text[start:end])]
	}
	if ok {
		l.push(token{start: start, end: end, key: u.name, kind: kindUnit})
	}
	return ok
}

// date adds a calendar date or a time of day that is written in digits.
func (l *lexer) date(t token, form string) bool {
	var d date
	if m := isoDate.FindStringSubmatch(form); m != nil {
		d = date{year: atoi(m[1]), month: atoi(m[2]), day: atoi(m[3])}
		if m[4] != "" {
			d.clock = m[4]
			if c, ok := clockOf(m[4]); ok {
				d.clock = c
			}
		}
	} else if m := dayDate.FindStringSubmatch(form); m != nil && (m[2] == "." || len(m[4]) == 4 || strings.Count(form, "/") == 2) {
		if m[2] == "." {
			d = date{year: atoi(m[4]), month: atoi(m[3]), day: atoi(m[1])}
		} else {
			d = date{other: form} // which of the two is the day isn't known
		}
	} else if c, ok := clockOf(form); ok {
		d = date{clock: c}
	} else {
		return false
	}
	t.kind, t.key = kindDate, d.key()
	l.push(t)
	return true
}
