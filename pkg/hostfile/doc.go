// Package hostfile puts hooks and the MCP server into the settings files of coding
// agents' hosts, and takes them out again. It works on bytes and knows no disk.
//
// A settings file is a JSON object. Its object "hooks" has to each event a list of
// entries. An entry is either a hook itself, an object with a command, or a group
// of them under its own key "hooks". MCP servers stand under a key of the host's, by
// name. Where the host keeps its servers in TOML, they are tables ([AddTable]).
//
// Guarantees: only entries that run "memory hook", and servers of our name that run
// "memory mcp", are changed, and only the bytes that must be: unknown keys, order,
// layout and literals of everything else stay. A server of our name that runs
// something else is somebody else's, and refused. Adding what is there changes
// nothing; removing what was added to a file gives back its bytes, as far as package
// jsonedit promises that; a TOML file that did not end with a line end ends with one
// then. A file that is not strict JSON (one with comments, say), or no TOML, is
// refused.
//
// Limits: lists and objects that are empty without our entries go with them.
package hostfile
