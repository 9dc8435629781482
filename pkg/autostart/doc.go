// Package autostart writes what makes a machine start a program when its person
// logs in, and end it gracefully: a systemd user unit, a launchd agent or a task of
// Windows' scheduler; and says by which commands it comes into force.
//
// Guarantees:
//
//   - The text depends on the [Unit] alone, so that writing it twice changes nothing.
//   - The program gets its arguments as they are, whatever characters are in them. What a
//     format has no way to write is refused: control characters and invalid UTF-8
//     everywhere, and on Windows what its scheduler would replace.
//   - Names come from the workspace's path: two workspaces never share a unit.
//   - What we wrote can be told from what others did ([Ours]).
//   - It is pure: files and commands are named, not touched.
//
// How arguments are written, and what undoes it:
//
//	systemd  "…" with \\ \" %% $$     quotes, then specifiers, then variables (systemd.service(5), "Command lines")
//	         the program without $$   its path is not searched for variables; one with \ " or ' in
//	                                  its path, which systemd refuses, is started by /bin/sh
//	launchd  XML text                 an element to an argument (launchd.plist(5))
//	windows  "…" with \" , \\ before " CommandLineToArgvW, in XML text, in UTF-16
//
// Limits: the environment of the shell is not taken along; settings belong in
// memory.toml. The unit files of systemd are made for version 240 (2018) and later.
// On Windows the end of the task kills the process, and a console window is shown.
package autostart
