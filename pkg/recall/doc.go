// Package recall finds the memories that answer a question, the best first.
//
// # Concept
//
// An index has a document for each memory. A query gets hits with a score, which is the sum
// of its parts. The first part is BM25 over the words of title, summary, tags, content and, half as much, its
// variants and aliases, stemmed, irregular forms too ("bought" is "buy"). The others are what makes memories
// different from documents:
//
//	words        Σ idf(t) · f/(f + k1) · (k1 + 1) over the words of the query, where f is how often a memory has the word, weighted by
//	             field and normalised by the field's length (BM25F)
//	like         the same for terms that are like a word of the query which the index doesn't have, or which is of a language without a stemmer
//	             here: other endings, a part of a compound or of an identifier, one letter wrong (variant.go), × .35 to .8, half of that in English
//	neighbours   the same with f + .3 f(one before, one behind) + .1 f(two before, two behind) in the session, less words: what answers
//	             a question need not repeat its words
//	session      BM25 of the session as a whole, × .3. Words that a quarter of all memories have count for neither
//	people       4 · (1 − share) for who is named and speaks or takes part, in that share of all memories; names count less as words
//	title        2 · (Σ idf(t) + idf of such memories) for one that has the terms of the query, no others, as its title; without a title, as its summary
//	time         2 · idf of the memories created or updated in the time that the query names ("last week"), as if that were a word; a
//	             quarter of it where the time isn't over. Words for a relative time are not searched for
//	related      words that the five best hits have more than others do (RM3), as far as the hits are long: × length/(length + 200)
//	meaning      MeaningWeight · standard deviations by which a provider of embeddings puts a memory nearer than most (from 1 to 6), half of that for
//	             those next to it in its session
//
// The rest are shares of the sum of these, the relevance, so that they decide among
// memories that are about as relevant:
//
//	recency      .05 / (1 + age/30 days)
//	priority     .1 for critical, .05 for high, −.05 for low
//	reads        .05 · log(1 + reads)/log(101), at most .05
//	retention    .2 · what the caller says that the memory still matters
//
// A superseded memory, by what records, a link or a person's decision say, comes after its
// successor: that inherits its score where it is higher, and it loses half of its own for
// every step. A pair about which nobody has decided, because it waits in review or because
// the texts of two of the best hits look so (package supersession), is put in the same
// order; the older one is marked and loses nothing.
//
// A [Searcher] takes a query in several phrasings and fuses the ranks (fuse.go).
//
// # Evidence
//
// Recall of evidence within the first ten, on conversations (LoCoMo: 2,545 turns, 835
// questions) in two halves of the questions by a hash, tuned on the first; and on 20
// questions with whole sessions as memories (LongMemEval), too few to tell .05:
//
//	                        recall@10       nDCG@10         sessions        multi-hop       LME nDCG, hit@5, all@5
//	as it is                .805   .792     .623   .606     .939   .930     .470   .429     .882  1.00  .90
//	plain BM25 (.9, .4)     .627   .644     .496   .504     .922   .908     .308   .313     .828  .95  .85
//	without irregular forms .797   .784     .613   .597     .937   .927     .461   .418     .866  1.00  .90
//	without neighbours      .754   .730     .591   .572     .927   .929     .431   .402     .882  1.00  .90
//	   those two away       .797   .777     .616   .595     .941   .933     .467   .443     .882  1.00  .90
//	   of common words too  .805   .791     .621   .606     .937   .935     .470   .425     .882  1.00  .90
//	without session         .784   .781     .608   .600     .936   .924     .473   .424     .882  1.00  .90
//	without people          .775   .774     .586   .580     .929   .927     .410   .389     .882  1.00  .90
//	   names as words too   .794   .788     .614   .608     .933   .932     .453   .445     .882  1.00  .90
//	without time            .791   .780     .612   .596     .932   .922     .461   .429     .882  1.00  .90
//	without recency         .806   .792     .623   .608     .942   .930     .458   .429     .882  1.00  .90
//	   twice as much        .804   .787     .621   .602     .938   .928     .470   .433     .881  1.00  .90
//	without related words   .803   .792     .622   .606     .939   .930     .470   .429     .836  .95  .85
//	   of short hits too    .807   .785     .635   .613     .933   .929     .472   .438     .872  1.00  .90
//	k1 = .9 instead of .6   .804   .780     .617   .600     .940   .928     .466   .431     .884  1.00  .90
//	b = .75 instead of .3   .796   .781     .617   .602     .936   .931     .453   .428     .862  1.00  .90
//
// Words like those of the query change English little: .805 .792, .622 .606, .939 .931, .470 .429, .882 1.00 .90 with them. In 19 other languages they
// find 92 of 92 (inflected, parts, misspelled) where words alone find 58.
//
// (go test -run xxx -bench Ablation ./pkg/recall.) Recency is worth nothing there,
// where old turns are asked for as often as new ones; it is kept because of two
// values of one thing the newer mostly holds. Of 521 questions for a value that
// changed, no old value comes first (plain BM25: 49 %; recency alone: 8 %), and the
// new one in 98 %. Tried and left out, since they gained nothing on either half:
// feedback as strong for short hits (multi-hop −.03), passages of long memories as
// documents of their own, a discount for further hits of one session, matching
// longer words with a common beginning, what the user says weighted above what the
// assistant answers.
//
// # The index
//
// An [Index] has the documents by number, the numbers by id, and for each term its postings: which
// documents have it, and how often in each field. It is plain data in memory. Documents are
// added and removed one by one; a removed one keeps its number until the index is encoded.
//
// A [Searcher] is such an index of all memories of a snapshot, and which memory each document
// is. It is updated by comparing memories with what their documents were made of, by checksum
// and scope: texts are only read of memories that differ. A server updates it from snapshot to
// snapshot; a command reads it from the cache of the workspace, updates it, and writes it again
// when that is worth it.
//
// The encoded index is one stream with a checksum. Decoding takes time for each document and
// each term; the postings of a term are decoded when a query has it.
//
// # Guarantees
//
// The same documents give the same hits, scores and bytes, however the index came
// about. Nothing is read from disk, clock or network but through the [Cache] of a Searcher,
// and texts are not kept. No query is a syntax error; no text of a memory or a query and no
// bytes make anything panic; forged bytes with a right checksum give wrong answers, and
// nothing worse. Searching from several goroutines at once is safe.
//
// # Limits
//
// English stems and function words; other languages are matched by whole words,
// scripts without spaces by pairs of characters. Of a query the first 16 KiB are read,
// and of its first 192 known words the 48 rarest count; of a field, 65,535 words count
// for its length. A title of more than 64 words is not looked for as a whole. A word is
// counted up to 16,383 times in a content, 63 times in the other fields. A saved index is read
// up to 1 GiB. Texts are judged for updates up to 1,000 bytes and among the ten
// best. Times are those of the memory, not those that it speaks of.
package recall
