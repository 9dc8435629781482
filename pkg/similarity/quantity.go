package similarity

import (
	"math"
	"strconv"
	"strings"
	"sync"
)

// quantity fills t from the match of a number: sign, currency, digits, suffix. A suffix that is no unit makes an identifier.
func quantity(t token, m []string) token {
	sign, currency, digits, suffix := m[1], m[2], m[3], strings.ToLower(m[4])
	num, unit := decimal(digits), currency
	if sign == "-" {
		num = "-" + num
	}
	if c, ok := units()[currency]; ok {
		unit = c.name
	}
	switch u, ok := units()[suffix]; {
	case suffix == "":
	case suffix == "st" || suffix == "nd" || suffix == "rd" || suffix == "th":
		unit = ordinal
	case suffix == "k":
		num = shift(num, 3)
	case ok:
		unit = u.name
	default:
		t.kind, t.key = kindIdentifier, strings.ToLower(m[0])
		return t
	}
	t.kind, t.value, t.key = kindNumber, &value{num: num, unit: unit}, numberKey(num, unit)
	return t
}

func numberKey(num, unit string) string {
	if unit == "" {
		return num
	}
	return strings.TrimSpace(num + " " + unit)
}

// ungrouped takes the marks between groups of digits out of a number.
var ungrouped = strings.NewReplacer(",", "", "_", "")

// decimal is the plain form of a number: no group separators, no leading zeros, no fraction of zeros only.
// Other trailing zeros stay, because 3.1 and 3.10 are two versions.
func decimal(s string) string {
	s = ungrouped.Replace(s)
	whole, fraction, _ := strings.Cut(s, ".")
	whole = strings.TrimLeft(whole, "0")
	if whole == "" {
		whole = "0"
	}
	if strings.Trim(fraction, "0") == "" {
		return whole
	}
	return whole + "." + fraction
}

// shift multiplies a plain decimal by ten to the power of places.
func shift(num string, places int) string {
	sign := ""
	if strings.HasPrefix(num, "-") {
		sign, num = "-", num[1:]
	}
	whole, fraction, _ := strings.Cut(num, ".")
	if len(fraction) < places {
		fraction += strings.Repeat("0", places-len(fraction))
	}
	return sign + decimal(whole+fraction[:places]+"."+fraction[places:])
}

// sameQuantity reports whether two numbers can state the same: equal values in the same or convertible units, or equal
// values of which one leaves its unit out. A percentage is no amount without a unit.
func sameQuantity(a, b *token) bool {
	if a.num == b.num && (a.unit == b.unit || a.unit == "" && b.unit != "%" || b.unit == "" && a.unit != "%") {
		return true
	}
	u, v := units()[a.unit], units()[b.unit]
	if a.unit == b.unit && a.unit != "" { // 1.50 of a unit is 1.5, and only bare may be another version than 1.5
		return unpadded(a.num) == unpadded(b.num)
	}
	if u.dimension == "" || u.dimension != v.dimension {
		return false
	}
	x, errX := strconv.ParseFloat(a.num, 64)
	y, errY := strconv.ParseFloat(b.num, 64)
	x, y = x*u.factor, y*v.factor
	return errX == nil && errY == nil && math.Abs(x-y) <= 1e-9*math.Max(math.Abs(x), math.Abs(y))
}

// unpadded is a plain decimal without the zeros that its fraction ends in.
func unpadded(num string) string {
	if !strings.Contains(num, ".") {
		return num
	}
	return strings.TrimRight(strings.TrimRight(num, "0"), ".")
}

const ordinal = "th"

// numeral is the value of a number word.
type numeral struct{ value, unit string }

var numerals = sync.OnceValue(func() map[string]numeral {
	m := map[string]numeral{}
	for i, w := range strings.Fields(`zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen
		fifteen sixteen seventeen eighteen nineteen twenty`) {
		m[w] = numeral{strconv.Itoa(i), ""}
	}
	for i, w := range strings.Fields("thirty forty fifty sixty seventy eighty ninety") {
		m[w] = numeral{strconv.Itoa(10 * (i + 3)), ""}
	}
	for i, w := range strings.Fields("first second third fourth fifth sixth seventh eighth ninth tenth") {
		m[w] = numeral{strconv.Itoa(i + 1), ordinal}
	}
	m["dozen"] = numeral{"12", ""}
	return m
})

// magnitudes are the powers of ten that follow a number.
var magnitudes = map[string]int{"hundred": 2, "thousand": 3, "million": 6, "billion": 9, "trillion": 12}

type unit struct {
	name      string // canonical
	dimension string
	factor    float64 // to the smallest unit of the dimension
}

// units maps the spellings of a unit, lower case, to the unit. One-letter units and those spelt like ordinary words count
// only behind a number, which is where the table is consulted.
var units = sync.OnceValue(func() map[string]unit {
	m := map[string]unit{}
	add := func(dimension string, factor float64, spellings string) {
		names := strings.Fields(spellings)
		for _, n := range names {
			m[n] = unit{names[0], dimension, factor}
		}
	}
	add("time", 1, "ns nanosecond nanoseconds")
	add("time", 1e3, "µs us microsecond microseconds μs")
	add("time", 1e6, "ms msec millisecond milliseconds")
	add("time", 1e9, "s sec secs second seconds")
	add("time", 60e9, "min mins minute minutes")
	add("time", 3600e9, "h hr hrs hour hours")
	add("time", 86400e9, "d day days")
	add("time", 7*86400e9, "week weeks wk")
	add("months", 1, "month months")
	add("months", 12, "year years yr yrs")
	add("size", 1, "bit bits")
	add("size", 8, "b byte bytes")
	for i, p := range []string{"k", "m", "g", "t", "p"} {
		long := []string{"kilo", "mega", "giga", "tera", "peta"}[i]
		add("size", 8*math.Pow(1000, float64(i+1)), p+"b "+long+"byte "+long+"bytes")
		add("size", 8*math.Pow(1024, float64(i+1)), p+"ib "+p+"i")
	}
	add("length", 1, "mm millimeter millimeters millimetre millimetres")
	add("length", 10, "cm centimeter centimeters centimetre centimetres")
	add("length", 1e3, "m meter meters metre metres")
	add("length", 1e6, "km kilometer kilometers kilometre kilometres")
	add("feet", 1, "inch inches")
	add("feet", 12, "ft foot feet")
	add("feet", 63360, "mile miles mi")
	add("mass", 1, "mg milligram milligrams")
	add("mass", 1e3, "g gram grams")
	add("mass", 1e6, "kg kilogram kilograms")
	add("pounds", 1, "lb lbs pound pounds")
	add("frequency", 1, "hz hertz")
	add("frequency", 1e3, "khz kilohertz")
	add("frequency", 1e6, "mhz megahertz")
	add("frequency", 1e9, "ghz gigahertz")
	for _, alone := range []string{"% percent pct", "°c celsius", "°f fahrenheit", "$ $US usd dollar dollars", "€ eur euro euros",
		"£ gbp", "¥ jpy yen", "cent cents", "px pixel pixels", "rpm", "rps", "qps", "fps", "dpi", "am", "pm"} {
		add("", 1, alone)
	}
	return m
})
