package rules

import (
	"strings"

	"github.com/memoryd/memoryd/pkg/similarity"
)

// features returns the prepared text of the covered memory at k. It reads nothing
// before they are compared.
func (p *planner) features(k int32) *similarity.Features {
	return similarity.Later(p.live[k])
}

// blank reports whether the covered memory at k says nothing, so that there is nothing
// to compare.
func (p *planner) blank(k int32) bool {
	return strings.TrimSpace(p.live[k].Text()) == ""
}
