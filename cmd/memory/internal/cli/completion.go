package cli

import (
	_ "embed" // for the scripts
)

//go:embed completions/memory.bash
var bashScript string

//go:embed completions/memory.zsh
var zshScript string

//go:embed completions/memory.fish
var fishScript string

func completionCommand() *command {
	return &command{
		name: "completion", group: groupOther, args: "bash|zsh|fish",
		purpose: "print the script that lets a shell complete commands, options and ids",
		detail: `bash: put  source <(memory completion bash)  into ~/.bashrc.
zsh:  put  source <(memory completion zsh)   into ~/.zshrc, behind compinit.
fish: memory completion fish > ~/.config/fish/completions/memory.fish`,
		example: "source <(memory completion bash)",
		least:   1, most: 1, run: runCompletion, textOnly: true,
		words: func(*call) []string { return []string{"bash", "fish", "zsh"} },
	}
}

func runCompletion(c *call) error {
	script, ok := map[string]string{"bash": bashScript, "zsh": zshScript, "fish": fishScript}[c.args[0]]
	if !ok {
		return usagef("there is no script for %q: write bash, zsh or fish", c.args[0])
	}
	c.printf("%s", script)
	return nil
}
