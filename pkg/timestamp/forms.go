package timestamp

import (
	"math/big"
	"strings"
	"time"
)

// The parts of a time in ISO 8601, the longest forms first.
var (
	dates  = [...]string{"2006-01-02", "20060102"}
	clocks = [...]string{"15:04:05", "15:04", "150405", "1504"} // a fraction of a second may follow
	zoned  = [...]string{"", "Z07:00", "Z0700", "Z07"}
	http   = [...]string{time.RFC1123, time.RFC1123Z, "Monday, 02-Jan-06 15:04:05 MST", time.ANSIC}
)

// parseAny reads the forms that are not the usual one.
func parseAny(text string) (time.Time, bool) {
	if t, ok := parseEpoch(text); ok {
		return t, true
	}
	if text == "" || text[0] < '0' || text[0] > '9' {
		return parseHTTP(text)
	}
	text = strings.ToUpper(text)
	for _, zone := range []string{"UTC", "GMT"} {
		if bare, ok := strings.CutSuffix(text, zone); ok && bare != "" {
			text = strings.TrimSpace(bare) + "Z"
		}
	}
	for _, date := range dates {
		if t, err := time.Parse(date, strings.TrimSuffix(text, "Z")); err == nil {
			return t, true
		}
		if len(text) <= len(date) || text[len(date)] != 'T' && text[len(date)] != ' ' {
			continue
		}
		day, clock := text[:len(date)], strings.TrimSpace(text[len(date)+1:])
		leap := time.Duration(0)
		if head, rest, ok := strings.Cut(clock, ":60"); ok && len(head) == len("23:59") {
			clock, leap = head+":59"+rest, time.Second
		}
		if i := strings.LastIndexAny(clock, "+-"); i > 0 && clock[i-1] == ' ' {
			clock = strings.TrimSpace(clock[:i]) + clock[i:]
		}
		for _, c := range clocks {
			for _, zone := range zoned {
				if t, err := time.Parse(date+"T"+c+zone, day+"T"+clock); err == nil {
					return t.Add(leap), true
				}
			}
		}
	}
	return time.Time{}, false
}

// parseHTTP reads the dates of HTTP. No other zone than UTC has a name that is known.
func parseHTTP(text string) (time.Time, bool) {
	for _, layout := range http {
		if t, err := time.Parse(layout, text); err == nil && (!strings.HasSuffix(layout, "MST") || strings.HasSuffix(text, "GMT") || strings.HasSuffix(text, "UTC")) {
			return t, true
		}
	}
	return time.Time{}, false
}

// parseEpoch reads a count since 1970, whose size tells its unit.
func parseEpoch(text string) (time.Time, bool) {
	whole, fraction, _ := strings.Cut(text, ".")
	if len(whole) < 9 || len(whole) > 19 || strings.Trim(whole+fraction, "0123456789") != "" || whole[0] == '0' {
		return time.Time{}, false
	}
	unit := int64(time.Nanosecond)
	switch {
	case len(whole) <= 10:
		unit = int64(time.Second)
	case len(whole) == 13, len(whole) == 12:
		unit = int64(time.Millisecond)
	case len(whole) == 15, len(whole) == 16:
		unit = int64(time.Microsecond)
	case len(whole) < 18:
		return time.Time{}, false
	}
	n, ok := new(big.Rat).SetString(text)
	if !ok || len(text) > 40 {
		return time.Time{}, false
	}
	n.Mul(n, new(big.Rat).SetInt64(unit))
	nanos := new(big.Int).Quo(n.Num(), n.Denom())
	if !nanos.IsInt64() {
		return time.Time{}, false
	}
	return time.Unix(0, nanos.Int64()).UTC(), true
}
