// Package foreign reads the memories of other tools into records, and writes memories as those tools have them. Bytes in, bytes
// out; it reads and writes no file.
//
//	format       a record is                                        written back for a memory that was not imported so
//	mcp          an entity, or a relation                           an entity named by the id, its text one observation
//	jsonl, json  a line; an element of an array, or the document    the complete record of the workspace
//	markdown     a file; front matter tells title, type, tags, …    the same
//	claude       a topic file, and MEMORY.md                        the same, and a line in MEMORY.md
//	memory-tool  a file                                             a file of its text
//
// Five more are read only: exports of mcp-memory-service, claude-mem, engram and beads, which are JSON whose members have places in a memory
// (see kinds.go), and notes of basic-memory, which are Markdown.
//
// A file is taken apart into records and the bytes in front of and behind each, so that all of them together are the file. A
// record's [Source] keeps these bytes, its own only where its content doesn't give them.
//
// Guarantees: what is read and written back is the same byte for byte while nothing was edited, including order, line ends, white
// space, number literals and unknown members. An edit changes the members it must (JSON) or the text below the front matter
// (text). What can't be converted is reported, each with its place. Ids are made of the format, the store's name, the file's name and
// what names the record there (an entity's name, a relation's ends, "id"; else its text), so that reading again gives the same. Names
// of written files are local. Nothing panics on any input; the time grows with the input and not with its square.
//
// Limits: text is UTF-8. Of JSON, objects and texts are records. Front matter is YAML of at most 16 KiB, read as far as texts and lists; the rest is
// kept. It isn't edited: changed tags, titles and summaries are reported instead. When records of a JSON document are missing, what was
// around those of one list is kept; around those of several lists it is left out, and that is reported.
package foreign
