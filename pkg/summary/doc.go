// Package summary shortens a long text to the sentences that say most of it.
//
// The summary is extractive: it consists of sentences of the text, verbatim and
// in the order of the text, so dates, numbers, identifiers, names and error
// messages can't come out wrong. They are sorted into what happened, the outcome
// and the key learnings, beside the names of who was involved.
//
// # How sentences are chosen
//
// The text is split into [Sentences], and these into terms (see [KeyTerms]).
// Chosen are the sentences that together cover the largest weight of terms and
// pairs of terms within the limit of characters: the concept model of Gillick and
// Favre ("A Scalable Global Model for Summarization", 2009), solved greedily with
// scaled costs as in Lin and Bilmes ("Multi-document Summarization via Budgeted
// Maximization of Submodular Functions", 2010). A sentence weighs more at the
// start of the text, under a heading or with a phrase that speaks of an outcome or
// a lesson ("we decided", "root cause"), and less when it is a fragment, a
// question or code. The sentence that most clearly states an outcome and the one
// that states a lesson are taken first.
//
// A guard counts how many of the key terms stay. If they are too few, they are
// given more weight; if that doesn't help, there is no summary.
//
// # Guarantees
//
// A summary is never longer than Options.MaxChars nor than half the text, and
// keeps Options.MinKeyTerms of the key terms; otherwise [Summarise] refuses. Every
// sentence in it, without the dates that [temporal.Annotate] writes beside relative
// ones, is a piece of the text. Headings lose their marks, list items their bullets.
// Equal input gives equal output. Any input is accepted, invalid UTF-8 included. The
// cost grows a little faster than the length: about 1.5 ms for 10,000 characters and
// 0.2 s for a million.
//
// # Limits
//
// Stop words, stems and cue phrases are English. In other languages function words
// count as terms, so the guard promises less there, and most sentences end up under
// what happened. A sentence keeps its words but not its neighbours: "it" may lose
// what it refers to. A turn of dialogue keeps its speaker only in its first
// sentence. Sentences of more than 1,000 characters (a text in one line, a log
// without line breaks) are quoted only where no summary is possible without them,
// in windows of about 200 characters cut at blanks and marked with "…".
package summary
