package model

import (
	"encoding/binary"
	"errors"
	"hash/fnv"
	"math"
	"unicode"
	"unicode/utf8"
)

// Sizes of the tables.
const (
	pairs    = 28 * 28 // of letters, with the word's ends
	lengths  = 16
	cases    = 12
	triples  = 1 << 12
	Weights  = pairs + triples + 2*lengths + cases
	RunsMax  = 16 // of marks; longer runs are several
	bloomLen = 1 << 14
	ideos    = 0xa000 - 0x4e00
	hanguls  = 0xd7a4 - 0xac00
	kanas    = 0x3100 - 0x3040
	singles  = (ideos + hanguls + kanas + 7) / 8
	step     = 1.0 / 16 // of a weight
	runStep  = 1.0 / 32
)

// Model holds the tables.
type Model struct {
	Words  [Weights]float64
	Runs   [2][RunsMax + 1]float64 // tokens of a run of marks by its length: mixed, or of one mark
	Bloom  [bloomLen]byte
	Single [singles]byte
}

// Features lists which weights a word of ASCII letters has; before is the character that
// stands in front of it, 0 for none.
func Features(before rune, letters string, use func(i int)) {
	last, prev, lower, upper := 0, 0, 0, 0
	for i := range len(letters) {
		c := letters[i]
		if c >= 'a' {
			lower++
		} else {
			upper++
			c += 'a' - 'A'
		}
		at := int(c-'a') + 1
		use(prev*28 + at)
		use(triple(last, prev, at))
		last, prev = prev, at
	}
	use(prev*28 + 27)
	use(triple(last, prev, 27))
	n := min(len(letters), lengths-1)
	use(pairs + triples + n)
	form := 0
	switch {
	case upper == 0:
	case upper == 1 && letters[0] < 'a' && lower > 0:
		form = 1
	case lower == 0:
		form = 2
		use(pairs + triples + lengths + n)
	default:
		form = 3
	}
	front := 2
	switch before {
	case ' ':
		front = 0
	case 0:
		front = 1
	}
	use(pairs + triples + 2*lengths + form*3 + front)
}

// triple is the weight of three letters in a row; some share one.
func triple(a, b, c int) int {
	return pairs + int(uint32((a*28+b)*28+c)*2654435761>>20)
}

// Latin takes a word apart whose letters are all ASCII: what stands before them, and the
// letters, without an English ending.
func Latin(piece string) (before rune, letters string, ok bool) {
	before, size := utf8.DecodeRuneInString(piece)
	if isASCIILetter(piece[0]) {
		before, size = 0, 0
	}
	end := size
	for end < len(piece) && isASCIILetter(piece[end]) {
		end++
	}
	letters = piece[size:end]
	return before, letters, letters != "" && (end == len(piece) || piece[end] == '\'')
}

func isASCIILetter(c byte) bool { return c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' }

// Cost is how many tokens a piece is, on average.
func (m *Model) Cost(piece string, k Kind) float64 {
	switch k {
	case Word:
		if before, letters, ok := Latin(piece); ok {
			sum := 0.0
			Features(before, letters, func(i int) { sum += m.Words[i] })
			return 1 + math.Exp(min(sum, math.Log(float64(len(letters)))))
		}
		return m.other(piece)
	case Marks:
		return m.run(piece)
	}
	return 1
}

// Run describes a run of ASCII marks: its length and 1 if it is one mark over and over,
// else of how many such runs it is made, and 0.
func Run(piece string) (length, same int) {
	marks, changes := 0, 0
	last := byte(0)
	for i := range len(piece) {
		c := piece[i]
		if c == ' ' && marks == 0 {
			continue
		}
		if c == '\n' || c == '\r' {
			continue // goes with what it ends
		}
		if marks++; c != last {
			changes++
		}
		last = c
	}
	if changes <= 1 {
		return marks, 1
	}
	return changes, 0
}

func (m *Model) run(piece string) float64 {
	wide := 0.0
	ascii := 0
	for _, r := range piece {
		switch {
		case r < utf8.RuneSelf:
			ascii++
		case r < 0x2e80: // dashes, quotes, arrows, boxes
			wide += 1.05
		case r < 0x10000:
			wide += 1.3
		default: // emoji
			wide += 2.4
		}
	}
	if wide > 0 {
		return wide + 0.6*float64(max(ascii-1, 0))
	}
	n, same := Run(piece)
	if n <= RunsMax {
		return m.Runs[same][n]
	}
	return m.Runs[same][RunsMax] * float64(n) / RunsMax
}

// other is the cost of a word with letters that aren't ASCII.
func (m *Model) other(piece string) float64 {
	runes := []rune(piece)
	cost := 0.0
	for i := 0; i < len(runes); {
		if n := m.longest(runes[i:]); n > 1 {
			cost++
			i += n
			continue
		}
		cost += m.letter(runes[i])
		i++
	}
	return max(cost, 1)
}

// longestToken is how many characters of Chinese, Japanese or Korean a token has at most.
const longestToken = 8

// longest is the length of the longest known token that a text begins with.
func (m *Model) longest(text []rune) int {
	for n := min(len(text), longestToken); n > 1; n-- {
		if EastAsian(text[n-1]) && m.Known(string(text[:n])) {
			return n
		}
	}
	return 1
}

// EastAsian reports whether a character is Chinese, Japanese or Korean.
func EastAsian(r rune) bool { return index(r) >= 0 || r >= 0x3000 && r < 0x3040 }

// index is the place of a character among those whose cost is known; -1 for others.
func index(r rune) int {
	switch {
	case r >= 0x4e00 && r < 0xa000:
		return int(r - 0x4e00)
	case r >= 0xac00 && r < 0xd7a4:
		return ideos + int(r-0xac00)
	case r >= 0x3040 && r < 0x3100:
		return ideos + hanguls + int(r-0x3040)
	}
	return -1
}

// letter is the cost of one character that is in no longer token.
func (m *Model) letter(r rune) float64 {
	if i := index(r); i >= 0 {
		if m.Single[i/8]&(1<<(i%8)) != 0 {
			return 1
		}
		return 2
	}
	switch {
	case r < utf8.RuneSelf:
		return 0.3
	case unicode.Is(unicode.Latin, r):
		return 0.65
	case unicode.In(r, unicode.Cyrillic):
		return 0.42
	case unicode.In(r, unicode.Arabic, unicode.Hebrew, unicode.Greek, unicode.Devanagari, unicode.Thai):
		return 0.65
	case r < 0x10000:
		return 1.2
	}
	return 3
}

// Known reports whether a text of several East Asian characters is a token; of a hundred
// that aren't it takes one or two for one.
func (m *Model) Known(text string) bool {
	for _, bit := range bits(text) {
		if m.Bloom[bit/8]&(1<<(bit%8)) == 0 {
			return false
		}
	}
	return true
}

// Learn makes a text known.
func (m *Model) Learn(text string) {
	for _, bit := range bits(text) {
		m.Bloom[bit/8] |= 1 << (bit % 8)
	}
}

// LearnSingle notes that a character is one token.
func (m *Model) LearnSingle(r rune) {
	if i := index(r); i >= 0 {
		m.Single[i/8] |= 1 << (i % 8)
	}
}

func bits(text string) (at [4]uint32) {
	h := fnv.New64a()
	_, _ = h.Write([]byte(text)) // never fails
	sum := h.Sum64()
	a, b := uint32(sum), uint32(sum>>32)|1
	for i := range at {
		at[i] = (a + uint32(i)*b) % (8 * bloomLen)
	}
	return at
}

// Marshal writes the tables as bytes: weights as signed steps, then the runs, the filter
// and the bits.
func (m *Model) Marshal() []byte {
	var out []byte
	for _, w := range m.Words {
		out = append(out, byte(int8(math.Round(min(max(w/step, -128), 127)))))
	}
	for _, runs := range m.Runs {
		for _, r := range runs {
			out = binary.LittleEndian.AppendUint16(out, uint16(math.Round(r/runStep)))
		}
	}
	out = append(out, m.Bloom[:]...)
	return append(out, m.Single[:]...)
}

// Unmarshal reads what Marshal wrote.
func Unmarshal(data []byte) (*Model, error) {
	if len(data) != Weights+2*2*(RunsMax+1)+bloomLen+singles {
		return nil, errors.New("the tables of the token model are of another size")
	}
	m := &Model{}
	for i := range m.Words {
		m.Words[i] = float64(int8(data[i])) * step
	}
	data = data[Weights:]
	for s := range m.Runs {
		for i := range m.Runs[s] {
			m.Runs[s][i] = float64(binary.LittleEndian.Uint16(data)) * runStep
			data = data[2:]
		}
	}
	copy(m.Bloom[:], data)
	copy(m.Single[:], data[bloomLen:])
	return m, nil
}
