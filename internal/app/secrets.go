package app

import (
	"errors"
	"fmt"
	"io/fs"
	"strings"

	"github.com/memoryd/memoryd/internal/fail"
	"github.com/memoryd/memoryd/pkg/config"
	"github.com/memoryd/memoryd/pkg/secrets"
)

// SecretError refuses a text that holds secrets. It never shows them.
type SecretError struct{ Findings []secrets.Finding }

func (e *SecretError) Error() string {
	const most = 5
	var lines []string
	for _, f := range e.Findings[:min(most, len(e.Findings))] {
		lines = append(lines, f.String())
	}
	if more := len(e.Findings) - most; more > 0 {
		lines = append(lines, fmt.Sprintf("and %d more", more))
	}
	return "refused, nothing was written: " + strings.Join(lines, "\n")
}

// Is makes it a [fail.ErrSecret].
func (e *SecretError) Is(target error) bool { return target == fail.ErrSecret }

// SecretRules are the rules for secrets that the settings ask for: the built-in ones, and those of the file that secrets.rules
// names. An error names the file, and the rule.
func SecretRules(store interface{ Read(string) ([]byte, error) }, settings config.Settings) (*secrets.Rules, error) {
	name := settings.Secrets.Rules
	if name == "" {
		return secrets.Default(), nil
	}
	text, err := store.Read(name)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("secrets.rules: there is no file %s in the workspace", name)
	}
	if err != nil {
		return nil, fmt.Errorf("secrets.rules: read %s: %w", name, err)
	}
	return secrets.Default().Parse(name, text)
}
