// Package hook answers the hooks of coding agents' hosts: programs that the host starts
// at an event, with a JSON object on the standard input.
//
// A [Host] describes how a host names its events, which fields tell the session and the
// project, and what it accepts as an answer. A [Call] is one event; [Call.Run] handles it
// and returns the answer.
//
//	event          what is done
//	session start  records the session as open; settles what an earlier session left;
//	               gives the agent the memories that matter
//	prompt         gives the agent relevant memories, none twice; if there is no index
//	               of words yet, a detached process makes it
//	session end    records the end, and a detached process settles it
//	stop, compaction, anything else: nothing
//
// Guarantees: the host is never failed or held up. Whatever goes wrong, even a panic or
// a disk that hangs, the answer is the empty one, in time: 700 ms at a session's start
// and at a prompt, 400 ms otherwise. What is not ready by then is not given, and a line
// in ops/hook.log says why. An answer has no field that the host doesn't know. The end of
// a session is on disk before the settling process starts, so that the next one makes up
// for one that dies; that process is in no group or session of the host's and outlives
// it. Without a workspace nothing is written.
//
// What a person has to mend, such as a broken memory.toml, is shown to them once a
// session, by hosts that have a line for that: Claude Code, Codex and Gemini CLI.
//
// Limits: Cursor accepts no text at a prompt. Codex before 0.145 reports no end of a
// session: it is settled when the next one starts. What is said in a session is not kept.
package hook
