#!/usr/bin/env bash
# Checks .goreleaser.yaml: with goreleaser where it is installed, else by reading it into
# goreleaser's own types, in which an unknown field or a wrong type is an error. The latter needs
# the module proxy, and some minutes the first time.
set -euo pipefail
cd "$(dirname "$0")/.."
if command -v goreleaser >/dev/null; then
  exec goreleaser check
fi
file=$PWD/.goreleaser.yaml
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
cat > main.go <<'GO'
package main

import (
	"fmt"
	"os"

	"github.com/goreleaser/goreleaser/v2/pkg/config"
)

func main() {
	if _, err := config.Load(os.Args[1]); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}
GO
go mod init check 2>/dev/null
go get github.com/goreleaser/goreleaser/v2@v2.15.1 2>/dev/null
go run . "$file"
echo "goreleaser is not installed: .goreleaser.yaml fits its types, no more was checked"
