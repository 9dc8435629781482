// Package printer writes the results of commands as text for people: plans, runs, memories, lists, reports. It takes documents and
// results as operations return them, reads no flags and decides nothing; where a command has another form, such as --json or the ids of
// --quiet, the [Printer] knows which is wanted.
package printer
