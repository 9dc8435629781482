package secrets

import "strings"

// Redact returns the text with each secret replaced by its kind, "[redacted: github-token]", and what was found. In the
// result nothing is found any more, unless a rule of a file takes the replacement itself for a secret.
func (s *Rules) Redact(text string) (string, []Finding) {
	found := s.Find(text)
	if len(found) == 0 {
		return text, nil
	}
	var b strings.Builder
	at := 0
	for _, f := range found {
		b.WriteString(text[at:f.Start])
		b.WriteString(replacement(f.Rule))
		at = f.End
	}
	b.WriteString(text[at:])
	return b.String(), found
}

func replacement(rule string) string { return "[redacted: " + rule + "]" }
