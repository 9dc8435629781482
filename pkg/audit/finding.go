package audit

import (
	"crypto/sha256"
	"encoding/hex"
	"strings"
)

// Severity is how much a finding matters.
type Severity string

// The severities, by the words of SARIF 2.1.0. Warnings and errors make a check fail.
const (
	Advice  Severity = "note"
	Warning Severity = "warning"
	Error   Severity = "error"
)

// Finding is one thing that somebody should mend.
type Finding struct {
	Rule     string   `json:"rule"`
	Severity Severity `json:"severity"`
	Path     string   `json:"path"` // slash-separated, relative to where the check began
	Line     int      `json:"line"` // from 1; 0: the whole file
	Message  string   `json:"message"`
	Text     string   `json:"text"` // what the finding is about, never a secret
}

// Fingerprint identifies a finding by its rule, path and text, without regard to blanks: a finding whose line has moved is the same one.
func (f Finding) Fingerprint() string {
	sum := sha256.Sum256([]byte(f.Rule + "\x00" + f.Path + "\x00" + strings.Join(strings.Fields(f.Text), " ")))
	return hex.EncodeToString(sum[:16])
}

// Fails reports whether a finding makes a check fail.
func (f Finding) Fails() bool { return f.Severity == Warning || f.Severity == Error }
