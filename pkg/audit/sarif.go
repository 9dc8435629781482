package audit

import (
	"encoding/json"
	"net/url"
	"slices"
)

// SARIF is a report in the Static Analysis Results Interchange Format 2.1.0 (OASIS), for code hosts that show findings at their lines.
func SARIF(findings []Finding, version string) ([]byte, error) {
	type object = map[string]any
	rules, results := []object{}, []object{}
	var ids []string
	for _, f := range findings {
		at := slices.Index(ids, f.Rule)
		if at < 0 {
			at = len(ids)
			ids = append(ids, f.Rule)
			rules = append(rules, object{"id": f.Rule})
		}
		place := object{"artifactLocation": object{"uri": (&url.URL{Path: f.Path}).String()}}
		if f.Line > 0 {
			place["region"] = object{"startLine": f.Line}
		}
		results = append(results, object{
			"ruleId": f.Rule, "ruleIndex": at, "level": string(f.Severity), "message": object{"text": f.Message},
			"locations":           []object{{"physicalLocation": place}},
			"partialFingerprints": object{"memoryd/v1": f.Fingerprint()},
		})
	}
	return json.MarshalIndent(object{
		"$schema": "https://json.schemastore.org/sarif-2.1.0.json", "version": "2.1.0",
		"runs": []object{{"tool": object{"driver": object{"name": "memoryd", "version": version, "rules": rules}}, "results": results}},
	}, "", "  ")
}
