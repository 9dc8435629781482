# Completion of memory for bash. Load it with:  source <(memory completion bash)

_memory() {
	local word candidate
	COMPREPLY=()
	# Scopes hold a colon, at which bash splits words: put them together again.
	local words=("${COMP_WORDS[@]:1:COMP_CWORD}")
	local line=() n
	for n in "${!words[@]}"; do
		if [[ $n -gt 0 && ( ${words[n]} == : || ${words[n-1]} == : ) ]]; then
			line[${#line[@]}-1]+=${words[n]}
		else
			line+=("${words[n]}")
		fi
	done
	word=${line[${#line[@]}-1]}
	local prefix=
	[[ $word == *:* && $COMP_WORDBREAKS == *:* ]] && prefix=${word%"${word##*:}"}
	while IFS= read -r candidate; do
		printf -v candidate '%q' "${candidate#"$prefix"}"
		COMPREPLY+=("$candidate")
	done < <(memory __complete "${line[@]}" 2>/dev/null)
}

complete -o default -F _memory memory
