package journal

import (
	"encoding/json"
	"fmt"

	"github.com/tidwall/gjson"

	"github.com/memoryd/memoryd/pkg/internal/durable"
	"github.com/memoryd/memoryd/pkg/internal/jsonedit"
)

// Deferred is ops/runs/<run>/deferred.json: the ids of all that the run deferred, where the log has
// no room for them. Nothing depends on it but which of them comes first in the next run.
type Deferred struct {
	RunID string   `json:"run_id"`
	IDs   []string `json:"ids"`
}

// ReadDeferred reads that file, in which there may be as many ids as there are memories.
func ReadDeferred(root durable.FS, name string) (*Deferred, error) {
	doc, _, err := root.Read(name, durable.MaxSize)
	if err != nil {
		return nil, err
	}
	body, err := opened(name, doc)
	if err != nil {
		return nil, err
	}
	d := &Deferred{RunID: gjson.GetBytes(body, "run_id").String()}
	var plain bool
	if d.IDs, plain = jsonedit.PlainStrings(gjson.GetBytes(body, "ids")); plain {
		return d, nil
	}
	if err := json.Unmarshal(body, d); err != nil {
		return nil, fmt.Errorf("%s: %w: %w", name, ErrDamaged, err)
	}
	return d, nil
}
