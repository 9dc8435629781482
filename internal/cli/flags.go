package cli

// rename is a flag that had another name before the first release.
type rename struct {
	command, old, now string
	taken             bool // the old name still works; help doesn't list it
}

// renames lists the flags that were renamed, so that one name means one thing everywhere. It is removed at the first release.
func renames() []rename {
	return []rename{
		{"plan", "limit", "max", false},
		{"consolidate", "limit", "max", false},
		{"simulate", "limit", "max", false},
		{"config", "limit", "max", false},
		{"consolidate", "all", "until-done", true},
		{"recall", "reason", "answer", true},
		{"add", "force", "no-check", false},
		{"graph", "type", "kind", false},
		{"export", "to", "format", false},
		{"import", "from", "format", false},
		{"promote", "branch", "propose", false},
		{"context", "remove", "clear", false},
		{"demo", "keep", "keep-folder", false},
	}
}

// renamed is the rename of a command's flag; nil where there is none.
func renamed(cmd *command, old string) *rename {
	for _, r := range renames() {
		if cmd != nil && r.command == cmd.name && r.old == old {
			return &r
		}
	}
	return nil
}
