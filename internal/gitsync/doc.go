// Package gitsync keeps a workspace in step with others through git.
//
// Git itself is run, with hooks off, with no question asked, and with "--" before what is no option. Nothing is forced and no commit is
// rewritten. What both sides changed is merged by package merge, which git calls as its merge driver; [Sync] merges by it too where git
// can't, as where one side archived what the other edited.
//
// Limits: the workspace has to lie in a work tree with a branch checked out. Only files of the workspace are committed; what else is
// staged stays so.
package gitsync
