// Package answer answers a question from the memories that recall has found: with one sentence of theirs, or with a time.
//
// # Concept
//
// [FromText] is complete without a model. It takes the memories apart into sentences and gives the one that has most of the question's words, weighed
// by how rare they are among the memories, in a memory that recall ranks high. A question for a time ([AsksWhen]) is answered by the interval
// of the calendar that an expression of time in or next to such a sentence means (package temporal), counted from the day on which its memory was written.
// A memory that names no time answers with the day of its record, with less confidence.
//
// [Reason] asks a model. It is shown the sentences, numbered, with their times resolved, and answers in its own words, citing numbers.
//
// # Guarantees
//
// Every answer names its sources, each with a sentence that stands in the memory as it is. FromText is pure: the same memories, question
// and time give the same answer. What a model says stands only if all its facts, numbers and names stand in the sentences that it cites or
// in their resolved times (package guard); else, and when the model fails, the answer is that of FromText, and says so. Memories are data
// in the prompt, and nothing is written anywhere.
//
// # Limits
//
// One sentence and one interval: nothing is counted or compared over several memories without a model. At most [MaxHits] memories count.
// Languages in which questions for a time are known are those that package temporal reads. Confidence is a rank from 0 to 1, and no probability.
package answer
