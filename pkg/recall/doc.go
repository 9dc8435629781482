// Package recall finds the memories that answer a question, the best first.
//
// # Concept
//
// Documents, one for each memory, stand in an Index; a Query gets hits with a score,
// which is the sum of its parts. Words are the ground: BM25 over title, summary,
// tags and content, stemmed. Around them stands what makes memories different from
// documents:
//
//	words        Σ idf(t) · f/(f + k1) · (k1 + 1) over the words of the query, where f is how often a memory has the word, weighted by
//	             field and normalised by the field's length (BM25F)
//	neighbours   the same with f + .3 f(one before, one behind) + .1 f(two before, two behind) in the session, less words: what answers
//	             a question need not repeat its words
//	session      BM25 of the session as a whole, × .3. Words that a quarter of all memories have count for neither
//	people       4 · (1 − share) for who is named and speaks or takes part, in that share of all memories; names count less as words
//	time         2 · idf of the memories created or updated in the time that the query names ("last week"), as if that were a word; a
//	             quarter of it where the time isn't over. Words for a relative time are not searched for
//	related      words that the five best hits have more than others do (RM3), as far as the hits are long: × length/(length + 200)
//	meaning      8 · what an embedding provider says, if there is one
//
// The rest are shares of the sum of these, the relevance, so that they decide among
// what is about as relevant:
//
//	recency      .05 / (1 + age/30 days)
//	priority     .1 for critical, .05 for high, −.05 for low
//	reads        .05 · log(1 + reads)/log(101), at most .05
//	retention    .2 · what the caller says that the memory still matters
//
// What is superseded, by a link or since the texts of two of the best hits say so
// (package supersession), stands behind what holds: the successor inherits its
// score where that is higher, and it loses half of its own for every step.
//
// # Evidence
//
// Recall of evidence within the first ten, on conversations (LoCoMo: 2,545 turns, 835
// questions) in two halves of the questions by a hash, tuned on the first; and on 20
// questions with whole sessions as memories (LongMemEval), too few to tell .05:
//
//	                        recall@10       nDCG@10         sessions        multi-hop       LME nDCG, hit@5, all@5
//	as it is                .797   .784     .613   .597     .937   .927     .461   .418     .866  1.00  .90
//	plain BM25 (.9, .4)     .612   .634     .481   .493     .915   .911     .304   .295     .838   .95  .80
//	without neighbours      .739   .719     .577   .562     .928   .926     .427   .389
//	   those two away       .784   .767     .604   .585     .937   .930     .459   .432
//	   of common words too  .796   .784     .611   .598     .934   .933     .452   .418
//	without session         .766   .777     .595   .593     .929   .926     .464   .432
//	without people          .763   .765     .573   .571     .928   .926     .396   .374
//	   names as words too   .778   .783     .599   .598     .935   .930     .439   .430
//	without time            .781   .768     .601   .585     .929   .919     .452   .418
//	without recency         .796   .787     .612   .599     .937   .928     .452   .418
//	   twice as much        .794   .781     .610   .594     .936   .925     .461   .427
//	without related words   .797   .784     .613   .597     .937   .927     .461   .418     .837   .95  .80
//	   of short hits too    .791   .782     .618   .610     .929   .930     .459   .428     .856  1.00  .90
//	k1 = .9 instead of .6   .789   .779     .608   .593     .938   .926     .461   .424     .875  1.00  .90
//	b = .75 instead of .3   .788   .778     .602   .594     .934   .928     .443   .421     .855  1.00  .90
//
// (go test -run xxx -bench Ablation ./pkg/recall.) Recency is worth nothing there,
// where old turns are asked for as often as new ones; it is kept because of two
// values of one thing the newer mostly holds. Of 521 questions for a value that
// changed, no old value comes first (plain BM25: 49 %; recency alone: 8 %), and the
// new one in 97 %. Tried and left out, since they gained nothing on either half:
// feedback as strong for short hits (multi-hop −.03), passages of long memories as
// documents of their own, a discount for further hits of one session, matching
// longer words with a common beginning, what the user says weighted above what the
// assistant answers.
//
// # The index
//
// The base is flat bytes, as AppendBinary writes them: sorted names, postings as
// varints (the distance to the next document, its lowest bit telling whether the
// word stands there but once), a column for each thing known of documents, ended by a
// CRC-32C. Open reads them where they lie, from a mapped file for instance. The delta
// above holds what was added, in the same numbering; what was removed is marked.
// An index that was only added to is all delta.
//
// # Guarantees
//
// The same documents give the same hits, scores and bytes, however the index came
// about. Nothing is read from disk, clock or network, and texts are not kept. No
// query is a syntax error; no text of a memory or a query and no bytes make anything
// panic; forged bytes with a right checksum give wrong answers, and nothing worse.
// Searching from several goroutines at once is safe.
//
// # Limits
//
// English stems and function words; other languages are matched by whole words,
// scripts without spaces by pairs of characters. Irregular forms ("chose") are not
// "choose". Of a query the first 16 KiB are read, and of its first 192 known words
// the 48 rarest count; of a field, 65,535 words count for its length. A word is
// counted up to 16,383 times in a content, 63 times in the other fields. An index is
// smaller than 4 GiB. Texts are judged for updates up to 1,000 bytes and among the
// ten best. Times are those of the memory, not those that it speaks of.
package recall
