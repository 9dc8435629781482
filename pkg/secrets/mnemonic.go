package secrets

import (
	"slices"
	"strings"

	"github.com/memoryd/memoryd/pkg/internal/lazyregexp"
)

// A seed phrase is twelve to twenty-four words that make no sentence. It is looked for where a text talks of one.

var (
	seedTalk = []string{"mnemonic", "metamask", "backup words", "ledger", "semilla", "seed", "phrase", "recovery", "wallet", "助记词", "助記詞", "ニーモニック", "니모닉", "시드", "фраз", "سحابة", "kurtarma"}
	seedRun  = lazyregexp.New(`\b(?:[a-z]{3,8}(?:, ?| |\n| \d{1,2}[.)] ?)){11,}[a-z]{3,8}\b`)
	// numbered is a phrase as wallets print it.
	numbered = lazyregexp.New(`(?:\b\d{1,2}[.):] ?[a-z]{3,8}[\s,;]{1,4}){11,23}\d{1,2}[.):] ?[a-z]{3,8}\b`)
	// grammar is of words that every sentence has, and no such phrase.
	grammar = lazyregexp.New(`\b(?:the|and|for|with|from|are|was|were|has|had|not|but|our|his|her|its|been|being|which|who|does|did|please|your)\b`)
)

// seedPhrases yields the seed phrases of wallets.
func seedPhrases(s *subject, yield func(raw)) {
	if text := s.text; s.holdsAny(seedTalk, true) {
		for _, p := range []*lazyregexp.Regexp{seedRun, numbered} {
			for _, m := range p.FindAllStringIndex(text, -1) {
				if len(strings.Fields(text[m[0]:m[1]])) > 2*24+2 || p == seedRun && len(strings.Fields(text[m[0]:m[1]])) > 26 {
					continue // a list of words
				}
				from := max(0, m[0]-120)
				near := strings.ToLower(text[from:min(len(text), m[0]+24)])
				if grammar.MatchString(text[m[0]:m[1]]) || !slices.ContainsFunc(seedTalk, func(w string) bool { return strings.Contains(near, w) }) {
					continue
				}
				yield(raw{start: m[0], end: m[1], id: "seed-phrase", what: "seed phrase of a wallet", strength: specific})
			}
		}
	}
}
