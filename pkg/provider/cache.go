package provider

import (
	"bytes"
	"encoding/json"
	"fmt"

	"github.com/tidwall/gjson"
)

// cacheName is the file of an answer.
func cacheName(key string) string { return "model-" + key + ".json" }

// known looks an answer up. A file that can't be read, or isn't one, counts as none.
func (c *Chain) known(k *link, p *prompt) (Answer, bool, error) {
	if c.Cache == nil {
		return Answer{}, false, nil
	}
	raw, err := c.Cache.Read(cacheName(p.key))
	if err != nil || !gjson.ValidBytes(raw) || !gjson.ParseBytes(raw).IsObject() {
		return Answer{}, false, nil
	}
	if p.Check != nil && p.Check(raw) != nil {
		return Answer{}, false, nil
	}
	receipt := c.receipt(k.Endpoint, p, 0)
	receipt.Outcome = Cached
	if err := c.Ledger.settle(receipt); err != nil {
		return Answer{}, false, fmt.Errorf("note an answer of %s: %w", k.Name, err)
	}
	return Answer{json.RawMessage(bytes.TrimSpace(raw)), receipt}, true, nil
}

// remember keeps an answer. Where it can't be kept it costs tokens again, and nothing else.
func (c *Chain) remember(p *prompt, object json.RawMessage) {
	if c.Cache != nil {
		_ = c.Cache.Write(cacheName(p.key), object)
	}
}
