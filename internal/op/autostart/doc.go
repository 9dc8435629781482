// Package autostart has the system run "memory watch" for a workspace whenever its person is logged in: by a systemd user unit, a launchd
// agent or a scheduled task of Windows. It writes the unit, brings it into force, and says what became of it. A file of that name that
// we did not write stays as it is.
package autostart
