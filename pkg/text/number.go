package text

import (
	"strconv"
	"strings"
)

// numeral is what a word says in a number.
type numeral struct {
	value    int64
	role     numeralRole
	roomy    bool // what follows may be up to 19, as in French: soixante-quinze
	bound    bool // only together with other numerals in a word
	ordinal  bool
	sequence bool // a digit of a script that writes numbers by their digits, too: 二〇二六
}

type numeralRole uint8

const (
	adds       numeralRole = iota
	multiplies             // a smaller number before it: two hundred
	joins                  // any two parts: treinta y cinco
	joinsLarge             // what follows a hundred or more: two hundred and five
	joinsUnits             // a unit and the ten that follows it: fünfundzwanzig
	joinsAny               // either: خمسة وعشرون
)

var joiners = map[string]numeralRole{"&": joins, "&100": joinsLarge, "&unit": joinsUnits, "&any": joinsAny}

// addNumerals takes a line of the sections "number" and "ordinal": see the comment of the package.
func (t *table) addNumerals(head string, words []string, ordinal bool) {
	n := numeral{role: joiners[head], ordinal: ordinal}
	if n.role == adds {
		if strings.HasPrefix(head, "x") {
			n.role = multiplies
		}
		n.roomy = strings.HasSuffix(head, "+")
		n.value, _ = strconv.ParseInt(strings.Trim(head, "x+"), 10, 64)
	}
	for i, word := range words {
		n.bound = false
		if strings.HasSuffix(word, "-") {
			word, n.bound = word[:len(word)-1], true
		}
		n.sequence = n.value < 10 && n.role == adds && RuneScript([]rune(word)[0]) == Han
		words[i] = word
		t.numerals[word] = n
		t.longest = max(t.longest, len(word))
	}
}

// Number reads the spelled number with which a list of folded words begins: its value in digits, with "th" behind it for an ordinal,
// and how many words it has, 0 if there is none. A word may be several numerals, written together or with hyphens (einundzwanzig,
// quatre-vingt-dix, 二十五). What begins like a number and goes on otherwise is none.
func (l Language) Number(words []string) (value string, n int) {
	t := l.table()
	if len(t.numerals) == 0 {
		return "", 0
	}
	var state counter
	for i := 0; i < len(words); i++ {
		word := words[i]
		if len(word) > longestStem {
			break
		}
		if i+1 < len(words) && len(words[i+1]) <= longestStem { // quatre vingt
			if _, ok := t.numerals[word+"-"+words[i+1]]; ok {
				word += "-" + words[i+1]
				i++
			}
		}
		next, end := t.count(state, word, 0)
		if end != len(word) {
			break
		}
		if state = next; state.joined == adds && !state.bound {
			value, n = state.String(), i+1
		}
	}
	return value, n
}

// spells reports whether a word is a number, or an ordinal.
func (t *table) spells(word string, ordinal bool) bool {
	if word == "" || len(word) > longestStem {
		return false
	}
	state, end := t.count(counter{}, word, 0)
	return end == len(word) && state.ordinal == ordinal && !state.bound
}

// count adds the longest numerals that follow each other from offset i of a word on, and returns where they end. It goes back
// where the rest of the word is not a numeral.
func (t *table) count(state counter, word string, i int) (counter, int) {
	best, end := state, i
	for n := min(t.longest, len(word)-i); n > 0; n-- {
		num, ok := t.numerals[word[i:i+n]]
		if !ok {
			continue
		}
		next, ok := state.add(num)
		if !ok {
			continue
		}
		at := i + n
		if at < len(word) && word[at] == '-' {
			at++
		}
		if at < len(word) && !next.ordinal {
			if s, e := t.count(next, word, at); e > at {
				next, at = s, e
			}
		}
		if at == len(word) {
			return next, at
		}
		if at > end {
			best, end = next, at
		}
	}
	return best, end
}

// counter is a number as far as it has been read: its parts, from the largest to the smallest.
type counter struct {
	parts    [12]int64
	n        int
	joined   numeralRole // by what the part to come is joined
	roomy    bool
	sequence bool // digits so far
	ordinal  bool
	bound    bool // no number yet: the only numeral is one that stands together with others
}

func (c counter) String() string {
	sum := int64(0)
	for _, p := range c.parts[:c.n] {
		sum += p
	}
	s := strconv.FormatInt(sum, 10)
	if c.ordinal {
		s += "th"
	}
	return s
}

// largest is the largest part of a number that is read.
const largest = 1e15

// add adds a numeral, and reports whether the number can go on with it.
func (c counter) add(n numeral) (counter, bool) {
	if n.role >= joins && (c.n == 0 || c.joined != adds) {
		return c, false
	}
	if c.ordinal && !(n.ordinal && n.role == adds && c.parts[c.n-1] >= 20) { // dwudziesty pierwszy
		return c, false
	}
	if n.role >= joins {
		c.joined = n.role
		return c, true
	}
	v := n.value
	c.bound = n.bound && c.n == 0
	switch {
	case n.role == multiplies && c.joined == adds:
		v = 0
		for c.n > 0 && c.parts[c.n-1] < n.value {
			c.n--
			v += c.parts[c.n]
		}
		if v = max(v, 1); v > largest/n.value {
			return c, false
		}
		v *= n.value
	case n.sequence && c.sequence && c.n == 1 && c.parts[0] < largest/10:
		c.parts[0] = 10*c.parts[0] + v
		return c, true
	case n.sequence && v == 0 && c.n > 0: // 三百零五
		return c, true
	}
	if c.n > 0 {
		last := &c.parts[c.n-1]
		if tens := 1 <= *last && *last <= 9 && 20 <= v && v <= 90 && v%10 == 0; tens && c.joined >= joinsUnits {
			*last += v
			c.joined, c.ordinal = adds, n.ordinal
			return c, true
		} else if c.joined == joinsUnits {
			return c, false
		}
		fits := *last > v && *last%above(v) == 0 || c.roomy && 10 <= v && v < 20
		if !fits || c.joined == joinsLarge && *last < 100 {
			return c, false
		}
	}
	if c.n == len(c.parts) {
		return c, false
	}
	c.sequence = n.sequence && c.n == 0
	c.parts[c.n] = v
	c.n, c.joined, c.roomy, c.ordinal = c.n+1, adds, n.roomy, n.ordinal
	return c, true
}

// above is the least power of ten that is more than v.
func above(v int64) int64 {
	p := int64(10)
	for p <= v {
		p *= 10
	}
	return p
}
