package document

import "github.com/memoryd/memoryd/pkg/provider"

// ModelStatus is what "model status" prints with --json.
type ModelStatus struct {
	Enabled     bool          `json:"enabled"`
	AllowRemote bool          `json:"allow_remote"`
	Servers     []ModelServer `json:"servers"`
	Today       Spent         `json:"today"`
	DayTokens   int           `json:"day_tokens"`
	DayCost     float64       `json:"day_cost"`
}

type ModelServer struct {
	Name    string `json:"name"`
	Kind    string `json:"kind"`
	Model   string `json:"model"`
	BaseURL string `json:"base_url"`
	Local   bool   `json:"local"`
	Ready   bool   `json:"ready"`
	Missing string `json:"missing,omitempty"`
}

// ModelTest is what "model test" found of one server.
type ModelTest struct {
	Server    string           `json:"server"`
	Model     string           `json:"model"`
	Outcome   provider.Outcome `json:"outcome"`
	MS        int64            `json:"ms"`
	TokensIn  int              `json:"tokens_in"`
	TokensOut int              `json:"tokens_out"`
	Detail    string           `json:"detail,omitempty"`
}

// ModelTests says which models answered.
type ModelTests struct {
	Tests []ModelTest `json:"tests"`
}

// ModelReceipts are requests to language models.
type ModelReceipts struct {
	Receipts []provider.Receipt `json:"receipts" jsonschema:"the oldest first"`
	Page
}
