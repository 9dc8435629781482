// Package app is what the surfaces of the program share: the command line, the MCP
// server, the hooks and the watcher.
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
