// Package account puts into words what was done and what would be done, for all
// who tell of it: commands and the MCP server.
//
// Guarantees: the texts are the same wherever they stand. Nothing is read or
// written.
//
// Limits: ids and texts of memories stand in them as they are; whoever prints them
// on a terminal sees to control characters.
package account
