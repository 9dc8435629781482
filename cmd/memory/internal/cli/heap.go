package cli

import "runtime/debug"

// Commands end soon: garbage is collected seldom until the process takes about heapLimit, which
// a plan of 100,000 memories does, and as often as needed to stay there afterwards. Servers keep
// the runtime's default, which adds no more than what is in use.
const (
	heapGrowth = 400       // percent
	heapLimit  = 150 << 20 // bytes
)

// setCollector sets how often garbage is collected, unless the environment does (GOGC, GOMEMLIMIT).
func (c *call) setCollector() {
	if c.cmd.stays || c.env("GOGC") != "" || c.env("GOMEMLIMIT") != "" {
		return
	}
	debug.SetGCPercent(heapGrowth)
	debug.SetMemoryLimit(heapLimit)
}
