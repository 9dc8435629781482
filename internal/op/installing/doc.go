// Package installing sets up the hosts of coding agents, such as Claude Code: it puts our hooks and MCP server into their settings, takes
// them out again, finds the hosts that a project uses, and checks that a set-up works.
//
// What is to be changed is decided first ([Install], [Uninstall]) and made by [Installation.Apply]. A record in the project, or in the
// person's directory of the host, says how files were before, so that uninstalling gives every byte back.
package installing
