// Package sessionfile reads what files of other tools say about sessions: which one, of
// which agent, whether it goes on or has ended, and when something was last done in it.
//
// Guarantees: any text can be read; what isn't understood says nothing. What is read
// shares no memory with the text. A record says no more than its file: what follows from
// it, and from a silence, is for whoever asks ([Record.Said]).
//
// Limits: members are known by their names, in snake_case or camelCase, and states by
// words of English. Of a time only what can be written again is read (package timestamp).
package sessionfile
