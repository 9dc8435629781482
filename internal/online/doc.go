// Package online is the client of a hub: it keeps which projects of a person have their memory there, and asks the hub.
//
// What is kept lies below the person's directory of settings, not in the project: who clones a repository must not be led to a server
// by what somebody else committed. [Notes] name the hub of a project; the token of a hub is a file of its own that nobody else may read.
//
// Guarantees: a token goes to the hub it is for and nowhere else (TLS, or within the machine; no redirects), and is in no error. A
// request ends when its context does. Nothing is kept for later: what the hub didn't answer has not happened.
package online
