#!/usr/bin/env bash
# Builds a program for one platform, so that the same commit gives the same bytes anywhere:
#
#   packaging/build.sh GOOS GOARCH FILE [PROGRAM]      PROGRAM: memory, or memory-hub
#
# VERSION is that of the tag, or what git describe says. It needs Go and git.
set -euo pipefail
if [ $# != 3 ] && [ $# != 4 ]; then
  echo "usage: packaging/build.sh GOOS GOARCH FILE [PROGRAM]" >&2
  exit 2
fi
os=$1 arch=$2
out=$(cd "$(dirname "$3")" && pwd)/$(basename "$3")
cd "$(dirname "$0")/.."

version=${VERSION:-$(git describe --tags --always --dirty)}
commit=$(git rev-parse HEAD)
date=$(TZ=UTC git log -1 --format=%cd --date=format-local:%Y-%m-%dT%H:%M:%SZ)
cli=github.com/memoryd/memoryd/internal/cli

# -trimpath and an empty build id leave out where it was built. The tag leaves out writers of
# Markdown and man pages of the flag library, which aren't used.
CGO_ENABLED=0 GOFLAGS='' GOOS=$os GOARCH=$arch GOAMD64=v1 GOARM64=v8.0 go build -trimpath -buildvcs=false -tags urfave_cli_no_docs \
  -ldflags "-s -w -buildid= -X $cli.buildVersion=$version -X $cli.buildCommit=$commit -X $cli.buildDate=$date" \
  -o "$out" "./cmd/${4:-memory}"
