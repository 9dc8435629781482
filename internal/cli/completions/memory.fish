# Completion of memory for fish:  memory completion fish > ~/.config/fish/completions/memory.fish

function __memory_complete
    set -l words (commandline -opc) (commandline -ct)
    memory __complete $words[2..-1] 2>/dev/null
end

complete -c memory -f -a '(__memory_complete)'
