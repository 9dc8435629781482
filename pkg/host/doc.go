// Package host writes what other programs need to know about memory: entries in the
// settings files of coding agents' hosts, blocks in text files, and units that start
// the watcher when a person logs in. It works on bytes and touches no disk; the
// command line reads and writes the files and runs the commands.
//
// # Settings files ([AddSettings], [RemoveSettings], [AddTable], [RemoveTable])
//
// A settings file is a JSON object. Its object "hooks" has a list of entries for each
// event. An entry is either a hook itself, an object with a command, or a group of
// hooks under its own key "hooks". MCP servers stand by name under a key of the host's
// choice, or in TOML as tables.
//
// Only entries that run "memory hook", and servers of our name that run "memory mcp",
// are changed, and only the bytes that must be: unknown keys, order, layout and
// literals of everything else stay. A server of our name that runs something else
// belongs to somebody else and is refused. Adding what is there changes nothing.
// Removing what was added gives the file's bytes back, as far as package jsonedit
// promises that; a TOML file without a line end at its end gets one. Comments and
// commas behind the last item stay; where a comment would be lost, in an empty object,
// the file is refused, and so is one that is not JSON but for them, or not TOML. Lists
// and objects that are empty without our entries are removed with them.
//
// # Ignore files ([AddIgnore], [RemoveIgnore])
//
// A pattern of ours stands below a comment of ours.
//
// # Blocks ([PutBlock])
//
// A block is the part of a text file, such as CLAUDE.md, that memory keeps up to date.
// No byte outside of it is changed.
//
// # Units ([Format.Text])
//
// A unit is a systemd user unit, a launchd agent or a task of the Windows scheduler.
// Its text depends on the [Unit] alone, so writing it twice changes nothing. Its name
// depends on the workspace's path, so two workspaces never share one. The program gets
// its arguments unchanged, whatever characters are in them. What a format cannot hold
// is refused: control characters and invalid UTF-8 everywhere, and variables of the
// scheduler on Windows. [IsOurUnit] recognises what this package wrote.
//
// How arguments are quoted, and what undoes it:
//
//	systemd  "…" with \\ \" %% $$     quotes, specifiers, variables (systemd.service(5), "Command lines")
//	         the program without $$   its path is not searched for variables; /bin/sh starts one
//	                                  with \ " or ' in its path, which systemd refuses
//	launchd  XML text                 one element per argument (launchd.plist(5))
//	windows  "…" with \" , \\ before " CommandLineToArgvW, in XML text, in UTF-16
//
// The environment of the shell is not passed on; settings belong in memory.toml. The
// systemd units need version 240 (2018) or later. On Windows the end of the task kills
// the process, and a console window is shown.
package host
