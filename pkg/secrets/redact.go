package secrets

import "strings"

// Redact returns the text with each secret replaced by its kind, "[redacted: github-token]", and what was found. In the
// result nothing is found any more, unless a rule of a file takes the replacement itself for a secret.
func (s *Rules) Redact(text string) (string, []Finding) {
	raws := s.find(text, "")
	if len(raws) == 0 {
		return text, nil
	}
	return redacted(text, raws), findings(text, raws)
}

func redacted(text string, raws []raw) string {
	var b strings.Builder
	at := 0
	for _, r := range raws {
		b.WriteString(text[at:r.start])
		b.WriteString(replacement(r.id))
		at = r.end
	}
	b.WriteString(text[at:])
	return b.String()
}

func replacement(rule string) string { return "[redacted: " + rule + "]" }
