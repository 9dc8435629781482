// Package app is what the surfaces of the program share: the command line, the MCP
// server, the hooks and the watcher.
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
// teams and projects count, and those of agents where all are one agent's. Relevance to a
// question is the share of its words that a memory has, rare words counting more, times
// how well it ranks in recall; function words don't count. One word that is shared is
// enough if it tells what the question is about: no "use", no "fix". Beside a prompt
// memories count that matter less by one tier than those given unasked.
//
// How relevant a memory must be beside a prompt was measured on LoCoMo (development half,
// every eighth question, a memory per turn), each question also asked of a conversation
// that it isn't about:
//
//	context.min_relevance                .2    .3    .4    .5
//	an answering turn is given          49 %  34 %  17 %  12 %
//	anything of the wrong conversation  36 %  10 %   1 %   0 %
//
// Giving a memory writes a receipt. At the start of a session it counts as given, beside a
// prompt as read. Beside a prompt nothing is
// given where there are many memories and no index of words yet; "memory recall" makes it.
//
// [DescribeAction], [ActionReason], [Changes] and [Totals] put into words what was done
// or would be done. Ids and texts of memories are in them as they are: who prints them
// on a terminal replaces control characters.
package app
