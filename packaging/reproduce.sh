#!/usr/bin/env bash
# Shows that a build is reproducible: builds the commit in clones at two places and compares
# the bytes.
#
#   packaging/reproduce.sh [GOOS GOARCH]
set -euo pipefail
cd "$(dirname "$0")/.."
os=${1:-$(go env GOOS)} arch=${2:-$(go env GOARCH)}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

git clone --quiet . "$work/here"
git clone --quiet . "$work/some/where/else"
"$work/here/packaging/build.sh" "$os" "$arch" "$work/first"
"$work/some/where/else/packaging/build.sh" "$os" "$arch" "$work/second"
if ! cmp "$work/first" "$work/second"; then
  echo "two builds of one commit differ" >&2
  exit 1
fi
sha256sum "$work/first" | sed "s|  .*|  memory $os/$arch: both builds are the same|"
