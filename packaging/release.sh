#!/usr/bin/env bash
# Makes the files of a release with Go alone, where goreleaser isn't there: archives for six
# platforms with completions and man pages, a bill of materials for each, npm packages, checksums.
#
#   VERSION=v0.1.0 packaging/release.sh [DIR]      DIR: dist
set -euo pipefail
cd "$(dirname "$0")/.."
version=${VERSION:-$(git describe --tags --always --dirty)}
export VERSION=$version
out=${1:-dist}
mkdir -p "$out"
out=$(cd "$out" && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
export SOURCE_DATE_EPOCH
SOURCE_DATE_EPOCH=$(git log -1 --format=%ct)

go build -o "$work/memory" ./cmd/memory
packaging/assets.sh "$work/assets" "$work/memory"
for target in linux/amd64 linux/arm64 darwin/amd64 darwin/arm64 windows/amd64 windows/arm64; do
  os=${target%/*} arch=${target#*/}
  name=memory_${version#v}_${os}_$arch
  mkdir -p "$work/$name" "$work/bin/$os-$arch"
  program=memory
  if [ "$os" = windows ]; then program=memory.exe; fi
  packaging/build.sh "$os" "$arch" "$work/bin/$os-$arch/$program"
  cp -R "$work/bin/$os-$arch/$program" LICENSE README.md CHANGELOG.md "$work/assets/completions" "$work/assets/man" "$work/$name/"
  go run ./packaging/archive "$work/$name" "$out"
  go version -m -json "$work/bin/$os-$arch/$program" | go run ./packaging/sbom "$name" > "$out/$name.sbom.json"
done
if command -v npm >/dev/null; then
  node packaging/npm/build.mjs "$work/bin" "$out" "${version#v}"
else
  echo "npm is not installed: no npm packages are made" >&2
fi
cd "$out"
sha256sum memory* > checksums.txt
echo "$out: $(wc -l < checksums.txt) files"
