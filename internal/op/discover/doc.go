// Package discover finds the workspace to work in, or the hub that a project uses, opens it and reads its settings: for commands, hooks
// and servers alike.
package discover
