package app_test

import (
	"testing"

	"github.com/memoryd/memoryd/internal/app"
	"github.com/memoryd/memoryd/pkg/config"
	"github.com/memoryd/memoryd/pkg/memory"
	"github.com/memoryd/memoryd/pkg/provider"
)

// A record says of itself in its member "model" how far it may travel; what its content says under that name is its own affair.
func TestModelReach(t *testing.T) {
	set := config.Default().Model
	set.AllowRemote, set.Scopes = true, map[string]string{"*": "remote"}
	for members, want := range map[string]provider.Reach{
		`"content":"x"`: provider.Remote, `"content":"x","model":"never"`: provider.Never, `"content":"x","model":"Never"`: provider.Never,
		`"content":{"details":"x"},"model":"local"`: provider.Local, `"content":{"model":"never"}`: provider.Remote,
		`"content":"x","tags":["private"]`: provider.Never, `"content":"x","model":3`: provider.Remote,
	} {
		all, err := memory.ParseRecords("global/m.json", []byte(`{"id":"m","type":"semantic","scope":"global",`+members+`}`))
		if err != nil {
			t.Fatal(err)
		}
		if got := app.ModelReach(set, all[0]); got != want {
			t.Errorf("%s: %v, want %v", members, got, want)
		}
	}
}
