package web

import (
	"context"
	"fmt"
	"html"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/memoryd/memoryd/internal/document"
	"github.com/memoryd/memoryd/pkg/config"
	"github.com/memoryd/memoryd/pkg/memory"
)

// Every time that the page offers can be shown and saved for every schedule that it offers it for, those of a fresh workspace first.
func TestOfferedSchedules(t *testing.T) {
	b := serve(t, nil)
	file := filepath.Join(b.server.Store.Dir(), memory.ConfigFile)
	before, err := os.ReadFile(file)
	if err != nil && !os.IsNotExist(err) {
		t.Fatal(err)
	}
	b.server.SetSetting = func(key, value string, write bool) ([]byte, []byte, error) {
		section, name, _ := strings.Cut(key, ".")
		after := fmt.Appendf(nil, "[%s]\n%s = %q\n", section, name, value)
		if value == "" && section == "schedules" {
			after = []byte("[schedules]\n")
		}
		if _, err := config.Parse(memory.ConfigFile, after); err != nil || !write {
			return before, after, err
		}
		return before, after, os.WriteFile(file, after, 0o644)
	}
	page := b.get("/schedules")
	var keys []string
	for _, m := range regexp.MustCompile(`name="key" value="([^"]+)"|<option value="(schedules\.[^"]+)"`).FindAllStringSubmatch(page, -1) {
		keys = append(keys, m[1]+m[2])
	}
	if !slices.Contains(keys, "triggers.weekly") || !slices.Contains(keys, "schedules.nightly") || len(presets) < 7 {
		t.Fatal(keys, presets)
	}
	for _, key := range keys {
		for _, p := range presets {
			when := p.When
			if when == "" {
				when = "off"
			}
			target := "/schedules?key=" + key + "&when=" + url.QueryEscape(when)
			page := b.get(target)
			diff := regexp.MustCompile(`(?s)name="diff" value="([^"]*)"`).FindStringSubmatch(page)
			if strings.Contains(page, `<p class="banner">`) || diff == nil || p.When != "" && !strings.Contains(page, "<p>Next:") {
				t.Errorf("%s can't be set to %q:\n%s", key, p.Label, page)
				continue
			}
			w := b.post(target, "/schedules", url.Values{"key": {key}, "when": {p.When}, "diff": {html.UnescapeString(diff[1])}})
			if w.Code != http.StatusSeeOther {
				t.Errorf("%s: %q isn't saved: %d %s", key, p.Label, w.Code, w.Body)
			}
		}
	}
	if before == nil {
		err = os.Remove(file)
	} else {
		err = os.WriteFile(file, before, 0o644)
	}
	if err != nil {
		t.Fatal(err)
	}
}

// What starts a run leads to the run that it names: those of models, for which there is no page, to their command.
func TestSchedulesLeadToTheirRun(t *testing.T) {
	b := serve(t, nil)
	b.server.Schedule = func(context.Context, *memory.Snapshot, bool) (*document.Schedule, error) {
		return &document.Schedule{Runs: []document.ScheduledRun{
			{Trigger: "weekly"}, {Trigger: "interval", Name: "enrich"}, {Trigger: "interval", Name: "deep", Scope: "global"}, {Trigger: "interval", Name: "nightly"},
		}}, nil
	}
	page := b.get("/schedules")
	for _, want := range []string{"<code>memory enrich</code>", "<code>memory consolidate --deep --scope global</code>", `/plan?trigger=weekly"`} {
		if !strings.Contains(page, want) {
			t.Errorf("no %s in the page", want)
		}
	}
	if n := strings.Count(page, `/plan?trigger=interval"`); n != 1 {
		t.Errorf("%d links to a plain consolidation by the clock, want that of nightly", n)
	}
}
