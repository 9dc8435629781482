// Package accesslog is the two files that tell how memories are used, as texts: reads that
// the records don't count yet (ops/access.jsonl), and memories that agents were given unasked
// (ops/given.jsonl). Both have one JSON object a line.
//
// Guarantees: any text can be read. A line that is none, a torn one say, counts nothing and
// spoils no other; counts never go over. Of the lines of a memory that count for the same
// session, or for the same day, one counts, in whatever order they are and whoever has
// written them: so many writers need no lock. Lines may be appended by anybody at any time:
// what was appended to a text that is known can be told from it ([Since]).
//
// Limits: of several uses of a memory the number and the last time are kept, not each. That
// a session was counted is remembered for two days after it last read the memory, and for the
// latest 5,000 pairs of session and memory. A text that was not appended to but written again
// is another one.
package accesslog
