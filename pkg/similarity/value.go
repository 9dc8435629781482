package similarity

import (
	"math"
	"strconv"
	"strings"
	"sync"
)

// date is what a text says about a point in time; what it leaves open is zero.
type date struct {
	year, month, day int
	clock            string // hours:minutes[:seconds], of 24 hours, and what follows
	other            string // a form whose order of day and month is not known
}

func (d date) key() string {
	key := "date"
	for _, n := range [...]int{d.year, d.month, d.day} {
		key += "-" + strconv.Itoa(n)
	}
	return key + d.clock + d.other
}

// clockOf reads a time of day: 9:05, 09:05:00, 9:05pm.
func clockOf(s string) (string, bool) {
	m := clock.FindStringSubmatch(s)
	if m == nil {
		return "", false
	}
	hour := atoi(m[1])
	if m[5] != "" {
		hour = halfDay(hour, strings.ToLower(m[5]))
	}
	out := strconv.Itoa(hour) + ":" + m[2]
	if m[3] != "" && strings.Trim(m[3], "0.") != "" {
		out += ":" + strings.TrimRight(strings.TrimRight(m[3], "0"), ".")
		if !strings.Contains(m[3], ".") {
			out = out[:len(out)-len(strings.TrimRight(m[3], "0"))] + m[3]
		}
	}
	return out + m[4], true
}

// halfDay is an hour of the day by its number from 1 to 12 and "am" or "pm".
func halfDay(hour int, half string) int {
	if hour < 1 || hour > 12 {
		return hour
	}
	if hour %= 12; half == "pm" {
		hour += 12
	}
	return hour
}

// atoi reads digits that a regular expression has already bounded.
func atoi(s string) int {
	n, err := strconv.Atoi(s)
	if err != nil {
		return 0
	}
	return n
}

type unit struct {
	name      string // canonical
	dimension string
	factor    float64 // to the smallest unit of the dimension
}

// units maps the spellings of a unit to it. Case counts where it makes two units: Mb, MB.
var units = sync.OnceValue(func() map[string]unit {
	m := map[string]unit{}
	add := func(dimension string, factor float64, spellings string) {
		names := strings.Fields(spellings)
		for _, n := range names {
			m[n] = unit{names[0], dimension, factor}
		}
	}
	add("time", 1, "ns nanosecond nanoseconds")
	add("time", 1e3, "µs us μs microsecond microseconds")
	add("time", 1e6, "ms msec millisecond milliseconds")
	add("time", 1e9, "s sec secs second seconds")
	add("time", 60e9, "min mins minute minutes")
	add("time", 3600e9, "h hr hrs hour hours")
	add("time", 86400e9, "d day days")
	add("time", 7*86400e9, "week weeks wk")
	add("months", 1, "month months")
	add("months", 12, "year years yr yrs")
	add("size", 1, "bit bits")
	add("size", 8, "B byte bytes")
	for i, p := range []string{"k", "M", "G", "T", "P"} {
		long := []string{"kilo", "mega", "giga", "tera", "peta"}[i]
		short := strings.ToLower(p) + "b " + strings.ToUpper(p) + "B " + long + "byte " + long + "bytes"
		add("size", 8*math.Pow(1000, float64(i+1)), p+"B "+short)
		add("size", 8*math.Pow(1024, float64(i+1)), strings.ToUpper(p)+"iB "+p+"iB "+strings.ToUpper(p)+"i "+p+"i")
		add("size", math.Pow(1000, float64(i+1)), p+"bit "+strings.ToUpper(p)+"b "+long+"bit "+long+"bits")
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
	add("frequency", 1, "Hz hertz")
	add("frequency", 1e3, "kHz kilohertz")
	add("frequency", 1e6, "MHz megahertz")
	add("frequency", 1e9, "GHz gigahertz")
	for _, alone := range []string{"% percent pct", "°C celsius", "°F fahrenheit", "$ US$ USD dollar dollars", "€ EUR euro euros",
		"£ GBP", "¥ JPY yen", "cent cents", "px pixel pixels", "rpm", "rps", "qps", "fps", "dpi", "am AM a.m", "pm PM p.m", "° degree degrees"} {
		add("", 1, alone)
	}
	return m
})

// number is a number as a language reads it. Both marks may part groups or the fraction.
type number struct {
	plain string // no marks between groups, "." before the fraction
	ok    bool
}

// readNumber reads a number whose fraction a mark begins. The other mark parts groups of three digits.
func readNumber(s string, fraction byte) number {
	group := byte(',' + '.' - fraction)
	whole, rest, _ := strings.Cut(s, string(fraction))
	if strings.IndexByte(rest, group) >= 0 || strings.IndexByte(rest, fraction) >= 0 {
		return number{}
	}
	parts := strings.Split(whole, string(group))
	for i, p := range parts {
		if i > 0 && len(p) != 3 || i == 0 && len(parts) > 1 && len(strings.TrimPrefix(p, "-")) > 3 {
			return number{}
		}
	}
	n := strings.Join(parts, "")
	if rest != "" {
		n += "." + rest
	}
	return number{n, true}
}

// sameQuantity reports whether two numbers with units state the same: 1000 ms, 1 s; 1.50 €, 1.5 €. Without a unit the digits must be the same.
func sameQuantity(a, b string, x, y unit) bool {
	if x.name == y.name && (a == b || x.name == "" || x.name == "th") {
		return a == b
	}
	p, errP := strconv.ParseFloat(a, 64)
	q, errQ := strconv.ParseFloat(b, 64)
	if errP != nil || errQ != nil || x.dimension != y.dimension || x.dimension == "" && x.name != y.name {
		return false
	}
	p, q = p*max(x.factor, 1), q*max(y.factor, 1)
	return math.Abs(p-q) <= 1e-9*math.Max(math.Abs(p), math.Abs(q))
}
