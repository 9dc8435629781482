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
// A [Runner] applies the rules: one run folds the reads of the access log into the
// records, plans and commits. [MakePlan] only plans.
//
// [MakeBlock] makes the context block for an agent, [GiveBlock] the one for a session of
// a host; what a block contains is package briefing's decision. An agent sees global
// memories, its team's and its own; a session its own notes; a project its own memories,
// if the workspace has any of that project. If nobody says who asks, memories of all
// teams, agents and projects count. Relevance to a question is the share of its words
// that a memory has, rare words counting more, times how well it ranks in recall. A
// memory that shares one word with a question of several is not relevant.
//
// How relevant a memory must be beside a prompt was measured on LoCoMo (development half,
// every eighth question, a memory per turn), each question also asked of a conversation
// that it isn't about:
//
//	context.min_relevance                .2    .3    .4    .5
//	an answering turn is given          49 %  34 %  17 %  12 %
//	anything of the wrong conversation  36 %  10 %   1 %   0 %
//
// Giving a memory writes a receipt and counts as no read. Beside a prompt nothing is
// given where there are many memories and no index of words yet; "memory recall" makes it.
//
// [DescribeAction], [ActionReason], [Changes] and [Totals] put into words what was done
// or would be done. Ids and texts of memories are in them as they are: who prints them
// on a terminal replaces control characters.
package app
