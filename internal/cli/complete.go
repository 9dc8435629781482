package cli

import (
	_ "embed" // for the scripts
	"slices"
	"sort"
	"strings"

	urfave "github.com/urfave/cli/v2"

	"github.com/memoryd/memoryd/internal/op/record"
	"github.com/memoryd/memoryd/internal/op/reviewing"
	"github.com/memoryd/memoryd/pkg/memory"
)

// completeWord is the hidden command behind the completion scripts. Behind it
// stand the words of the line, the last being the one to complete.
const completeWord = "__complete"

// complete prints what the last word may become, one candidate to a line. It
// never fails: a shell waits for it.
func (c *call) complete(words []string) error {
	if len(words) == 0 {
		return nil
	}
	word, before := words[len(words)-1], words[:len(words)-1]
	for _, candidate := range candidates(c, before, word) {
		if strings.HasPrefix(candidate, word) && !strings.ContainsAny(candidate, "\n\r") {
			c.Printf("%s\n", candidate)
		}
	}
	return nil
}

func candidates(c *call, before []string, word string) []string {
	l, err := parseLine(before, c.program)
	wants := valueFlag(err, before)
	if err != nil && wants == "" {
		return nil
	}
	cmd := l.command
	if wants == "" && cmd == nil && !strings.HasPrefix(word, "-") {
		return c.program.commands.names()
	}
	flags := c.program.flags()
	if cmd != nil {
		flags = append(flags, cmd.flags...)
	}
	head := "" // what of the word stands before the value
	if wants == "" && strings.HasPrefix(word, "-") {
		flag, _, given := strings.Cut(word, "=")
		if !given {
			return flagNames(flags)
		}
		wants, head = strings.TrimLeft(flag, "-"), flag+"="
	}
	if cmd == nil {
		return nil
	}
	c.cmd, c.Quiet, c.Text, c.at = cmd, true, true, clock()
	values := slices.Clone(values(c, l, cmd, wants))
	for i := range values {
		values[i] = head + values[i]
	}
	return values
}

// valueFlag is the flag at the end of the words that still lacks its value.
func valueFlag(err error, before []string) string {
	if err == nil || len(before) == 0 {
		return ""
	}
	last := before[len(before)-1]
	if !strings.HasPrefix(last, "-") || !strings.HasSuffix(err.Error(), "needs a value") {
		return ""
	}
	return strings.TrimLeft(last, "-")
}

// values lists what the value of a flag, or an argument, may be.
func values(c *call, l line, cmd *command, flag string) []string {
	for _, f := range l.flags {
		if dir, ok := strings.CutPrefix(f, "--workspace="); ok {
			c.Env = append(slices.Clone(c.Env), "MEMORY_WORKSPACE="+dir)
		}
	}
	if list, ok := choiceOf(cmd, flag); ok {
		return list.options
	}
	c.args = l.args
	switch flag {
	case "":
		if cmd.words == nil || cmd.most >= 0 && len(l.args) >= cmd.most {
			return nil
		}
		return cmd.words(c)
	case "type":
		return record.Types
	case "scope":
		return scopeNames(c)
	case "to": // of a promotion
		return widerScopes(c)
	case "tag", "add", "remove":
		return tags(c)
	case "group":
		return groupIDs(c)
	case "at-run":
		return runIDs(c)
	}
	return nil
}

func flagNames(flags []urfave.Flag) (names []string) {
	for _, f := range flags {
		names = append(names, "--"+f.Names()[0])
	}
	return append(names, "--help")
}

func scopeNames(c *call) []string {
	return gather(c, func(m *memory.Memory) []string { return []string{m.Scope.String()} })
}

// widerScopes are the scopes to which a memory may be promoted.
func widerScopes(c *call) []string {
	wider := []string{memory.Global.String()}
	for _, s := range scopeNames(c) {
		if strings.HasPrefix(s, "team:") {
			wider = append(wider, s)
		}
	}
	return wider
}

// groupIDs are the groups of pairs that wait for a decision.
func groupIDs(c *call) (ids []string) {
	if _, snap, err := c.load(); err == nil {
		for _, g := range reviewing.Groups(snap, snap.Open()) {
			ids = append(ids, g.ID)
		}
	}
	return ids
}

func tags(c *call) []string {
	return gather(c, func(m *memory.Memory) []string { return m.Tags })
}

// gather lists, sorted and once each, what the live memories have.
func gather(c *call, of func(*memory.Memory) []string) (all []string) {
	_, snap, err := c.load()
	if err != nil {
		return nil
	}
	for _, m := range snap.Memories() {
		all = append(all, of(m)...)
	}
	sort.Strings(all)
	return slices.Compact(all)
}

//go:embed completions/memory.bash
var bashScript string

//go:embed completions/memory.zsh
var zshScript string

//go:embed completions/memory.fish
var fishScript string

//go:embed completions/memory.ps1
var powershellScript string

func completionCommand() *command {
	return &command{
		args:    "bash|zsh|fish|powershell",
		purpose: "print the script that lets a shell complete commands, options and ids",
		detail: `bash: put  source <(memory completion bash)  into ~/.bashrc.
zsh:  put  source <(memory completion zsh)   into ~/.zshrc, behind compinit.
fish: memory completion fish > ~/.config/fish/completions/memory.fish
PowerShell: put this line into the file that $PROFILE names:
  memory completion powershell | Out-String | Invoke-Expression`,
		example: "memory completion bash",
		least:   1, most: 1, text: true, run: runCompletion, textOnly: true,
		words: func(*call) []string { return []string{"bash", "fish", "powershell", "zsh"} },
	}
}

func runCompletion(c *call) error {
	script, ok := map[string]string{"bash": bashScript, "zsh": zshScript, "fish": fishScript, "powershell": powershellScript}[c.args[0]]
	if !ok {
		return choice{"shell", []string{"bash", "zsh", "fish", "powershell"}}.unknown("", c.args[0])
	}
	c.Printf("%s", script)
	return nil
}
