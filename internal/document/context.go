package document

import (
	"github.com/memoryd/memoryd/pkg/briefing"
)

// Context is a block of what an agent should know.
type Context struct {
	Block   string           `json:"block" jsonschema:"empty when no memory matters enough, or fits"`
	Version string           `json:"version,omitempty" jsonschema:"the same as long as nothing that it says has changed"`
	Tokens  int              `json:"tokens" jsonschema:"estimated, rather too many than too few"`
	Given   []briefing.Given `json:"given" jsonschema:"memories in the block"`
	Cut     int              `json:"cut_count,omitempty" jsonschema:"memories that had no room"`
}

// NewContext describes a block.
func NewContext(b briefing.Block) Context {
	return Context{Block: b.Text, Version: b.Version, Tokens: b.Tokens, Given: append([]briefing.Given{}, b.Given...), Cut: b.CutAll}
}
