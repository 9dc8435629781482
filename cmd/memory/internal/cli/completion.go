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
		least:   1, most: 1, run: runCompletion, textOnly: true,
		words: func(*call) []string { return []string{"bash", "fish", "powershell", "zsh"} },
	}
}

func runCompletion(c *call) error {
	script, ok := map[string]string{"bash": bashScript, "zsh": zshScript, "fish": fishScript, "powershell": powershellScript}[c.args[0]]
	if !ok {
		return usagef("there is no script for %q: write bash, zsh, fish or powershell", c.args[0])
	}
	c.printf("%s", script)
	return nil
}
