// Package record holds what every record must pass that somebody writes, whoever it is and by whatever way: the schemas, and the
// rules for secrets.
package record

import (
	"errors"
	"slices"

	"github.com/tidwall/gjson"

	"github.com/memoryd/memoryd/internal/app"
	"github.com/memoryd/memoryd/pkg/config"
	"github.com/memoryd/memoryd/pkg/memory"
	"github.com/memoryd/memoryd/pkg/secrets"
	"github.com/memoryd/memoryd/schemas"
)

// Types are those that the rules know.
var Types = []string{memory.Factual, memory.Procedural, memory.Episodic, memory.Semantic, memory.Working}

// Schemas is where the schemas of a workspace come from.
type Schemas interface {
	Schemas() (*schemas.Extension, []schemas.Finding, error)
}

// Check holds a new record against the schema of memories and those of the workspace. What the old one (nil: none) had wrong already
// stands in nobody's way; of the rest, errors refuse it, and warnings are notes.
func Check(store Schemas, old, raw []byte) (notes []string, err error) {
	check, notes, err := Checker(store)
	if err != nil {
		return nil, err
	}
	more, err := check(old, raw)
	return append(notes, more...), err
}

// Checker is [Check] for many records: it reads the schemas once. Notes are what is wrong with these.
func Checker(store Schemas) (check func(old, raw []byte) (notes []string, err error), notes []string, err error) {
	extension, findings, err := store.Schemas()
	if err != nil {
		return nil, nil, err
	}
	for _, f := range findings {
		notes = append(notes, f.Message)
	}
	return func(old, raw []byte) (notes []string, err error) {
		var refused []error
		for _, f := range extension.ValidateEdit(old, raw) {
			switch near := app.Closest(gjson.GetBytes(raw, "type").String(), Types); {
			case f.Severity == schemas.Error && !slices.Contains(findings, f):
				refused = append(refused, errors.New(f.Message))
			case f.Path == "type" && near != "":
				notes = append(notes, f.Message+"; did you mean "+near+"?")
			default:
				notes = append(notes, f.Message)
			}
		}
		return notes, errors.Join(refused...)
	}, notes, nil
}

// Secrets says what becomes of the secrets in a record.
type Secrets struct {
	Redact bool // they are replaced by the names of their kinds
	Allow  bool // they are written as they are
}

// Store is where the rules for secrets are.
type Store interface {
	Read(name string) ([]byte, error)
}

// Clean is the record that may be written in place of an old one (nil: none). Secrets that the old one does not hold are refused, unless o says
// otherwise; the error is an [app.SecretError].
func Clean(store Store, settings config.Settings, old, raw []byte, o Secrets) (clean []byte, redacted []secrets.Finding, err error) {
	if o.Allow {
		return raw, nil, nil
	}
	rules, err := app.SecretRules(store, settings)
	if err != nil {
		return nil, nil, err
	}
	if o.Redact {
		raw, redacted = rules.RedactRecord(raw)
	}
	if found := rules.Introduced(old, raw); len(found) > 0 {
		return nil, redacted, &app.SecretError{Findings: found}
	}
	return raw, redacted, nil
}
