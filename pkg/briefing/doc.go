// Package briefing picks the memories that an agent is given unasked, at the start of
// a session or beside a prompt, and writes them as one text: the context block.
//
// Memories are picked until the budget is used up: first hot ones, by score; then colder ones,
// by their relevance to what is asked, or by tier and score if nothing is. Beside a prompt only
// relevant memories are picked, by relevance. Superseded and working memories, and those
// below the tier of the setting context.min_tier (warm), are never picked. A memory that is too long is shortened; if
// it doesn't fit even so, the next one is tried.
//
// A block says what it is: facts that were noted before, given as information. It is written
// as XML (the sections of subcog's session context), Markdown or JSON. Memories are grouped by
// type, and those that replace several or were summarised form a group of their own; in each
// group hot ones come first, then by date of creation, then by id. So a block changes in few
// places from day to day, which lets hosts cache their prompts.
//
// # Guarantees
//
//   - A block is never longer than the token budget, by the estimate of package tokens, nor
//     than the allowed number of characters, counted as JavaScript does: whatever the memories
//     hold, and with the marks around it in a file. If no memory fits it is empty.
//   - It is well-formed, and no content ends it: what has a meaning in the format is escaped,
//     @path in files for agents included, and invisible characters (controls, directions, tags,
//     fillers) are left out. In Markdown each memory is one line.
//   - The same memories, scores and request give the same block. Its version is a hash of what
//     it says, without scores, sizes and the time it was made: while the version stays the same,
//     there is nothing new to learn from it.
//   - Memories that were left out are listed with the reason, the first 20 of them.
//
// Limits: how relevant a memory is, others say. What a memory says may be wrong, or meant to
// mislead: the block calls it information, not instruction, and its reader must keep to that.
package briefing
