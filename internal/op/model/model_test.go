package model

import (
	"strings"
	"testing"
	"time"

	"github.com/memoryd/memoryd/internal/fail"
	"github.com/memoryd/memoryd/pkg/config"
	"github.com/memoryd/memoryd/pkg/workspace"
)

// While models are off, the status says so and a test asks none.
func TestOff(t *testing.T) {
	dir := t.TempDir()
	if err := workspace.Create(dir, config.Template("seed")); err != nil {
		t.Fatal(err)
	}
	store, err := workspace.Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = store.Close() }()
	getenv := func(string) string { return "" }
	now := func() time.Time { return time.Date(2026, 11, 2, 9, 0, 0, 0, time.UTC) }
	settings := config.Default()
	status, err := StatusOf(store, settings.Model, getenv, now())
	if err != nil || status.Enabled || status.Today.Requests != 0 {
		t.Errorf("%+v, %v", status, err)
	}
	for _, s := range status.Servers {
		if s.Ready != (s.Missing == "") {
			t.Errorf("%+v", s)
		}
	}
	if _, err := Test(t.Context(), store, settings, getenv, now, nil); err == nil || !strings.Contains(fail.Hint(err), "model.enabled") {
		t.Error(err)
	}
}
