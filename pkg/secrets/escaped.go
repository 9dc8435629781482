package secrets

import "strings"

// plain returns a text of the same length in which what is escaped, as in a string of JSON or of a program, stands as it
// is: spaces for the backslashes, and the line breaks and quotes that they make. It reports whether there is any.
func plain(text string) (string, bool) {
	if !strings.Contains(text, `\n`) && !strings.Contains(text, `\"`) && !strings.Contains(text, `\t`) {
		return text, false
	}
	b := []byte(text)
	for i := 0; i < len(b); i++ {
		if b[i] != '\\' {
			continue
		}
		start := i
		for i < len(b) && b[i] == '\\' {
			i++
		}
		if i == len(b) {
			break
		}
		switch b[i] {
		case 'n', 'r':
			b[i] = '\n'
		case 't':
			b[i] = '\t'
		case '"', '\'':
		default:
			continue
		}
		for j := start; j < i; j++ {
			b[j] = ' '
		}
	}
	return string(b), true
}
