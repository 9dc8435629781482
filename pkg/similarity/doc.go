// Package similarity judges whether two texts say the same. It knows words, tags and facts, and nothing of memories, files or
// JSON: text in, judgement out.
//
// # Concept
//
// Two questions are asked of a pair of texts, one after the other.
//
// [Content] asks how much of the wording two texts share. It is the Sørensen–Dice index of the multisets of their words:
// 2·Σ min(a(w), b(w)) / (Σ a(w) + Σ b(w)). Words are compared in a normal form without case, punctuation, white space and
// contractions, as package text defines it; scripts without spaces between words are compared by pairs of characters. For texts of equal length it is
// the share of words they have in common, at any length.
//
// [DistinctFacts] asks what texts that share their wording say differently. lexer.go and chunk.go read a text into tokens, so that nothing is
// left out which may carry a fact; align.go aligns the tokens of two texts; place.go looks at each place where they differ. A place is
//
//   - harmless by a rule that holds in all languages: case, white space, quotes, dashes, markup, one form of a letter or digit, the order of
//     the items of a list, another spelling of a number, date or unit;
//   - harmless in a language that is known: forms of one word, synonyms, spelled numbers, misspellings, words that say nothing;
//   - a detail: words that one text has more, in a known language, none of which changes the sense of others;
//   - a fact otherwise.
//
// Ordinary words in place of others are facts, but in a revision: a longer text with several such places and details, none of which holds a
// name, a number or an opposite. The lists of a language only ever make something harmless. A list that is too short costs a question.
//
// [OtherFacts] asks the same for whoever keeps both wordings: what looks like another wording of one fact is left out, and what only a mark, a pause
// or a capital states is added.
//
// [Judge] makes one decision of Content and OtherFacts: merge, review or separate. Whoever decides about a pair decides by it, and [Calibrate] measures it on
// labelled pairs. [Facts] lists what a text states, for whoever has to prove that nothing got lost.
//
// [Pairs] and [Join] find the similar pairs among many records, exactly, without comparing all of them: tags first, then a
// prefix filter over the words of those records whose tags leave a partner. An [Index] answers the same question about one text
// while records come and go.
//
// # The measure and the evidence for it
//
// All at the threshold 0.80, strictly above. Revisions are paragraphs of public repositories and what became of them (72 the
// same, 320 not); macro F1 is the mean over those, MRPC, STS and SICK. The last two columns are for planted duplicates, texts
// with 3 to 5 % of their words edited, against texts with 40 to 60 %: the least score of a duplicate and the greatest of the
// others, between which a threshold must fit.
//
//	measure                             revisions F1   macro F1   duplicates   others
//	words, Sørensen–Dice (this one)            1.000       .584         .951     .697
//	words, multiset Jaccard                     .971       .407         .906     .534
//	words, set Jaccard                          .972       .432         .893     .588
//	words and pairs of words, Jaccard           .933       .313         .857     .400
//	strutil Levenshtein                        1.000       .487         .917     .671
//	strutil SorensenDice, 2 characters          .993       .632         .934     .819
//	strutil Jaccard, 3 characters               .957       .365         .857     .506
//	strutil Jaccard, 5 characters               .917       .310         .829     .392
//	strutil OverlapCoefficient                  .502       .598         .939     .879
//	strutil JaroWinkler                         .565       .547         .835     .890
//
// Levenshtein falls to a third when sentences change places and costs a thousand times more; indexes over two characters rise
// with length for unrelated texts, past 0.80 here; JaroWinkler does not separate the two at all. A threshold j for the Jaccard
// index is the threshold 2j/(1+j) for this one: 0.80 there is 0.89 here.
//
// The measure is that of github.com/adrg/strutil (metrics.SorensenDice) taken over words, and is tested against it. The package
// itself is not called because it works on strings of characters, allocates for each comparison, and has edge cases that
// would need care: identical texts shorter than an n-gram score 0, Levenshtein of two empty texts is NaN, composed and decomposed
// letters differ, and all invalid bytes are equal.
//
// # Guarantees
//
// Everything is pure and deterministic. Nothing panics on any input, valid UTF-8 or not. Content, Tags, DistinctFacts, OtherFacts and
// Judge are symmetric, Content is 1 for texts with equal normal forms, and Pairs finds exactly what comparing all pairs would find.
// Preparing a text and aligning two take time linear in their length; an alignment stops looking after 1,024 insertions and
// deletions and then takes everything between as one place. Features may be shared by goroutines, a Join and an Index may not.
//
// # Limits
//
// Content does not see the order of words: "A calls B" and "B calls A" score 1; DistinctFacts sees it. Words are compared by 64-bit hashes, so
// that two different words may, in theory, count as one.
//
// A detail in a known language may still hold a word that turns the sense and stands in no list. Texts in a language that is taken for one that is
// like it are compared with the lists of that one. Misspellings and units as words are known in English. Half of the duplicates of which a few words
// were exchanged at random are asked about: what tells them from two notes about two things is not in the texts.
package similarity
