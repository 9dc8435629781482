package timestamp

import (
	"math/big"
	"strings"
	"sync"
	"time"
)

// Parse reads a time as programs write times: RFC 3339, also in small letters, with a blank
// for the T, without seconds, and with offsets such as +0200 and +02 (ISO 8601), the basic form
// 20260105T100000Z, a bare date, all without a zone or with UTC or GMT behind it; the dates of HTTP (RFC 9110); and the
// number of seconds, or of milli-, micro- or nanoseconds, since 1970, from 1973 on: thirteen
// digits are milliseconds. Without a zone a time is one of UTC. The second 60 is the one after 59. Anything
// else is the zero time, and so is what in UTC lies outside the years 0 to 9999, which
// nobody could write again.
func Parse(text string) time.Time {
	if text == "" {
		return time.Time{}
	}
	if t, ok := parseUsual(text); ok {
		return t
	}
	t, ok := parseAny(strings.TrimSpace(text))
	if !ok || !Writable(t) {
		return time.Time{}
	}
	_, offset := t.Zone()
	return t.In(Zone(offset)) // whatever the zone of this machine is called
}

// Format writes a time as memoryd writes times: RFC 3339, UTC, seconds.
func Format(t time.Time) string { return t.UTC().Format("2006-01-02T15:04:05Z") }

// Zone is the zone of an offset from UTC in seconds; equal offsets have the same one.
func Zone(offset int) *time.Location {
	if offset == 0 {
		return time.UTC
	}
	if z, ok := zones.Load(offset); ok {
		return z.(*time.Location)
	}
	z, _ := zones.LoadOrStore(offset, time.FixedZone("", offset))
	return z.(*time.Location)
}

// zones by their offsets, of which RFC 3339 has few: they are made once.
var zones sync.Map

// Writable reports whether a time can be written in UTC by RFC 3339.
func Writable(t time.Time) bool { return t.UTC().Year() >= 0 && t.UTC().Year() <= 9999 }

// parseUsual reads the form that nearly all have, "2006-01-02T15:04:05" and an offset or
// Z, as [Parse] would at several times the price; false for any other.
func parseUsual(text string) (t time.Time, ok bool) {
	if len(text) != len("2006-01-02T15:04:05Z") && len(text) != len("2006-01-02T15:04:05-07:00") ||
		text[4] != '-' || text[7] != '-' || text[10] != 'T' || text[13] != ':' || text[16] != ':' {
		return t, false
	}
	two := func(at int) int {
		a, b := text[at]-'0', text[at+1]-'0'
		if a > 9 || b > 9 {
			return 1 << 16 // more than anything may be
		}
		return int(a)*10 + int(b)
	}
	year, month, day := two(0)*100+two(2), two(5), two(8)
	hour, minute, second := two(11), two(14), two(17)
	if year < 1 || year > 9998 || month < 1 || month > 12 || day < 1 || day > 28 && day > daysIn(year, month) ||
		hour > 23 || minute > 59 || second > 59 {
		return t, false
	}
	offset := 0
	switch sign := text[19]; {
	case sign == 'Z' && len(text) == 20:
	case (sign == '+' || sign == '-') && len(text) == 25 && text[22] == ':' && two(20) <= 23 && two(23) <= 59:
		if offset = (two(20)*60 + two(23)) * 60; sign == '-' {
			offset = -offset
		}
	default:
		return t, false
	}
	if offset == 0 {
		return time.Date(year, time.Month(month), day, hour, minute, second, 0, time.UTC), true
	}
	return time.Date(year, time.Month(month), day, hour, minute, second-offset, 0, time.UTC).In(Zone(offset)), true
}

// daysIn is how many days a month has.
func daysIn(year, month int) int {
	return time.Date(year, time.Month(month)+1, 0, 0, 0, 0, 0, time.UTC).Day()
}

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
