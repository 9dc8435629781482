package schemas

import (
	"cmp"
	"math"
	"math/big"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/tidwall/gjson"
)

// A limit bounds a measure of a value.
type limit struct {
	measure func(value) (n gjson.Result, applies bool)
	fits    [3]bool // a measure below the bound, at it, above it
	words   string  // with the measure and the bound
	bound   gjson.Result
}

var (
	atLeast = [3]bool{false, true, true}
	atMost  = [3]bool{true, true, false}

	limitKeywords = map[string]limit{
		"minimum":          {measure: number, fits: atLeast, words: "write at least %[2]s"},
		"maximum":          {measure: number, fits: atMost, words: "write at most %[2]s"},
		"exclusiveMinimum": {measure: number, fits: [3]bool{2: true}, words: "write more than %[2]s"},
		"exclusiveMaximum": {measure: number, fits: [3]bool{0: true}, words: "write less than %[2]s"},
		"minLength":        {measure: length, fits: atLeast, words: "write at least %[2]s characters"},
		"maxLength":        {measure: length, fits: atMost, words: "write at most %[2]s characters"},
		"minItems":         {measure: elements, fits: atLeast, words: "it has %[1]s elements; write at least %[2]s"},
		"maxItems":         {measure: elements, fits: atMost, words: "it has %[1]s elements; write at most %[2]s"},
		"minProperties":    {measure: memberCount, fits: atLeast, words: "minProperties: got %[1]s, want %[2]s"},
		"maxProperties":    {measure: memberCount, fits: atMost, words: "maxProperties: got %[1]s, want %[2]s"},
	}
)

func number(v value) (gjson.Result, bool) { return v.Result, v.Type == gjson.Number }
func length(v value) (gjson.Result, bool) {
	return counted(utf8.RuneCountInString(v.Str)), v.Type == gjson.String
}
func elements(v value) (gjson.Result, bool)    { return counted(len(v.children)), v.IsArray() }
func memberCount(v value) (gjson.Result, bool) { return counted(len(v.children)), v.IsObject() }

func counted(n int) gjson.Result { return gjson.Result{Num: float64(n), Raw: strconv.Itoa(n)} }

// maxExponent bounds the exponents of numbers that are computed with: as an exact
// fraction 1e1000000 takes a megabyte.
const maxExponent = 1000

// exact is the value of a JSON number. One with a huge exponent is replaced by another
// that is equally far beyond any limit.
func exact(number string) *big.Rat {
	mantissa, exponent, ok := strings.Cut(strings.ToLower(number), "e")
	if e, err := strconv.Atoi(exponent); ok && (err != nil || e < -maxExponent || e > maxExponent) {
		sign := ""
		if strings.HasPrefix(exponent, "-") {
			sign = "-"
		}
		number = mantissa + "e" + sign + strconv.Itoa(maxExponent)
		if !strings.ContainsAny(mantissa, "123456789") {
			number = "0"
		}
	}
	n, ok := new(big.Rat).SetString(number)
	if !ok { // no JSON number
		return new(big.Rat)
	}
	return n
}

// compareNumbers compares two JSON numbers by value.
func compareNumbers(a, b gjson.Result) int {
	const close = 1e-9 // of each other: a float64 may not tell them apart
	if apart := math.Abs(a.Num - b.Num); apart > close*max(math.Abs(a.Num), math.Abs(b.Num)) && !math.IsInf(apart, 0) {
		return cmp.Compare(a.Num, b.Num)
	}
	return exact(a.Raw).Cmp(exact(b.Raw))
}

// isInteger reports whether a JSON number is whole: 2, 2.0 and 2e3 are.
func isInteger(n gjson.Result) bool {
	if !strings.ContainsAny(n.Raw, ".eE") {
		return true
	}
	return exact(n.Raw).IsInt()
}

// equal compares two JSON values: numbers by value, objects without order.
func equal(a, b value) bool {
	switch {
	case a.Type != b.Type || a.IsObject() != b.IsObject() || len(a.children) != len(b.children):
		return false
	case a.Type == gjson.String:
		return a.Str == b.Str
	case a.Type == gjson.Number:
		return compareNumbers(a.Result, b.Result) == 0
	}
	for i := range a.children {
		other := b.children[i]
		if a.IsObject() {
			if other = b.child(a.keys[i]); !other.Exists() {
				return false
			}
		}
		if !equal(a.children[i], other) {
			return false
		}
	}
	return true
}
