// Package summary shortens a long text to the sentences that say most of it: with
// sections for a memory ([Summarise]), or flat, in so many words ([Flat]).
//
// The summary is extractive: it consists of sentences of the text, verbatim and
// in the order of the text, so dates, numbers, identifiers, names and error
// messages can't come out wrong. [Summarise] sorts them into what happened, the
// outcome and the key learnings, next to the names of who was involved.
//
// # How sentences are chosen
//
// The text is split into [Sentences], and these by package text into terms (see [KeyTerms]).
// Chosen are the sentences that together cover the largest weight of terms, of
// pairs of terms and of facts within the limit: the concept model of Gillick and Favre
// ("A Scalable Global Model for Summarization", 2009) with coverage of facts as a second
// part of the objective, which is monotone and submodular and solved greedily with scaled
// costs as in Lin and Bilmes ("A Class of Submodular Functions for Document
// Summarization", 2011). Facts are numbers, identifiers, URLs, words in Latin letters
// amid another script, and names; all of them together weigh what five average sentences
// do, less if they are more than twelve, both in 700 characters and more in more room. What a sentence adds is multiplied
// by its prior: more at the start of the text and at the end of a dialogue or log,
// with words of the title, for an outcome or a lesson ("we decided", "root cause"), in a
// labelled paragraph ("Decision: …") and where a text says what it is for; less where a
// speaker speaks of himself, for half a thought, and for a line of code, of a log or of a
// journal (lines in a row that begin alike with a time) unless it tells of an error.
//
// Sentences are alike if they differ only in what contains a digit, or share with two others
// all words but at most three at one place. The first of them stands for all, and weighs the
// less the more they are; the last and others follow until half of the room is used. A text may be a routine: three of four of its sentences have next to no word of their
// own. There the others come first. Fragments without facts, questions and code are taken
// where they leave others no less room. Where entries of a list or a journal, or sentences
// that are alike, are left out, a mark says how many (see [Mark] and [MarkAlike]).
//
// Stop words, stems and the phrases that tell outcomes and lessons are those of the text's
// language as package text knows it. Where it isn't known, those of English are, and a
// word counts the less the more sentences have it.
//
// Summarise takes the sentence that most clearly states an outcome and the one that
// states a lesson first. A guard counts how many of the key terms stay. If they are
// too few, they are given more weight; if that doesn't help, there is no summary.
//
// # Evidence
//
// ROUGE-1 and ROUGE-2 (C.-Y. Lin, 2004; F1, per cent) of 100 words against summaries by people of
// 215 English documents: 97 parts of meeting minutes, 23 transcripts, 84 proposals, 11
// incident reports; and the share of the facts that must stay in summaries of 100 words of
// six episodes in German, Spanish, Russian, Arabic, Japanese and Chinese (42 facts; in 2,000
// characters 41 of them stay). The standard error of the three is .6, .5 and 7, and the difference between two rows of the
// first two tells something from about .3 on.
//
//	variant                                     ROUGE-1    ROUGE-2    facts
//	the first 100 words                            25.2        4.5
//	SumBasic                                       28.0        4.6
//	without coverage of facts and journals         32.6        7.9       48
//	as built                                       32.3        7.8       74
//
// The features of the prior were chosen without coverage of facts, on one half of the
// documents. Each made a difference of .1 to .6 (title words, the start of the text) on the
// whole. LexRank, swaps after the greedy choice and 31 features weighted by ridge regression
// made none.
//
// # Guarantees
//
// A summary is never longer than Options.MaxChars nor than half the text, and
// keeps Options.MinKeyTerms of the key terms; otherwise [Summarise] refuses. Flat
// never exceeds its words. Every sentence but the marks of cut lists, without the dates that
// [temporal.Annotate] writes next to relative ones, is a piece of the text with its
// line breaks turned into blanks. Headings lose their marks, list items their
// bullets. Equal input gives equal output. Any input is accepted, invalid UTF-8
// included. The cost grows a little faster than the length: about 1.5 ms for 10,000
// characters, and below half a second for a million of anything.
//
// # Limits
//
// Abbreviations, the names of section titles in plain text, and who was involved are
// read in English only, but for labels and speakers. A number word ("eleven minutes") is
// no fact, and in a script without capitals no name is. Of ten ports in ten sentences that are
// alike the first may stay alone; a mark and Summary.Facts say how many are lost. A sentence keeps its words but not its neighbours: "it" may lose
// what it refers to. A turn of dialogue keeps its speaker only in its first
// sentence. Sentences of more than 1,000 characters (a text in one line, a log
// without line breaks) are quoted only where no summary is possible without them,
// in windows of about 200 characters cut at blanks and marked with "…".
package summary
