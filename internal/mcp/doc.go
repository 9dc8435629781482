// Package mcp serves a workspace to agents by the Model Context Protocol, over the
// standard input and output: tools, the resource memory://ID, and prompts.
//
// One file holds one group of tools. A tool is a function from typed arguments to a
// typed result and the same as text for reading; the schemas of both follow from the
// types ([add]). What a tool does is done by the packages below, as for commands.
//
// Guarantees: on the output stands nothing but the protocol. A line that is no
// message is logged and, where it names a request, answered; the session goes on. So
// it does after a panic in a tool. What fails is the result of a tool, marked as an
// error, that says what to do. Requests run at the same time, over one store: who
// writes waits for the one who is writing. At the end of the input what has begun is
// finished and answered; when the process is asked to stop, too, but what waits is
// given up. No answer is longer than [maxChars] characters: what doesn't fit is cut,
// with the offset or cursor by which to go on.
//
// Reading tools, save, update and forget take the snapshot of before, with what the
// system tells to have changed since ([live.Changes], [workspace.FileStore.Reload]); where it
// can't tell, they load. On Linux they find whatever any program has written by the time
// of the call; on Windows what just finishes writing is found within moments. Not told is
// a change through a second hard link outside. What is written is held against the files
// again. What plans or reviews loads.
//
// The first search begins with the index of words that processes share ([recall.Searcher]),
// the first save of a kind with reading the memories of that kind ([saving.Index]).
//
// Limits: lines of more than [maxLine] bytes are passed over. A batch of messages is
// answered one by one. There are no subscriptions.
package mcp
