package provider

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"strings"
	"unicode"
)

// Fence writes data for a prompt as JSON between two tags whose name has the digest of the data, so that no text in it can
// close them. The error is that of the encoding.
func Fence(name string, data any) (string, error) {
	var text bytes.Buffer
	enc := json.NewEncoder(&text)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(data); err != nil {
		return "", fmt.Errorf("write %s for a prompt: %w", name, err)
	}
	sum := sha256.Sum256(text.Bytes())
	fence := name + "-" + hex.EncodeToString(sum[:8])
	return fmt.Sprintf("<%s>\n%s</%s>", fence, text.Bytes(), fence), nil
}

// Visible drops characters that nobody sees, with which a text could say something else to a model than to a person.
func Visible(text string) string {
	return strings.Map(func(r rune) rune {
		if unicode.Is(unicode.Cf, r) || unicode.Is(unicode.Co, r) || unicode.IsControl(r) && r != '\n' && r != '\t' {
			return -1
		}
		return r
	}, text)
}

// Line is a text of a model on one line, without what can't be seen or printed, cut to so many characters.
func Line(text string, most int) string {
	text = strings.Join(strings.Fields(strings.Map(func(r rune) rune {
		if unicode.IsPrint(r) {
			return r
		}
		return ' '
	}, Visible(text))), " ")
	if r := []rune(text); len(r) > most {
		text = string(r[:most-1]) + "…"
	}
	return text
}
