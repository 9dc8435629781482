// Package briefing picks the memories that an agent is given unasked, at the start of
// a session or with a prompt, and writes them as one text: the context block.
//
// Memories are picked until the budget is used up: first hot ones, by score; then colder ones,
// by their relevance to what is asked, or by tier and score if nothing is. With a prompt only
// relevant memories are picked, by relevance. Superseded and working memories, and those
// below the tier of the setting context.min_tier (warm), are never picked. A memory that is too long is shortened; if
// it doesn't fit even so, the next one is tried.
//
// A block says what it is: information about the past, and no instructions. It is written as
// XML, Markdown or JSON. Memories stand below their scope, the widest first; in each scope by
// type, what holds always before what happened, hot ones first, then by date of creation, then
// by id. So a block changes in few places from day to day, which lets hosts cache their prompts.
//
// XML and Markdown are for agents: of each memory they have the id, the day (of an episode when
// it was, of others when they were last written; as 20260227) and the text, which ends in …
// where it was shortened. With ids that memoryd makes, this frame costs on average at most 25 tokens a
// memory and 80 a block, with the headings of up to four scopes, by the estimate of package tokens. JSON is for programs: it has
// all that is known.
//
// # Guarantees
//
//   - A block is never longer than the token budget, by the estimate of package tokens, nor
//     than the allowed number of characters, counted as JavaScript does: whatever the memories
//     hold, and with the marks around it in a file. If no memory fits it is empty.
//   - It is well-formed, and no content ends it: what has a meaning in the format is escaped,
//     @path in files for agents included, and invisible characters (controls, directions, tags,
//     fillers) are left out. In XML the further lines of a memory begin with a blank; in Markdown each memory is one line.
//   - The same memories, scores and request give the same block. Its version is a hash of what
//     it says: while the version stays the same, so does the text in XML and Markdown.
//   - Memories that were left out are listed with the reason, the first 20 of them.
//
// Limits: how relevant a memory is, others say. What a memory says may be wrong, or meant to
// mislead: the block calls it information, not instruction, and its reader must keep to that.
package briefing
