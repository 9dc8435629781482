#!/usr/bin/env bash
# Shows that "go install github.com/memoryd/memoryd/cmd/memory@VERSION" works: tags the commit in
# a clone, lets Go take the module from there as it would from its home, and asks the program
# for its version. Go checks the module as the proxy does: names of files, sizes, replacements.
#
#   packaging/install.sh [VERSION]
set -euo pipefail
cd "$(dirname "$0")/.."
version=${1:-v0.0.1-check}
work=$(mktemp -d)
trap 'chmod -R u+w "$work"; rm -rf "$work"' EXIT

if [ "$(go mod edit -json | tr -d ' \n\t' | grep -c '"Replace":null')" != 1 ]; then
  echo "go.mod has replacements: go install refuses it" >&2
  exit 1
fi
git clone --quiet --bare . "$work/origin.git"
git --git-dir "$work/origin.git" tag --force "$version" "$(git rev-parse HEAD)" >/dev/null
export GOPROXY="file://$(go env GOMODCACHE)/cache/download,$(go env GOPROXY)"
export GOMODCACHE="$work/modules" GOBIN="$work/bin" GOPRIVATE=github.com/memoryd GOFLAGS=-trimpath CGO_ENABLED=0
export GIT_CONFIG_COUNT=1 GIT_CONFIG_KEY_0="url.file://$work/origin.git.insteadOf" GIT_CONFIG_VALUE_0=https://github.com/memoryd/memoryd
cd "$work"
go install "github.com/memoryd/memoryd/cmd/memory@$version"
"$work/bin/memory" version
"$work/bin/memory" version | grep -qx "memory $version"
