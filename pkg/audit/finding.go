package audit

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"slices"
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

// The rules.
const (
	DeadPath      = "dead-path"
	DeadLink      = "dead-link"
	DeadCommand   = "dead-command"
	OverCap       = "over-cap"
	Orphan        = "orphan"
	ExactCopy     = "exact-copy"
	Contradiction = "contradiction"
	HiddenText    = "hidden-text"
	SecretText    = "secret"
	FrontMatter   = "front-matter"
)

// rules say what each rule finds, for reports.
var rules = map[string]string{
	DeadPath:      "A text names a file or directory that the repository doesn't have.",
	DeadLink:      "A link leads to a file that doesn't exist.",
	DeadCommand:   "A command names a script, target or file that doesn't exist.",
	OverCap:       "A file is longer than its host loads.",
	Orphan:        "The index has no entry for a note.",
	ExactCopy:     "Two notes of a folder have the same text.",
	Contradiction: "Two files that an agent reads say different things.",
	HiddenText:    "A text holds characters or instructions that people don't see.",
	SecretText:    "A text holds a key, token or password.",
	FrontMatter:   "A host can't read the front matter of a file, or doesn't see the file without it.",
}

// Finding is one thing that somebody should fix.
type Finding struct {
	Rule     string   `json:"rule"`
	Severity Severity `json:"severity" jsonschema:"note, warning or error"`
	Path     string   `json:"path" jsonschema:"slash-separated, relative to the root of the repository"`
	Line     int      `json:"line,omitempty" jsonschema:"from 1; absent for a file as a whole"`
	Message  string   `json:"message"`
	Hint     string   `json:"hint,omitempty" jsonschema:"what to do"`
	Text     string   `json:"text,omitempty" jsonschema:"what the finding is about; never a secret"`
	Print    string   `json:"fingerprint" jsonschema:"of rule, path and text: the same when lines move"`
}

// Fingerprint identifies a finding by its rule, path and text, without regard to blanks: a finding whose line has moved is the same one.
func (f Finding) Fingerprint() string {
	sum := sha256.Sum256([]byte(f.Rule + "\x00" + f.Path + "\x00" + strings.Join(strings.Fields(f.Text), " ")))
	return hex.EncodeToString(sum[:16])
}

// Fails reports whether a finding makes a check fail.
func (f Finding) Fails() bool { return f.Severity == Warning || f.Severity == Error }

// inOrder sorts findings by file and line, and gives each its fingerprint.
func inOrder(all []Finding) []Finding {
	for i := range all {
		all[i].Print = all[i].Fingerprint()
	}
	slices.SortFunc(all, func(a, b Finding) int {
		return cmp.Or(cmp.Compare(a.Path, b.Path), cmp.Compare(a.Line, b.Line), cmp.Compare(a.Rule, b.Rule), cmp.Compare(a.Text, b.Text))
	})
	return all
}
