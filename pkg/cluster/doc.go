// Package cluster finds groups of related memories: those of one scope that are about one subject. It is pure.
//
// # Concept
//
// An [Item] is what a memory says, and by what it may be tied to others: its tags, the memories that it links to, and the identifiers and paths
// that it names. Two items are a candidate pair if they have such a tie in common, one that no more than [Options.Shared] items have, or if [Options.Near] names them.
//
// Their likeness is the cosine of the tf-idf vectors of their words: the weight of a stem is (1 + ln tf) · ln(1 + N/df), tf being how often it
// stands in the text, df in how many of N texts, N being 50 at least; stems in more than a tenth of the texts count for nothing (but see [Options.Common]). G. Salton,
// C. Buckley: "Term-weighting approaches in automatic text retrieval", 1988.
//
// Groups are made bottom up by average linkage: the two groups with the greatest mean likeness of their members are joined, as long as that is
// at least [Options.Threshold] and the group stays within [Options.Max] (R. Sokal, C. Michener: "A statistical method for evaluating systematic
// relationships", 1958). Only groups with a candidate pair between them are compared. A group is a cluster if it has [Options.Min] members and
// two thirds of them have a tie or a stem in common: that says what it is about.
//
// [Match] lets clusters keep their names while they grow and shrink.
//
// # Guarantees
//
// The answer does not depend on the order of the items; equals are decided by ids. No item is in two clusters. Nothing panics on any input. The
// cost grows with the number of pairs that share a stem: 10,000 notes take seconds.
//
// # Limits
//
// Words are cut and stemmed as those of each text's language are (package text); the same subject in two languages makes no pair. Items without
// ties that are near to none are in no cluster, however alike.
package cluster
