// Package text has what all packages that read natural language share: words, sentences, normal forms, stems, stop words, scripts,
// languages and word differences. It knows strings only, and is pure: no disk, no clock, no state but tables that are read once.
//
// # Concept
//
// [Tokens] yields the words of a text with their offsets and their [Kind]: a word, a compound, a number, an identifier, a URL, a run of
// a script without spaces, or a sign. Nothing but white space lies between two tokens, so that a caller sees each character that
// may carry a fact.
//
// [Fold] and [Normal] are the normal forms in which texts are compared: compatibility-composed (NFKC) and case-folded, as Unicode
// defines them (UAX #15; The Unicode Standard, section 5.18). [Plain] also drops accents, for searching.
//
// [SentenceEnds] splits a paragraph into sentences. What a paragraph is depends on the format of the text and is left to the caller.
//
// A [Language] has stop words, base forms of irregular words, lists of abbreviations and a stemmer (Snowball; M. F. Porter,
// "An algorithm for suffix stripping", 1980, and his later English stemmer). All of that but the stemmer is data: one file a language below
// languages/, whose comments describe the format. [LanguageOf] tells the language of a text by its script and its function words.
//
// [Diff] is the difference of two texts by words, for people to read.
//
// # Guarantees
//
// Nothing panics on any input, valid UTF-8 or not, and all functions may be called by several goroutines. Each takes time linear in its
// input but for Diff. Offsets are in bytes. Tables are built at first use, not at the start of a program.
//
// # Adding a language
//
// Add languages/CODE.txt with the name of the language, its script, its function words and what else is known. If Snowball
// has a stemmer for it, add a line to stemmerOf.
//
// # Limits
//
// English is the only language with a data file so far. Languages that are the only common ones of their script (Greek, Hebrew, Hangul,
// Thai and some others) are told by the script; everything else is [Unknown]. Scripts without spaces are not segmented into words: they
// come as runs, of which callers take pairs of neighbouring characters.
package text
