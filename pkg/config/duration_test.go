package config

import (
	"encoding/json"
	"testing"
	"time"

	"pgregory.net/rapid"
)

func TestParseDuration(t *testing.T) {
	from := time.Date(2026, 3, 31, 12, 0, 0, 0, time.UTC)
	for _, tt := range []struct{ in, text, before string }{
		{"7d", "7d", "2026-03-24T12:00:00Z"},
		{"30d", "30d", "2026-03-01T12:00:00Z"},
		{"2w", "14d", "2026-03-17T12:00:00Z"},
		{"1w1d", "8d", "2026-03-23T12:00:00Z"},
		{"12h", "12h", "2026-03-31T00:00:00Z"},
		{"90m", "1h30m", "2026-03-31T10:30:00Z"},
		{"1d12h", "1d12h", "2026-03-30T00:00:00Z"},
		{"30s", "30s", "2026-03-31T11:59:30Z"},
		{"100ms", "100ms", "2026-03-31T11:59:59.9Z"},
		{"1.5h", "1h30m", "2026-03-31T10:30:00Z"},
		{"48h", "48h", "2026-03-29T12:00:00Z"},
		{"0d", "0s", "2026-03-31T12:00:00Z"},
		{"007d", "7d", "2026-03-24T12:00:00Z"},
		{"P7D", "7d", "2026-03-24T12:00:00Z"},
		{"P2W", "14d", "2026-03-17T12:00:00Z"},
		{"PT4H", "4h", "2026-03-31T08:00:00Z"},
		{"PT0.5S", "500ms", "2026-03-31T11:59:59.5Z"},
		{"PT0,5S", "500ms", "2026-03-31T11:59:59.5Z"},
		{"P1DT12H", "1d12h", "2026-03-30T00:00:00Z"},
		{"P1M", "P1M", "2026-03-03T12:00:00Z"}, // 31 February
		{"P2M", "P2M", "2026-01-31T12:00:00Z"},
		{"P1Y", "P1Y", "2025-03-31T12:00:00Z"},
		{"P13M", "P1Y1M", "2025-03-03T12:00:00Z"},
		{"P1Y2M3DT4H5M6.7S", "P1Y2M3DT4H5M6.700S", "2025-01-28T07:54:53.3Z"},
		{"100w", "700d", "2024-04-30T12:00:00Z"},
		{"P100Y", "P100Y", "1926-03-31T12:00:00Z"},
	} {
		d, err := ParseDuration(tt.in)
		if err != nil {
			t.Errorf("%s: %v", tt.in, err)
			continue
		}
		if got := d.String(); got != tt.text {
			t.Errorf("%s prints as %s, want %s", tt.in, got, tt.text)
		}
		if got := d.Before(from).Format(time.RFC3339Nano); got != tt.before {
			t.Errorf("%s before %s is %s, want %s", tt.in, from, got, tt.before)
		}
	}
}

func TestParseDurationErrors(t *testing.T) {
	const write = ` is not a duration: write a duration such as "7d", "2w", "12h", "90m", "30s", "100ms", or "P1M" for a calendar month`
	for in, want := range map[string]string{
		"":                         `""` + write,
		"week":                     `"week"` + write,
		"-7d":                      `"-7d"` + write,
		"7 d":                      `"7 d"` + write,
		"P":                        `"P"` + write,
		"PT":                       `"PT"` + write,
		"P1DT":                     `"P1DT"` + write,
		"PT1D":                     `"PT1D"` + write,
		"P1D1D":                    `"P1D1D"` + write,
		"1h1d":                     `"1h1d"` + write, // the larger unit first
		"1.2.3h":                   `"1.2.3h"` + write,
		".5h":                      `".5h"` + write,
		"5.h":                      `"5.h"` + write,
		"d":                        `"d"` + write,
		"7dd":                      `"7dd"` + write,
		"1y":                       `"1y"` + write,
		"7":                        `"7" has no unit: write "7d" for days`,
		"7D":                       `"7D" is not a duration: write "7d"`,
		"p7d":                      `"p7d" is not a duration: write "P7D"`,
		"pt4h":                     `"pt4h" is not a duration: write "PT4H"`,
		"101000d":                  `"101000d" is too long: a duration is at most 100 years`,
		"P99Y9999D":                `"P99Y9999D" is too long: a duration is at most 100 years`,
		"99999999999999999999999d": `"99999999999999999999999d" is too long: a duration is at most 100 years`,
		"1.5d":                     `"1.5d" has a fraction: only h, m, s and ms may have one`,
		"1.00000000000s":           `"1.00000000000s" is too fine: a duration is a whole number of milliseconds`,
		"0.0001s":                  `"0.0001s" is too fine: a duration is a whole number of milliseconds`,
	} {
		d, err := ParseDuration(in)
		if err == nil {
			t.Errorf("%q was read as %s", in, d)
		} else if err.Error() != want {
			t.Errorf("%q:\n got %s\nwant %s", in, err, want)
		}
	}
}

func TestDurationClock(t *testing.T) {
	for in, want := range map[string]time.Duration{
		"7d": 168 * time.Hour, "P1M": 720 * time.Hour, "P1Y": 8760 * time.Hour, "P1Y1M1DT1S": 9504*time.Hour + time.Second,
	} {
		if got := mustDuration(t, in).Clock(); got != want {
			t.Errorf("%s is %s, want %s", in, got, want)
		}
	}
}

// Days are those of the place: a night in which the clocks change is still one.
func TestDurationDaylightSaving(t *testing.T) {
	place, err := time.LoadLocation("Europe/Berlin")
	if err != nil {
		t.Skip("SKIPPED: no time zone database here:", err)
	}
	from := time.Date(2026, 3, 29, 12, 0, 0, 0, place) // clocks went forward that night
	if got := mustDuration(t, "1d").Before(from).Format(time.RFC3339); got != "2026-03-28T12:00:00+01:00" {
		t.Error("1d before", from, "is", got)
	}
	if got := mustDuration(t, "24h").Before(from).Format(time.RFC3339); got != "2026-03-28T11:00:00+01:00" {
		t.Error("24h before", from, "is", got)
	}
}

func TestDurationText(t *testing.T) {
	var v struct{ D Duration }
	if err := json.Unmarshal([]byte(`{"D":"P1M"}`), &v); err != nil {
		t.Fatal(err)
	}
	if out, err := json.Marshal(v); err != nil || string(out) != `{"D":"P1M"}` {
		t.Errorf("%s, %v", out, err)
	}
	if err := json.Unmarshal([]byte(`{"D":"soon"}`), &v); err == nil {
		t.Error("soon was read as", v.D)
	}
}

func TestDurationRoundTrip(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		d := Duration{
			months: rapid.IntRange(0, 400).Draw(t, "months"),
			days:   rapid.IntRange(0, 20000).Draw(t, "days"),
			clock:  time.Duration(rapid.Int64Range(0, 1<<38).Draw(t, "ms")) * time.Millisecond,
		}
		back, err := ParseDuration(d.String())
		if err != nil || back != d {
			t.Fatalf("%#v prints as %s, which reads as %#v, %v", d, d, back, err)
		}
	})
}

func FuzzParseDuration(f *testing.F) {
	for _, s := range []string{"7d", "1d12h", "P1Y2M3DT4H5M6.7S", "PT0,5S", "1.5h", "100ms", "-1d", "P", "9999999999w"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		d, err := ParseDuration(s)
		if err != nil {
			return
		}
		if back, err := ParseDuration(d.String()); err != nil || back != d {
			t.Fatalf("%q is %s, which reads as %s, %v", s, d, back, err)
		}
		now := time.Date(2026, 3, 31, 12, 0, 0, 0, time.UTC)
		if d.Before(now).After(now) || d.Clock() < 0 || d.Clock() > longest {
			t.Fatalf("%q is %s, %s long, from %s", s, d, d.Clock(), d.Before(now))
		}
	})
}

func mustDuration(t *testing.T, s string) Duration {
	t.Helper()
	d, err := ParseDuration(s)
	if err != nil {
		t.Fatal(err)
	}
	return d
}
