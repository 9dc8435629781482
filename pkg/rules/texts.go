package rules

import (
	"github.com/memoryd/memoryd/pkg/similarity"
)

// features returns the prepared text of the covered memory at k. It reads nothing
// before they are compared.
func (p *planner) features(k int32) *similarity.Features {
	return similarity.Later(p.live[k])
}
