// Package simulate replays a span of time on a copy of a workspace: whatever the
// triggers would begin by themselves is run, at its time, by the code that runs it in
// earnest, on files.
//
// Guarantees: only the copy is touched. The same files, settings, reads and times give
// the same report. Times are those of the simulation: the clock plays no part.
//
// A run is left out only when nothing could come of it: nothing has changed since the
// last one that found nothing to do, and no age of anything has passed a limit since
// ([forecast.Next]).
//
// Limits: nobody writes a memory, answers a question or ends a session meanwhile. A
// failure ends the simulation, where a watcher would try again.
package simulate
