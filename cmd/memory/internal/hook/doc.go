// Package hook answers the hooks of coding agents' hosts: a program that the host
// starts at an event, with a JSON object on the standard input.
//
// A [Host] knows how a host names its events, where it says which session and
// project they are of, and what it takes for an answer. A [Call] is one event;
// [Call.Run] does what is to be done and returns the answer.
//
//	event          what is done
//	session start  the session is noted as open; what an earlier end left is settled;
//	               the agent is given the memories that matter
//	prompt         the agent is given memories that are relevant to it, none twice; where
//	               the cache that this needs isn't there, a process of its own makes it
//	session end    the end is spooled, and a process of its own settles it
//	stop, compaction, anything else: nothing
//
// Guarantees: the host is never failed or held up. Whatever goes wrong, a panic
// and a disk that hangs among it, the answer is the one that says nothing, in time
// (300 ms at a session's start and at a prompt, 200 ms else; what isn't ready then is
// not given), and a line in
// ops/hook.log says why. An answer holds no field that the host doesn't know. The
// end of a session is on disk before the settling process starts, so that one that
// dies is made good by the next; that process belongs to no group or session of
// the host's and outlives it. Where there is no workspace nothing is written.
//
// Limits: Cursor takes no text to a prompt, and Copilot none either. Codex tells of no
// end of a session: it is settled when it has been open for as long as the settings
// say, or by "memory session end". What is said in a
// session is not kept.
package hook
