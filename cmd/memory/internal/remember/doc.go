// Package remember saves a memory: it is what the command "add" and a server have in common.
//
// A draft is first searched for secrets, and refused or redacted; nothing has been written by then. Then it is held
// against the live memories of its kind, those of the same type, subtype, scope and author:
//
//	content alike                            what happens
//	more than remember.merge_similarity      it is merged into the other one, with tags, references and priority united
//	  … but one of the two is excluded, the  it is saved and flagged
//	  other superseded, or facts differ
//	remember.flag_similarity, or more        it is saved and flagged
//	less                                     it is saved
//
// Flagged is the pair with the most similar one only: it stands in the review queue with the reason "similar", where a
// person may decide about it. The next consolidation that covers the two does what its own rules say of them, as if the
// flag were not there; so a flag delays nothing.
//
// Guarantees: a merge loses no word. The older memory keeps its id and text, and gets what it lacks; a draft that says it
// in other words goes into the archive in full, superseded by the older. Whatever is done is one transaction: logged,
// undoable, and skipped when somebody changes the older one meanwhile; then it is tried once more.
//
// An [Index] is for a process that saves again and again: once it has read the memories of a kind, a check of one more of that
// kind takes microseconds at 100,000. Without one, the memories of the draft's kind are compared one by one.
//
// Limits: archived memories are not looked at, nor are those that say nothing. Of many that are alike, the 32 most similar
// ones are judged.
package remember
