#!/usr/bin/env bash
# Makes the files of a release where goreleaser isn't there: archives for six platforms with
# completions and man pages, the team server for Linux, a bill of materials for each, npm packages, checksums. It needs Go,
# git, GNU tar, gzip and zip; npm packages need Node, too. It makes no deb, rpm or Homebrew cask.
#
#   VERSION=v0.1.0 packaging/release.sh [DIR]      DIR: dist
#
# TARGETS="linux/amd64" makes those of some platforms only.
set -euo pipefail
cd "$(dirname "$0")/.."
version=${VERSION:-$(git describe --tags --always --dirty)}
export VERSION=$version
out=${1:-dist}
mkdir -p "$out"
out=$(cd "$out" && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
epoch=$(git log -1 --format=%ct)

go build -o "$work/memory" ./cmd/memory
packaging/assets.sh "$work/assets" "$work/memory"
for target in ${TARGETS:-linux/amd64 linux/arm64 darwin/amd64 darwin/arm64 windows/amd64 windows/arm64}; do
  os=${target%/*} arch=${target#*/}
  name=memory_${version#v}_${os}_$arch
  mkdir -p "$work/$name" "$work/bin/$os-$arch"
  program=memory
  if [ "$os" = windows ]; then program=memory.exe; fi
  packaging/build.sh "$os" "$arch" "$work/bin/$os-$arch/$program"
  cp -R "$work/bin/$os-$arch/$program" LICENSE README.md CHANGELOG.md "$work/assets/completions" "$work/assets/man" "$work/$name/"
  if [ "$os" = windows ]; then
    (cd "$work" && find "$name" -exec touch -d "@$epoch" {} + && find "$name" -type f | LC_ALL=C sort | zip -q -X -@ "$out/$name.zip")
  else
    tar -C "$work" --sort=name --owner=0 --group=0 --numeric-owner --mtime="@$epoch" -cf - "$name" | gzip --best --no-name > "$out/$name.tar.gz"
  fi
  if [ "$os" = linux ]; then # the team server, with what starts it
    hub=memory-hub_${version#v}_${os}_$arch
    mkdir -p "$work/$hub"
    packaging/build.sh "$os" "$arch" "$work/$hub/memory-hub" memory-hub
    cp -R packaging/hub/. LICENSE docs/teams.md "$work/$hub/"
    tar -C "$work" --sort=name --owner=0 --group=0 --numeric-owner --mtime="@$epoch" -cf - "$hub" | gzip --best --no-name > "$out/$hub.tar.gz"
  fi
  (cd "$work" && go run github.com/CycloneDX/cyclonedx-gomod/cmd/cyclonedx-gomod@v1.9.0 \
    bin -json -noserial -output "$out/$name.sbom.json" "$work/bin/$os-$arch/$program")
done
if command -v npm >/dev/null; then
  node packaging/npm/build.mjs "$work/bin" "$out" "${version#v}"
else
  echo "npm is not installed: no npm packages are made" >&2
fi
cd "$out"
rm -f checksums.txt
sha256sum -- * > checksums.txt
echo "$out: $(wc -l < checksums.txt) files"
