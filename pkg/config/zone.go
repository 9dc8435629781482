package config

import (
	"strings"
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
	return time.LoadLocation(t.Timezone)
}

// timezone is a name of the IANA database, or LocalZone. What the names mean is
// told by the machine's copy of the database, else by the program's own.
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
