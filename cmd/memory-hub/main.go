// Command memory-hub serves workspaces in a database to many agents.
package main

import (
	"os"
	_ "time/tzdata" // for machines that know no time zones: Windows, bare containers

	"github.com/memoryd/memoryd/internal/hubcli"
)

func main() { os.Exit(hubcli.Main()) }
