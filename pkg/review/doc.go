// Package review is the review queue as a document: the pairs of memories that a person
// has to decide about, and the decisions that were made.
//
// Guarantees: what is put into a queue changes no other byte of it than it must: keys and
// elements of somebody else stay. Of two ids, in whichever order, no list holds more than
// one pair that was put there by [Patch]. [Take] takes back what a run has put, and that
// alone.
//
// Limits: a document that isn't valid JSON, or whose lists are something else, is refused.
// Whether the texts are still those that were flagged is for whoever has the memories.
package review
