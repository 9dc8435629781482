// Package brief makes the blocks that agents are given out of a workspace: for the
// command, the hooks and the server of tools alike. What is given where is package
// briefing's decision; this package knows who may see what, what is relevant, and keeps
// the receipts.
//
// An agent sees what is everybody's, its team's and its own; a session its own notes; a
// project its own memories, where the workspace has any of that project. Where nobody
// says who asks, what is of teams, agents and projects counts as theirs.
//
// Relevance is the part of the question's words that a memory has, rare ones counting
// more, times how well it ranks among the hits of package recall. A memory that shares
// but one word with a question of several isn't relevant.
//
// How much of it is enough to give a memory beside a prompt, was measured with questions
// about long conversations (LoCoMo, development half, every eighth question; a memory
// per turn), each also asked of a conversation that it isn't about:
//
//	context.min_relevance                .2    .3    .4    .5
//	an answering turn is given          49 %  34 %  17 %  12 %
//	anything is given that isn't about  36 %  10 %   1 %   0 %
//
// Guarantees: nothing but receipts is written. Giving a memory is no read of it.
//
// Limits: beside a prompt nothing is given until there is an index of words, where memories
// are many; a command makes it ("memory recall", say).
package brief
