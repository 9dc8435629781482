package cli

import (
	urfave "github.com/urfave/cli/v2"

	"github.com/memoryd/memoryd/internal/op/edit"
	"github.com/memoryd/memoryd/pkg/foreign"
)

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

// Flags that several commands take.

func triggerFlag() urfave.Flag {
	return &urfave.StringFlag{Name: "trigger", Usage: "plan as `TRIGGER` would: manual, session_end, index_overflow, weekly, threshold or interval"}
}

// scopesFlag chooses memories; see [call.scopes].
func scopesFlag() urfave.Flag {
	return scopeFlag("only memories of `SCOPE`, such as agent:DEV-001; a kind alone, such as agent, means all of it")
}

func scopeFlag(usage string) urfave.Flag {
	return &urfave.StringFlag{Name: "scope", Usage: usage}
}

func typeFlag() urfave.Flag {
	return &urfave.StringFlag{Name: "type", Usage: "only what concerns memories of `TYPE`, which is a type or a subtype"}
}

func sinceFlag() urfave.Flag {
	return &urfave.StringFlag{Name: "since", Usage: "only what was written, changed or done since `TIME`, such as 2026-03-01, 30d or \"last friday\""}
}

func untilFlag() urfave.Flag {
	return &urfave.StringFlag{Name: "until", Usage: "only what was written, changed or done until `TIME`; a day counts whole"}
}

func limitFlag(usage string) urfave.Flag {
	return &urfave.IntFlag{Name: "limit", Usage: usage}
}

// maxFlag stands for the setting run.limit.
func maxFlag() urfave.Flag {
	return &urfave.IntFlag{Name: "max", Usage: "change at most `N` memories in a run"}
}

// pauseFlag stands for the setting run.pause.
func pauseFlag() urfave.Flag {
	return &urfave.StringFlag{Name: "pause", Usage: "wait `DURATION` between two updates of an index"}
}

func consentFlag() urfave.Flag {
	return &urfave.BoolFlag{Name: "consent-user", Usage: "memories written by USER may be changed too"}
}

func dryRunFlag() urfave.Flag {
	return &urfave.BoolFlag{Name: "dry-run", Usage: "show what would be done, and write nothing"}
}

func waitFlag() urfave.Flag {
	return &urfave.StringFlag{Name: "wait", Usage: "wait `DURATION` for another writer", DefaultText: "10s"}
}

func tagFlag() urfave.Flag {
	return &urfave.StringSliceFlag{Name: "tag", Usage: "only memories with `TAG`; repeat the option for several tags at once"}
}

func tierFlag() urfave.Flag {
	return &urfave.StringFlag{Name: "tier", Usage: "only memories of `TIER`: hot, warm, cold or archived (which is how much they matter, not where they lie)"}
}

func redactFlag() urfave.Flag {
	return &urfave.BoolFlag{Name: "redact", Usage: "replace secrets by the names of their kinds, instead of refusing them"}
}

func allowSecretFlag() urfave.Flag {
	return &urfave.BoolFlag{Name: "allow-secret", Usage: "write secrets as they are"}
}

func reasonFlag() urfave.Flag {
	return &urfave.StringFlag{Name: "reason", Usage: "keep `TEXT` with it"}
}

func formatFlag(name, usage string, formats []foreign.Format) urfave.Flag {
	return &urfave.StringFlag{Name: name, Usage: usage + ": " + orList(formatWords(formats))}
}

// Flags that say of a memory what [edit.Extras] holds.

func aliasFlag() urfave.Flag {
	return &urfave.StringSliceFlag{Name: "alias", Usage: "`WORDS` by which somebody would search for it and which it does not say; may be repeated"}
}

func ttlFlag() urfave.Flag {
	return &urfave.StringFlag{Name: "ttl", Usage: "how long it is of use, `SPAN`: such as 30d or PT4H, a date, or permanent"}
}

func reviewOnFlag() urfave.Flag {
	return &urfave.StringFlag{Name: "review-on", Usage: "look at it again on `DATE`: a date, a span from now such as 90d, or words; status lists what is due"}
}

func supersedesFlag() urfave.Flag {
	return &urfave.StringSliceFlag{Name: "supersedes", Usage: "it replaces the live memory `ID`, which points to it from then on; may be repeated"}
}

func pinFlag() urfave.Flag {
	return &urfave.BoolFlag{Name: "pin", Usage: "pin it, as \"memory pin\" does"}
}

// extrasOf reads these flags.
func extrasOf(flags *urfave.Context) edit.Extras {
	return edit.Extras{
		Aliases: flags.StringSlice("alias"), TTL: flags.String("ttl"), ReviewOn: flags.String("review-on"), Supersedes: flags.StringSlice("supersedes"), Pin: flags.Bool("pin"),
	}
}
