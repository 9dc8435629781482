// Command memory keeps folders of coding agents' memories healthy.
package main

import (
	"os"
	_ "time/tzdata" // for machines that know no time zones: Windows, bare containers

	"github.com/memoryd/memoryd/internal/cli"
)

func main() { os.Exit(cli.Main()) }
