package temporal_test

import (
	"slices"
	"testing"
	"time"

	"github.com/memoryd/memoryd/pkg/temporal"
)

// A date of numbers is two days where nobody knows the order, and one where the language or the numbers tell it.
func TestReadings(t *testing.T) {
	for text, want := range map[string][]string{
		"deploy 03/05/2026":                           {"2026-03-05", "2026-05-03"},
		"deploy since 03/05/2026":                     {"2026-03-05", "2026-05-03"},
		"deploy 03/05/2026 14:30":                     {"2026-03-05", "2026-05-03"},
		"deploy 03/03/2026":                           {"2026-03-03"},
		"deploy 13/03/2026":                           {"2026-03-13"},
		"deploy 03.05.2026":                           {"2026-05-03"},
		"The deploy of the shop was on 03/05/2026":    {"2026-03-05"},
		"Le déploiement de la boutique du 03/05/2026": {"2026-05-03"},
	} {
		var got []string
		for _, s := range temporal.Resolve(text, time.Date(2026, 11, 1, 12, 0, 0, 0, time.UTC)) {
			for _, r := range s.Readings() {
				got = append(got, r.Absolute())
				if again := r.Readings(); len(again) != len(s.Readings()) || !slices.ContainsFunc(again, func(x temporal.Span) bool { return x.From.Equal(s.From) && x.To.Equal(s.To) }) {
					t.Errorf("%q: the readings of a reading are others: %v", text, again)
				}
			}
			if len(s.Readings()) > 1 && s.Confidence != temporal.Guess {
				t.Errorf("%q: %v with two readings", text, s.Confidence)
			}
		}
		if !slices.Equal(got, want) {
			t.Errorf("%q: %q, not %q", text, got, want)
		}
	}
}
