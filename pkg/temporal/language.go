package temporal

import "github.com/memoryd/memoryd/pkg/text"

// language is what a data file below languages/ says of one: its words, and the rows of its grammar. The file of German explains the format.
type language struct {
	code    text.Language
	order   string // of the numbers of a date: "dmy", "mdy", "" where they have no usual one
	dense   bool   // words follow each other without spaces
	suffix  bool   // endings follow an apostrophe: Mayıs'ta
	behind  bool   // until, since and their like stand behind
	longest int    // bytes of the longest word, where they are dense

	lexicon     map[string]*word
	grammar     []row
	pastEndings []string
	unknown     []string // readings and classes of the data file that there aren't: the tests find none
	index
}

// at is the entry of a word, made if there is none.
func (l *language) at(w string) *word {
	if l.lexicon[w] == nil {
		l.lexicon[w] = &word{}
	}
	return l.lexicon[w]
}
