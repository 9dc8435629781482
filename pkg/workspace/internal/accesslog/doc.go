// Package accesslog is ops/access.jsonl as a text: reads of memories that their records
// don't count yet, one JSON object a line.
//
// Guarantees: any text can be read. A line that is none, a torn one say, counts nothing and
// spoils no other; counts never go over. Lines may be appended by anybody at any time: what
// was appended to a text that is known can be told from it ([Since]).
//
// Limits: of several reads of a memory the number and the last time are kept, not each. A
// text that was not appended to but written anew is another one.
package accesslog
