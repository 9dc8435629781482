// Package saving saves memories, for every surface: the command line, the MCP server, imports.
//
// [Save] saves one memory. It first looks for secrets and refuses the memory, or
// redacts it; nothing has been written by then. Then it compares the memory with the
// live ones of its kind: the same type, subtype, scope and author.
//
//	the new text, beside that of the other       what happens
//	says the same, but for harmless differences  nothing is written; the other gains tags, priority and a read
//	says all of it, and more                     the other one gets the new text; its record before is kept in ops/originals
//	says less                                    nothing is written
//	  … but the other is excluded or superseded  saved and flagged
//	says that it corrects it                     saved and flagged, as an update
//	over remember.flag_similarity                saved and flagged
//	else                                         saved
//
// Only the pair with the most similar memory is flagged as similar, beside those that the new one says it corrects: these are looked for
// among the 32 memories of its scope that the index of words finds, if its text has words of a correction. A consolidation treats similar
// ones as if there were no flag. All of it is one transaction: logged, undoable, and tried once more if the older memory has
// changed meanwhile. Archived and empty memories are not compared. Of many similar ones the 32 most similar are judged.
//
// A [Index] is for a process that saves often: once it has read the memories of a
// kind, a check takes microseconds at 100,000 memories.
package saving
