package secrets

import (
	"math"
	"regexp"
	"strings"
)

// entropy is the Shannon entropy of the bytes of a text, in bits per byte.
func entropy(s string) float64 {
	var counts [256]int
	for i := range len(s) {
		counts[s[i]]++
	}
	h := 0.0
	for _, n := range counts {
		if n > 0 {
			p := float64(n) / float64(len(s))
			h -= p * math.Log2(p)
		}
	}
	return h
}

// shape is what kinds of characters a text is made of.
type shape struct{ lower, upper, digits, marks, others int }

func shapeOf(s string) (c shape) {
	for i := range len(s) {
		switch b := s[i]; {
		case b >= 'a' && b <= 'z':
			c.lower++
		case b >= 'A' && b <= 'Z':
			c.upper++
		case b >= '0' && b <= '9':
			c.digits++
		case strings.IndexByte("-_./:,+=~", b) >= 0:
			c.others++ // these also join words
		case b > ' ' && b < 0x7f:
			c.marks++
		default:
			c.others++
		}
	}
	return c
}

func (c shape) letters() int { return c.lower + c.upper }

// kinds counts the kinds of characters: small letters, capitals, digits, marks.
func (c shape) kinds() (n int) {
	for _, k := range []int{c.lower, c.upper, c.digits, c.marks} {
		if k > 0 {
			n++
		}
	}
	return n
}

var (
	// stand-ins are what people write where a secret would stand.
	standIn = regexp.MustCompile(`(?i)example|sample|placeholder|change[-_ ]?(?:me|it|this)|redacted|dummy|replace|insert|\byour|your[-_]|_here\b|-here\b|todo|not[-_]?a[-_]?real|fake|masked|hidden|removed|omitted|undefined|n/a|foobar|\bfoo\b|\bbar\b|lorem|123456789|abcdef|deadbeef|qwerty1?$`)
	// reference is a place where a secret is to be had.
	reference = regexp.MustCompile(`\$\{|\{\{|\}\}|\$\(|^\$[A-Za-z_]|%[A-Za-z_]\w*%|^<[^>]*>?$|^\[[^\]]*\]?$|^\{[^}]*\}?$|\(\)|\w\([^)]*\)|^@|\*\*\*|\.\.\.|…|^env[:.]|^secrets?[./:]|^vault:|^op://|^arn:|^ssm:|^!`)
	moment    = regexp.MustCompile(`^\d{4}-\d\d(?:-\d\d)?(?:[T ]\d\d:?\d\d.*)?$|^\d{1,2}:\d\d(?::\d\d)?$`)
	amount    = regexp.MustCompile(`^[-+~<>=$€£]*\d[\d.,_]*[a-zA-Z%/]{0,6}$`)
	versionNo = regexp.MustCompile(`^[vV^~]?\d+(?:\.\d+)+[\w.+-]*$`)
	uuid      = regexp.MustCompile(`^[0-9a-fA-F]{8}(?:-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}$`)
	// word is what a name is made of: a word in one case or begun with a capital, a number, or one with the other behind it.
	word = regexp.MustCompile(`^(?:[a-z]{1,20}|[A-Z]{1,20}|[A-Z][a-z]{1,20}|[a-z]{1,12}(?:[A-Z][a-z]{1,15}){1,5}|(?:[A-Z][a-z]{1,15}){2,5}|\d{1,8}|[A-Za-z]{1,15}\d{1,3}|\d{1,6}[A-Za-z]{1,3})$`)
)

// repeated reports whether a text is of few different characters, as in "xxxx" or "000000".
func repeated(s string) bool {
	same := 1
	for i := 1; i < len(s); i++ {
		if s[i] == s[i-1] {
			if same++; same >= 5 || same*2 > len(s) && same > 3 {
				return true
			}
		} else {
			same = 1
		}
	}
	return false
}

// standsIn reports whether a text is no secret but says where one would be, or what it would look like.
func standsIn(s string) bool {
	return standIn.MatchString(s) || reference.MatchString(s) || repeated(s)
}

// named reports whether a text is made of words, as names of things, paths and expressions are.
func named(s string) bool {
	for part := range strings.FieldsFuncSeq(s, func(r rune) bool {
		return r < 0x80 && !wordByte(byte(r)) || r == '_'
	}) {
		if !word.MatchString(part) {
			return false
		}
	}
	return true
}

// measured reports whether a text is a number, an amount, a date or a version.
func measured(s string) bool {
	return moment.MatchString(s) || amount.MatchString(s) || versionNo.MatchString(s)
}

// random reports whether a text looks drawn by lot: a token.
func random(s string) bool {
	if len(s) < 16 || strings.ContainsAny(s, " \t\"'`<>{}()[]|\\^*?") || measured(s) {
		return false
	}
	if uuid.MatchString(s) {
		return true
	}
	c := shapeOf(s)
	if c.digits == 0 && (c.lower < 4 || c.upper < 4 || len(s) < 20) || c.letters() == 0 {
		return false
	}
	return entropy(s) >= 3 && !named(s)
}

// strong reports whether a text would do as a password: letters with something else among them, and no name.
func strong(s string) bool {
	c := shapeOf(s)
	switch {
	case len(s) < 6 || measured(s) && c.letters() > 0 || strings.ContainsAny(s, "()[]{}<>|\\ "):
		return false
	case c.letters() == 0:
		return c.digits >= 6 && c.others == 0
	case c.marks > 0 && c.digits > 0:
		return true
	case c.digits == 0:
		return c.marks > 0 && c.kinds() >= 3 && len(s) >= 8
	case c.others > 0:
		return !named(s)
	}
	return true
}
