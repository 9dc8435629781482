package text

import (
	"strings"

	"golang.org/x/text/unicode/norm"
)

// Composed is a name in Unicode's composed form (NFC). Names that differ in their form only look the same and are one name: file
// systems and keyboards give "é" as one character or as two.
func Composed(name string) string {
	if IsASCII(name) {
		return name
	}
	return norm.NFC.String(name)
}

// FoldName is a name as it is compared: composed, and in lower case. Names with equal ones are one name to people, and one file where
// the file system ignores case.
func FoldName(name string) string {
	if IsASCII(name) {
		return strings.ToLower(name)
	}
	return norm.NFC.String(strings.ToLower(norm.NFC.String(name)))
}

// SameName reports whether two names are one: in any Unicode form, in any case.
func SameName(a, b string) bool {
	return strings.EqualFold(a, b) || !(IsASCII(a) && IsASCII(b)) && FoldName(a) == FoldName(b)
}
