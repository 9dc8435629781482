package timestamp

import (
	"encoding/json"
	"testing"
	"time"

	"pgregory.net/rapid"
)

// slowly is [Parse] without its short cut.
func slowly(text string) time.Time {
	if t, ok := parseAny(text); ok && Writable(t) {
		_, offset := t.Zone()
		return t.In(Zone(offset))
	}
	return time.Time{}
}

// TestForms reads one moment as programs write it, and nothing that only looks like it.
func TestForms(t *testing.T) {
	want := time.Date(2024, 2, 29, 23, 15, 0, 0, time.UTC)
	for _, text := range []string{
		"2024-02-29T23:15:00Z", "2024-02-29t23:15:00z", "2024-02-29T23:15Z", "2024-02-29T23:15:00.000000+00:00", "2024-02-29 23:15:00+00:00",
		"2024-02-29 23:15:00 UTC", "2024-02-29 23:15:00", "2024-02-29T23:15:00 +0000", "2024-03-01T01:15:00+0200", "2024-03-01T01:15+02",
		"2024-02-29T23:14:60Z", "20240229T231500Z", "20240229T2315Z", "Thu, 29 Feb 2024 23:15:00 GMT", "Thursday, 29-Feb-24 23:15:00 GMT", "Thu Feb 29 23:15:00 2024",
		"Fri, 01 Mar 2024 01:15:00 +0200", "1709248500", "1709248500.0", "1709248500000", "1709248500000000", "1709248500000000000", " 2024-02-29T23:15:00Z ",
	} {
		if got := Parse(text); !got.Equal(want) {
			t.Errorf("%q is %v, want %v", text, got, want)
		}
	}
	for _, text := range []string{"20240229", "2024-02-29", "2024-02-29Z"} {
		if got := Parse(text); !got.Equal(want.Truncate(24 * time.Hour)) {
			t.Errorf("%q is %v", text, got)
		}
	}
	for _, text := range []string{
		"", "now", "yesterday", "2023-02-29", "2024-02-29T24:15:00Z", "Thu, 29 Feb 2024 23:15:00 EST", "UTC", "42", "12345678", "17092485000", "2024", "29.02.2024", "0170924850", "1709248500e3",
		"-1709248500", "1709248500Z", "2024-02-29T", "2024-02-29T23",
	} {
		if got := Parse(text); !got.IsZero() {
			t.Errorf("%q is %v, want none", text, got)
		}
	}
}

// TestUsualTimes compares the short cut with the long way, for times and what is nearly one.
func TestUsualTimes(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		at := time.Unix(rapid.Int64Range(-62135596800-1e8, 253402300799+1e8).Draw(t, "unix"), 0)
		text := []byte(at.In(time.FixedZone("", 60*rapid.IntRange(-1500, 1500).Draw(t, "offset"))).Format(rapid.SampledFrom([]string{time.RFC3339, "2006-01-02T15:04:05Z"}).Draw(t, "layout")))
		for range rapid.IntRange(0, 2).Draw(t, "mistakes") {
			text[rapid.IntRange(0, len(text)-1).Draw(t, "at")] = rapid.SampledFrom([]byte("0123569:-+TZ. /")).Draw(t, "is")
		}
		if got, want := Parse(string(text)), slowly(string(text)); got != want {
			t.Fatalf("%q is %#v, want %#v", text, got, want)
		}
	})
}

// FuzzTime reads any time of a memory: what is taken for one is a year that JSON
// and RFC 3339 can write, and survives being written.
func FuzzTime(f *testing.F) {
	for _, seed := range []string{
		"2026-03-01T09:00:00Z", "2026-03-01T09:00:00.123456789+05:30", "2026-03-01 09:00:00", "2026-03-01", "2026-03-01T09:00",
		"9999-12-31T23:59:59-12:00", "0000-01-01T00:00:00+12:00", "2026-02-30", "2026-12-31T23:59:60Z", "0001-01-01T00:00:00Z", "x",
	} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		at := Parse(text)
		if at.IsZero() {
			return
		}
		written := Format(at)
		if back := Parse(written); !back.Equal(at.Truncate(time.Second)) {
			t.Fatalf("%q is %v, written %s, read back %v", text, at, written, back)
		}
		if _, err := json.Marshal(at.UTC()); err != nil {
			t.Fatalf("%q: %v", text, err)
		}
	})
}
