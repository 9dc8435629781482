# Completion of memory for zsh. Load it behind compinit:  source <(memory completion zsh)

_memory() {
	local -a candidates
	candidates=("${(@f)$(memory __complete "${(@)words[2,CURRENT]}" 2>/dev/null)}")
	if [[ -n ${candidates[1]} ]]; then
		compadd -a candidates
	else
		_files
	fi
}

compdef _memory memory
