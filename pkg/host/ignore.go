package host

import (
	"bytes"
	"strings"
)

// ignoreNote is the line above a pattern of ours in an ignore file.
const ignoreNote = "# The memories: the agent is given them, and has tools for them."

// AddIgnore puts a pattern behind all else in an ignore file, such as .geminiignore,
// with a comment above it, unless a line says the same; nil stands for a file that
// doesn't exist. The lines end as those of the file.
func AddIgnore(doc []byte, pattern string) []byte {
	bare := strings.Trim(pattern, "/")
	for line := range strings.Lines(string(doc)) {
		if strings.Trim(strings.TrimSpace(line), "/") == bare {
			return doc
		}
	}
	end := lineEnd(doc)
	out := bytes.Clone(doc)
	if len(out) > 0 && !bytes.HasSuffix(out, []byte("\n")) {
		out = append(out, end...)
	}
	return append(out, ignoreNote+end+pattern+end...)
}

// RemoveIgnore takes out what AddIgnore has put in, whatever the pattern. bare tells that nothing is left.
func RemoveIgnore(doc []byte) (left []byte, bare bool) {
	left = []byte{}
	ours := 0 // lines of ours that follow
	for line := range strings.Lines(string(doc)) {
		switch {
		case strings.TrimSpace(line) == ignoreNote:
			ours = 1
		case ours > 0:
			ours--
		default:
			left = append(left, line...)
		}
	}
	return left, len(bytes.TrimSpace(left)) == 0
}
