#!/usr/bin/env bash
# Writes the completions and the pages of the manual into a directory, as the program prints
# them. They are made for each release and not kept, so they can't be stale.
#
#   packaging/assets.sh DIR [MEMORY]
set -euo pipefail
if [ $# -lt 1 ]; then
  echo "usage: packaging/assets.sh DIR [MEMORY]" >&2
  exit 2
fi
mkdir -p "$1/completions" "$1/man"
dir=$(cd "$1" && pwd)
cd "$(dirname "$0")/.."
memory=${2:-}
if [ -z "$memory" ]; then
  made=$(mktemp -d)
  trap 'rm -rf "$made"' EXIT
  memory=$made/memory
  go build -o "$memory" ./cmd/memory
fi

for shell in bash zsh fish powershell; do
  "$memory" completion "$shell" > "$dir/completions/memory.$shell"
done
"$memory" help --man > "$dir/man/memory.1"
sed -n 's/^\.B "memory\\-\([a-z]*\)(1)"$/\1/p' "$dir/man/memory.1" | while read -r command; do
  "$memory" help --man "$command" > "$dir/man/memory-$command.1"
done
gzip --best --no-name --force "$dir"/man/*.1
