# Completion of memory for bash. Load it with:  source <(memory completion bash)

_memory() {
	local words=("${COMP_WORDS[@]:1:COMP_CWORD}") line=() n candidate
	COMPREPLY=()
	# Bash splits words at the colon of a scope and at the = of an option: put them
	# together again.
	for n in "${!words[@]}"; do
		if [[ $n -gt 0 && ( ${words[n]} == [:=] || ${words[n-1]} == [:=] ) ]]; then
			line[${#line[@]}-1]+=${words[n]}
		else
			line+=("${words[n]}")
		fi
	done
	# It replaces what stands behind the last of them, so only that is offered.
	local word=${line[${#line[@]}-1]}
	local before=${word%"${word##*[:=]}"}
	while IFS= read -r candidate; do
		printf -v candidate '%q' "${candidate#"$before"}"
		COMPREPLY+=("$candidate")
	done < <(memory __complete "${line[@]}" 2>/dev/null)
}

complete -o default -F _memory memory
