package text

import "unicode"

// Script is a writing system, by its Unicode name.
type Script string

// The scripts that are told apart. The letters of all others have no script.
const (
	NoScript Script = ""
	Latin    Script = "Latin"
	Han      Script = "Han"
	Hiragana Script = "Hiragana"
	Katakana Script = "Katakana"
	Cyrillic Script = "Cyrillic"
)

// scripts are told apart in this order. A script that practically one language uses names it.
var scripts = [...]struct {
	name     Script
	table    *unicode.RangeTable
	language Language
}{
	{Latin, unicode.Latin, Unknown}, {Cyrillic, unicode.Cyrillic, Unknown}, {Han, unicode.Han, "zh"}, {Hiragana, unicode.Hiragana, "ja"},
	{Katakana, unicode.Katakana, "ja"}, {"Hangul", unicode.Hangul, "ko"}, {"Arabic", unicode.Arabic, Unknown}, {"Devanagari", unicode.Devanagari, Unknown},
	{"Greek", unicode.Greek, "el"}, {"Hebrew", unicode.Hebrew, "he"}, {"Thai", unicode.Thai, "th"}, {"Bengali", unicode.Bengali, Unknown},
	{"Tamil", unicode.Tamil, "ta"}, {"Telugu", unicode.Telugu, "te"}, {"Gujarati", unicode.Gujarati, "gu"}, {"Gurmukhi", unicode.Gurmukhi, "pa"},
	{"Kannada", unicode.Kannada, "kn"}, {"Malayalam", unicode.Malayalam, "ml"}, {"Sinhala", unicode.Sinhala, "si"}, {"Lao", unicode.Lao, "lo"},
	{"Khmer", unicode.Khmer, "km"}, {"Myanmar", unicode.Myanmar, "my"}, {"Georgian", unicode.Georgian, "ka"}, {"Armenian", unicode.Armenian, "hy"},
	{"Ethiopic", unicode.Ethiopic, Unknown},
}

// RuneScript is the script of a letter.
func RuneScript(r rune) Script {
	if i := scriptIndex(r); i >= 0 {
		return scripts[i].name
	}
	return NoScript
}

func scriptIndex(r rune) int {
	if r < 0x80 {
		if class[r]&letterByte != 0 {
			return 0
		}
		return -1
	}
	if unicode.IsLetter(r) {
		for i := range scripts {
			if unicode.Is(scripts[i].table, r) {
				return i
			}
		}
	}
	return -1
}

// ScriptOf is the script of most letters of s, NoScript if it has none.
func ScriptOf(s string) Script {
	if i, n := census(s); n > 0 {
		return scripts[i].name
	}
	return NoScript
}

// census is the most frequent script in s, by its index, and how many letters s has of it. Han and the two kana, which Japanese mixes,
// count as one: as kana if there is any.
func census(s string) (script, letters int) {
	var count [len(scripts)]int
	for _, r := range s {
		if i := scriptIndex(r); i >= 0 {
			count[i]++
		}
	}
	const han, hiragana, katakana = 2, 3, 4
	if kana := count[hiragana] + count[katakana]; kana > 0 {
		count[hiragana], count[katakana] = kana+count[han], 0
	}
	for i, n := range count {
		if n > letters {
			script, letters = i, n
		}
	}
	return script, letters
}
