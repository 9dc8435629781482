// Command sample writes the larger of the two sample workspaces into a new directory, for tools/dashboard/run.
//
//	go run ./tools/dashboard/sample DIR
package main

import (
	"fmt"
	"os"

	"github.com/memoryd/memoryd/fixtures"
)

func main() {
	if len(os.Args) != 2 {
		fmt.Fprintln(os.Stderr, "usage: sample DIR")
		os.Exit(2)
	}
	if err := fixtures.CopyTo(os.Args[1], fixtures.Large); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}
