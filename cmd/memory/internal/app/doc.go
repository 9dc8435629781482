// Package app is what the surfaces of the program share: the command line, the MCP
// server, the hooks and the watcher.
//
// [Save] saves one memory. It first looks for secrets and refuses the memory, or
// redacts it; nothing has been written by then. Then it compares the memory with the
// live ones of its kind: the same type, subtype, scope and author.
//
//	similarity of the contents               what happens
//	over remember.merge_similarity           merged into the other one; tags, references and priority united
//	  … but one of the two is excluded, the  saved and flagged
//	  other superseded, or facts differ
//	over remember.flag_similarity            saved and flagged
//	less                                     saved
//
// Only the pair with the most similar memory is flagged: it is in the review queue with
// the reason "similar" until a person decides. A consolidation treats the two as if
// there were no flag. A merge loses no word: the older memory keeps its id and text and
// gets what it lacks; a memory with other words is archived in full, superseded by the
// older one. All of it is one transaction: logged, undoable, and tried once more if the
// older memory has changed meanwhile. Archived and empty memories are not compared. Of
// many similar ones the 32 most similar are judged.
//
// A [SaveIndex] is for a process that saves often: once it has read the memories of a
// kind, a check takes microseconds at 100,000 memories.
//
// [Import] plans to take over the records of a foreign store.
//
// [DescribeAction], [ActionReason], [Changes] and [Totals] put into words what was done
// or would be done. Ids and texts of memories are in them as they are: who prints them
// on a terminal replaces control characters.
package app
