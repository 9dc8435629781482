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
// A [Language] has lists of words: function words, negations, restrictions, opposites, units and others, ways to tell of a change
// ([Language.Lines]), base forms of irregular words, and a stemmer (Snowball; M. F. Porter, "An algorithm for suffix stripping", 1980,
// and his later English stemmer). All of that but the stemmer is data: one file a language below languages/. [Language.Number] reads
// spelled numbers, [Language.SameStem] tells forms of one word, [LanguageOf] the language of a text by its script, its function words
// and its spelling.
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
// Add languages/CODE.txt. Lines that begin with "#" are comments. First come the name of the language, its script and, if there is one,
// its Snowball stemmer, and a line "spelling": letters that words of other languages don't have one after the other. A section "[name]" goes on to the next one; its words are folded and stand between white space:
//
//	stop         function words, which stand in every text and say nothing of its subject
//	shared       those of them that languages without a file have, too; what those with a file share is counted
//	frequent     further frequent words that say little
//	filler       of speech
//	abbreviation, title, abbreviation.closing, abbreviation.number, opener   for the ends of sentences
//	empty        words that may be added or left out, and nothing else is said
//	neutral      pronouns, prepositions and the like: one more of them changes nothing by itself
//	and          what joins the items of a list
//	sequence     words that make an order of a list: steps, respectively
//	negation, restriction, modality, comparison, condition, quantity   words that change what is said
//	synonym, irregular, unit, month, day   a line each for what is the same, its name or number first
//	number, ordinal   a line each: a value and the words for it (see below)
//	opposite     left and right of a "|", for all forms of the words, or patterns of what makes a word its opposite
//	suffix       endings of inflection; they take the place of a stemmer, or add to it
//	derivation   a line each for an ending that makes a word of another, with its inflections
//	when, ago    how a question for a time begins, and one for how long ago something was: phrases between commas
//	change       how a text says that something has changed: see package supersession
//
// Lists only make a difference harmless, or guard what would be harmless otherwise. A list that is too short then costs a question. So
// empty, synonym and suffix are conservative, the others generous. A word with "*" in a list is a pattern: "ne*", "*less"; what it takes
// in wrongly stands in a section "except." and the name. In scripts without spaces the words of a list are looked for anywhere.
//
// A value in "number" is a number, with "x" before it if it multiplies a smaller number before it (x100 hundred), with "+" behind it if what
// follows may be up to 19 (60+ soixante), or "&" for words that join two parts, "&100" behind a hundred or more, "&unit" a unit and
// the ten that follows (fünfundzwanzig), "&any" either. A word with a hyphen behind it is a number only together with others.
//
// # Limits
//
// Languages that are the only common ones of their script (Greek, Hebrew, Hangul, Thai and some others) are recognised by the script;
// everything else without a file is [Unknown]. A short sentence may be taken for a sibling of its language (Danish, Norwegian). Scripts without spaces are not segmented into words: they
// come as runs, of which callers take pairs of neighbouring characters.
package text
