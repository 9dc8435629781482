// Package audit reports on a store of notes that isn't a workspace, without importing it: files of JSON, JSON lines and Markdown,
// as agents keep them. Bytes in, report out; it reads and writes no file.
//
// A note is an element of a list of JSON, a line of JSON lines, a file of one JSON object, and in Markdown a paragraph or an item of
// a list with what is indented below it. Reported are, each with its place:
//
//   - duplicates: a note that says what an earlier one says, by the measure and threshold of the rule that merges
//   - contradictions: one that says nearly the same with another number, date, name or a negation
//   - stale notes: not touched for archive.idle_after, by the date that stands in the note, in front of its file, or of the file itself
//   - secrets, never shown
//   - sizes: files larger than what their host reads
//   - dead links: [text](file), [x]: file and [[note]] in Markdown, outside of code; ids in supersedes and the like, and references that
//     look like the ids of the store; relations of a graph whose ends are not entities
//   - orphans: lines of MEMORY.md that name no file, and notes next to or below it that none names
//   - repeats: lines of MEMORY.md that name the same file, or are the same
//   - invisible characters: of zero width, controls, controls of direction, tags, selectors, unless they stand where writing needs them:
//     joiners in Persian or Hindi and in emoji, marks of direction in lines that have letters from right to left
//
// Guarantees: pure and deterministic; nothing panics on any input; each of many equal notes is reported once, next to the nearest
// earlier one, so that the report and the time it takes grow with the store and not with its square.
//
// Limits: a link is known to be dead only as far as the files go that were given, and those that exists knows of; addresses of the web
// are not asked. The limits of hosts are those of Claude Code (MEMORY.md, CLAUDE.md) and Codex (AGENTS.md). Notes of fewer than
// four words are not compared: headings and names in lists are not duplicates.
package audit
