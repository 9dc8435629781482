package config

import (
	"strings"
	"sync"
	"time"
)

// LocalZone is the time zone of the machine, as a setting.
const LocalZone = "local"

// Zone returns the time zone that schedules are read in; local is that of the
// machine. It fails only for settings that Parse has not seen.
func (t Triggers) Zone(local *time.Location) (*time.Location, error) {
	if t.Timezone == LocalZone {
		return local, nil
	}
	if zone, ok := zones.Load(t.Timezone); ok {
		return zone.(*time.Location), nil
	}
	zone, err := time.LoadLocation(t.Timezone)
	if err == nil {
		zones.Store(t.Timezone, zone)
	}
	return zone, err
}

var zones sync.Map // *time.Location by name: the names of settings, which are few

// Days returns the time zone in which days are counted and written: that of the setting, or of
// the machine; UTC for a name that Parse has not seen and nobody knows.
func (t Triggers) Days() *time.Location {
	zone, err := t.Zone(time.Local)
	if err != nil {
		return time.UTC
	}
	return zone
}

// timezone is a name of the IANA database, or LocalZone. Its rules are
// those of the machine's copy of the database, else of the program's own.
func timezone(p *string) value {
	return value{p: p, check: func(s string) (string, string) {
		if strings.EqualFold(s, LocalZone) {
			return LocalZone, ""
		}
		// "" would be UTC, and a file of any name be tried.
		if s == "" || strings.ContainsFunc(s, notInZone) {
			return "", zoneForms
		}
		if _, err := time.LoadLocation(s); err != nil {
			return "", zoneForms
		}
		return s, ""
	}}
}

const zoneForms = `write a name of the time zone database such as "Europe/Berlin", "UTC", or "local" for the machine's`

func notInZone(r rune) bool {
	return !(r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' || strings.ContainsRune("/_+-", r))
}
