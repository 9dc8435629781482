package audit

import (
	"testing"

	"github.com/tidwall/gjson"
)

// A report has the members that SARIF 2.1.0 requires, with and without findings.
func TestSARIF(t *testing.T) {
	moved := Finding{Rule: "dead-path", Severity: Warning, Path: "a b.md", Line: 9, Message: "gone", Text: "x  y.go"}
	first := moved
	first.Line, first.Text = 3, "x y.go"
	for _, all := range [][]Finding{nil, {first, moved, {Rule: "over-cap", Severity: Error, Path: "MEMORY.md", Message: "cut"}}} {
		data, err := SARIF(all, "1")
		if err != nil {
			t.Fatal(err)
		}
		doc := gjson.ParseBytes(data)
		if doc.Get("version").Str != "2.1.0" || doc.Get("runs.0.tool.driver.name").Str == "" || !doc.Get("runs.0.results").IsArray() || !doc.Get("runs.0.tool.driver.rules").IsArray() {
			t.Errorf("%s", data)
		}
		results := doc.Get("runs.0.results").Array()
		if len(results) != len(all) {
			t.Errorf("%d results of %d findings", len(results), len(all))
		}
		for i, r := range results {
			rule := doc.Get("runs.0.tool.driver.rules").Array()[r.Get("ruleIndex").Int()]
			if r.Get("message.text").Str == "" || rule.Get("id").Str != all[i].Rule || r.Get("locations.0.physicalLocation.artifactLocation.uri").Str == "" {
				t.Errorf("%s", r.Raw)
			}
		}
	}
	if first.Fingerprint() != moved.Fingerprint() {
		t.Error("a finding whose line moved is another one")
	}
	for _, other := range []Finding{{Rule: "x", Path: moved.Path, Text: moved.Text}, {Rule: moved.Rule, Path: "c.md", Text: moved.Text}, {Rule: moved.Rule, Path: moved.Path, Text: "z"}} {
		if other.Fingerprint() == moved.Fingerprint() {
			t.Errorf("%+v has the fingerprint of another finding", other)
		}
	}
}
