// Package similarity judges whether two texts say the same. It knows words, tags and facts, and nothing of memories, files or
// JSON: text in, judgement out.
//
// Content measures (words.go, features.go), DistinctFacts explains (lexer.go and classify.go make tokens, align.go aligns them, differences.go
// asks conflict.go, negation.go, exchange.go and replaced.go about the places where they differ), Judge decides, Join and Index search.
//
// # Concept
//
// Two questions are asked of a pair of texts, one after the other.
//
// Content asks how much of the wording two texts share. It is the Sørensen–Dice index of the multisets of their words:
// 2·Σ min(a(w), b(w)) / (Σ a(w) + Σ b(w)). Words are compared in a normal form without case, punctuation, white space and
// contractions, as package text defines it; scripts without spaces between words are compared by pairs of characters. For texts of equal length it is
// the share of words they have in common, at any length.
//
// DistinctFacts asks whether texts that share their wording contradict each other in a fact. It aligns them token by token and
// looks at the places where they differ: a number, date, version, identifier, path, URL or name that stands where the other
// text has another one; a negation or an opposite that turns a statement round; two parts that changed places around the same middle.
// What only one text has is a detail, and an ordinary word in place of another is wording; neither is reported, but that in a text
// of up to twelve tokens, and in a field, another word is.
//
// Judge makes one decision of both: merge, review or separate. Whoever decides about a pair decides by it, and Calibrate measures it on
// labelled pairs. Facts lists what a text states, for whoever has to prove that nothing got lost.
//
// Pairs and Join find the similar pairs among many records, exactly, without comparing all of them: tags first, then a
// prefix filter over the words of those records whose tags leave a partner. An Index answers the same question about one text
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
// # What is a fact, and the evidence for it
//
// No measure of wording sees a changed number or an added "not"; those are what DistinctFacts is for. Judge at 0.80, of the pairs that are
// similar above it; each set in two halves by a hash of the pair's id, of which the first was used to choose the rules and the second to
// see whether they hold:
//
//	                                             first half        second half
//	                                          similar  merged    similar  merged
//	planted, one number changed                    98       0         82       0
//	planted, one "not" inserted                    89       0         91       0
//	revisions of a line, a number or date changed  65       0         66       0
//	short statements, the value changed           269       2        273       7
//	SICK, the sentences contradict each other     151       3        146       5
//	SICK and STS, different otherwise              30       8         36       9
//	planted, 3 to 5 % of the words edited         222     219        183     176
//	planted, copied or edited cosmetically        130     130        140     140
//	revisions of a paragraph                       33      27         39      33
//	revisions of a line, nothing of these changed  54      47         45      38
//	MRPC, paraphrases                             187     170        194     163
//	SICK and STS, the same                        260     213        271     218
//
// The planted duplicates that are held back are those in which the random edits took a negation out or put one in (8 of 405), cut "twenty
// five" to "twenty", or put another word into a code span. What tells them from a trap is that other words of the same text were exchanged
// too, which is just what a person does who corrects a statement; so they wait for one. Of the 12 paragraphs, eight give another name to a
// thing in code, one to a product, one says private for public, one has another number before a list item, and one
// says "not" with a misspelt word instead: in all but the last two a fact has changed. Letting names in code without a digit pass in texts
// of more than twenty words would merge seven of them, and UserRepository with OrderRepository.
//
// On other texts (documentation, comments in code, dialogues, notes of agents) 591 of 600 planted duplicates are merged, none of 320 with one
// number changed or one "not" inserted, and, where one fact was exchanged for another of its kind, none of 1,091 with a version, identifier,
// flag, month, weekday, year or issue, 1 of 144 with a path, 2 of 200 with a compound, 13 of 200 with a name, and none of 379 with a word exchanged
// for its opposite.
//
// A word for a word in a text of up to twelve tokens is held back because there it is as likely to be the fact as not: the rule holds back 104
// pairs that differ and 95 that do not, and takes the changed values that are merged from 74 to 9. Above 16 tokens paraphrases begin to be
// held back for nothing.
//
// # Guarantees
//
// Everything is pure and deterministic. Nothing panics on any input, valid UTF-8 or not. Content, Tags, DistinctFacts and
// Judge are symmetric, Content is 1 for texts with equal normal forms, and Pairs finds exactly what comparing all pairs would find.
// Preparing a text and aligning two take time linear in their length; an alignment stops looking after 1,024 insertions and
// deletions and then takes everything between as one place. Features may be shared by goroutines, a Join and an Index may not.
//
// # Limits
//
// Content does not see the order of words: "A calls B" and "B calls A" score 1. DistinctFacts sees it when the middle stays and neither
// part begins with a preposition. Words are compared by 64-bit hashes, so that two different words may, in theory, count as one.
//
// In texts of more than twelve tokens an ordinary word that carries a fact (coffee, tea; port forwarding, port knocking) is wording, unless
// the two are contraries, part of a compound, or the value of a field. The number of a list item counts as a fact at the beginning of a
// text, where it may be anything. 1.50 and 1.5 differ unless they have a unit, because versions do.
//
// The lists of negations, opposites, numerals, units and months are English, with the plain negations of a few other languages.
// In languages that write all nouns with a capital, nouns count as names. Names that begin a sentence are recognised only in front of
// another capital, a singular verb or a break. Units of different families, and 3/4/2026 beside 2026-04-03, are taken to differ.
// Many different texts over a small vocabulary, all with the same tags, approach the cost of comparing all pairs by their
// signatures: some nanoseconds for each.
package similarity
