package cli

import (
	"errors"

	urfave "github.com/urfave/cli/v2"

	"github.com/memoryd/memoryd/cmd/memory/internal/app"
	"github.com/memoryd/memoryd/pkg/secrets"
)

func redactFlag() urfave.Flag {
	return &urfave.BoolFlag{Name: "redact", Usage: "replace secrets by the names of their kinds, instead of refusing them"}
}

func allowSecretFlag() urfave.Flag {
	return &urfave.BoolFlag{Name: "allow-secret", Usage: "write secrets as they are"}
}

// refusal says what to do about a text that was refused.
func refusal(err error) error {
	var secret *app.SecretError
	switch {
	case errors.As(err, &secret):
		return withHint(err, "--redact replaces it, --allow-secret writes it as it is; a rule of your own may allow it: see secrets.rules")
	case errors.Is(err, app.ErrChanged):
		return withHint(&failure{err: err, code: exitStale}, "nothing of it was touched: try again")
	}
	return err
}

// secretRules are the rules for secrets that the settings ask for.
func (c *call) secretRules() (*secrets.Rules, error) {
	conf, err := c.settings()
	if err != nil {
		return nil, err
	}
	return app.SecretRules(c.store, conf.Settings)
}

// withoutSecrets is the record that may be written in place of an old one: a secret
// that the old one does not hold is refused, unless a flag says otherwise.
func (c *call) withoutSecrets(old, record []byte) ([]byte, error) {
	if c.has("allow-secret") && c.flags.Bool("allow-secret") {
		return record, nil
	}
	rules, err := c.secretRules()
	if err != nil {
		return nil, err
	}
	if c.has("redact") && c.flags.Bool("redact") {
		clean, found := rules.RedactRecord(record)
		for _, f := range found {
			c.say("redacted: %s\n", printable(f.String()))
		}
		record = clean
	}
	if found := rules.Introduced(old, record); len(found) > 0 {
		return nil, refusal(&app.SecretError{Findings: found})
	}
	return record, nil
}

// secretKinds names the kinds of secrets in a file.
func (c *call) secretKinds() (func(name string, text []byte) []string, error) {
	found, err := c.secretRules()
	if err != nil {
		return nil, err
	}
	return func(_ string, text []byte) (kinds []string) {
		for _, f := range found.FindRecord(text) {
			kinds = append(kinds, f.String())
		}
		return kinds
	}, nil
}
