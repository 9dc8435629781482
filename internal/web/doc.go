// Package web is the dashboard: what the commands do, in a browser.
//
// A [Server] answers for one workspace. It says nothing that the documents of
// --json don't say, and it writes in no other way than the commands: each
// change is a plan, committed as one transaction, logged and undoable.
//
// # Pages and shown plans
//
// Every page is HTML that works without scripts; scripts in static/ add the keyboard, live
// updates, charts and the graph. A plan that a page shows is kept by its run
// id ([plans]). Applying names that id and the actions that were ticked. What is
// applied is what was shown; a memory that has changed since is skipped and
// named.
//
// # Security
//
// The texts of memories are hostile, and a page of another site may give itself the
// name of this machine. So each request passes, in this order (guard.go; what each address takes: access.go and routes.go):
//
//   - its Host is ours: 127.0.0.1, [::1] or localhost with our port, or an allowed name; else 421
//   - Sec-Fetch-Site and Origin say that it comes from here, for all but the opening of "/"; else 403
//   - it has the cookie that the one-time key of the printed URL was traded for, or a
//     bearer token, for all but /healthz; else 401
//   - a POST has the form token that belongs to the cookie; and with ReadOnly there is no POST
//
// Each answer forbids scripts, styles and connections other than our own files. Texts
// are put into pages by html/template and by textContent only.
package web
