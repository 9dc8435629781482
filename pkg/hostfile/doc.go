// Package hostfile puts hooks into the settings files of coding agents' hosts, and
// takes them out again. It works on bytes and knows no disk.
//
// A settings file is a JSON object with an object "hooks": to each event a list of
// entries. An entry is either a hook itself, an object with a command, or a group
// of them under its own key "hooks".
//
// Guarantees: only entries that run "memory hook" are changed, and only the bytes
// that must be: unknown keys, order, layout and literals of everything else stay.
// Adding what is there changes nothing; removing what was added to a file gives
// back its bytes, as far as package jsonedit promises that. A file that is not
// strict JSON (one with comments, say) is refused.
//
// Limits: it doesn't know settings in TOML.
package hostfile
