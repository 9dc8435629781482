package cli

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	urfave "github.com/urfave/cli/v2"
)

// sameName are flags whose help differs between commands, though they mean the same: what it is of is said there.
var sameName = []string{
	"type", "scope", "tag", "limit", "max", "force", "format", "reason", "agent", "session", "model", "store", "content", "host", "by", "no-count",
	"require-model", "token-file", "consent-user", "all", "since", "until",
}

// One name is one kind of value with every command, and one help unless it says of what.
func TestFlagsMeanOneThing(t *testing.T) {
	type use struct{ command, kind, usage string }
	uses := map[string]use{}
	for _, cmd := range builtCommands() {
		for _, f := range cmd.flags {
			name := f.Names()[0]
			now := use{cmd.name, fmt.Sprintf("%T", f), f.(urfave.DocGenerationFlag).GetUsage()}
			before, met := uses[name]
			if met && before.kind != now.kind {
				t.Errorf("--%s is %s with %s, and %s with %s", name, before.kind, before.command, now.kind, now.command)
			}
			if met && before.usage != now.usage && !slices.Contains(sameName, name) {
				t.Errorf("--%s: %s says %q, %s says %q", name, before.command, before.usage, now.command, now.usage)
			}
			uses[name] = now
		}
	}
}

// No command takes a flag by the name that it had before, and each rename leads to a flag that is there.
func TestRenamedFlags(t *testing.T) {
	for _, r := range renames() {
		cmd := commands().find(r.command)
		if cmd == nil {
			t.Errorf("%s: no such command", r.command)
			continue
		}
		forms := flagForms(cmd.flags)
		if _, old := forms[r.old]; old {
			t.Errorf("%s declares --%s, which is now --%s", r.command, r.old, r.now)
		}
		if _, now := forms[r.now]; !now {
			t.Errorf("%s has no --%s", r.command, r.now)
		}
	}
	for _, cmd := range builtCommands() {
		forms := flagForms(cmd.flags)
		if _, to := forms["to"]; to && cmd.name != "promote" {
			t.Errorf("%s takes --to, which is a scope", cmd.name)
		}
	}
}

// What a command does to files: each is in one list. A command that writes shows with --dry-run what it would do; one that takes
// the lock of a workspace waits as --wait says.
func TestWritersTakeDryRunAndWait(t *testing.T) {
	reads := strings.Fields("recall plan status show list history clusters graph explain log forecast simulate schedule receipts model audit version help schema completion demo")
	serves := strings.Fields("serve watch hook mcp merge-file") // run by other programs, or until they are stopped
	elsewhere := strings.Fields("install uninstall service context export config sync login logout")
	applied := strings.Fields("adopt unadopt") // write with --apply only
	undone := strings.Fields("init check git") // have no --dry-run yet
	for _, cmd := range builtCommands() {
		forms := flagForms(cmd.flags)
		_, dry := forms["dry-run"]
		_, wait := forms["wait"]
		kinds := 0
		for _, list := range [][]string{reads, serves, elsewhere, applied, undone} {
			if slices.Contains(list, cmd.name) {
				kinds++
			}
		}
		if cmd.writes {
			kinds++
		}
		switch {
		case kinds != 1:
			t.Errorf("%s: say what it writes", cmd.name)
		case cmd.writes && !(dry && wait):
			t.Errorf("%s changes the workspace, but has no --dry-run and --wait", cmd.name)
		case slices.Contains(elsewhere, cmd.name) && !dry:
			t.Errorf("%s writes, but has no --dry-run", cmd.name)
		case slices.Contains([]string{"check", "git", "sync"}, cmd.name) && !wait:
			t.Errorf("%s takes the lock of a workspace, but has no --wait", cmd.name)
		case slices.Contains(reads, cmd.name) && (dry || wait):
			t.Errorf("%s writes nothing, but has --dry-run or --wait", cmd.name)
		}
	}
}

// Whoever has --since has --until.
func TestPeriodsAreWhole(t *testing.T) {
	for _, name := range strings.Fields("plan consolidate enrich recall list log history receipts") {
		forms := flagForms(commands().find(name).flags)
		for _, flag := range []string{"since", "until"} {
			if _, there := forms[flag]; !there {
				t.Errorf("%s has no --%s", name, flag)
			}
		}
	}
}
