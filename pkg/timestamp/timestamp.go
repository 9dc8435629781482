package timestamp

import (
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
