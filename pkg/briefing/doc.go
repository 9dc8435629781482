// Package briefing picks the memories that an agent is given unasked, at the start of
// a session or beside a prompt, and writes them as one block of text.
//
// Picked are, as long as there is room: first hot memories, by score; then warm ones,
// by their relevance to what is asked, by score where nothing is. Beside a prompt only
// relevant ones are picked, by relevance. Superseded memories, and memories of the tiers
// cold and archived, are none of them, nor are working ones. A memory that is too long
// is shortened; one that doesn't fit even so makes room for the next.
//
// A block says what it is: facts that were noted before, given as information. Its
// form is XML (the sections of subcog's session context), Markdown or JSON. In it,
// memories stand in groups by type, what stands for several or was summarised in one of
// its own; in each the hot before the warm, then by date of creation, then by id. So a
// block changes in few places from day to day, which caches of prompts like.
//
// # Guarantees
//
//   - A block is never longer than the token budget, by the estimate of package tokens,
//     nor than the characters that are allowed, as JavaScript counts them; whatever the
//     memories hold, and with the marks that stand around it in a file. Where not even one memory fits it is empty.
//   - It is well-formed, and no content ends it: what has a meaning in the form is
//     escaped, @path in files for agents among it, and characters that can't be seen (controls,
//     directions, tags, fillers) are left out. In Markdown each memory is one line.
//   - The same memories, scores and request give the same block. Its version is a hash
//     of what it says, but for scores, sizes and the time it was made: while it stays,
//     nothing an agent could learn has changed.
//   - What was cut is told, and why.
//
// Limits: how relevant a memory is, others say. What a memory says may still be wrong,
// or meant to mislead: the block calls it information, not instruction, and whoever reads
// it must keep to that.
package briefing
