// Command bench measures the program memory as its users meet it: every command is a
// process, every server is called over MCP.
//
//	go run ./tools/bench                     1,000, 10,000 and 100,000 memories
//	go run ./tools/bench -n 1000 -rounds 20
//	go run ./tools/bench -n 10000 -scopes one -rows save
//	go run ./tools/bench -make DIR -n 10000  makes a workspace and measures nothing
//
// It builds the program from this repository, makes a workspace for each size below the
// temporary directory, and prints a table in Markdown: the budget, the median, the 99th
// percentile, the peak memory, and how many times the median is that of a floor. A floor is
// measured directly before each measurement: listing and describing all files of the
// workspace, or reading them and looking at each value once with gjson.Parse; for a save, writing a
// small file durably. Each size is measured with all memories in one scope, and once more with the same
// memories in many.
//
// The workspaces are removed at the end. Times depend on the machine; compare the ratios.
// Peak memory is known on Linux and macOS only.
package main
