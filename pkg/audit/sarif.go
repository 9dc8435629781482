package audit

import (
	"cmp"
	"encoding/json"
	"net/url"
	"slices"
)

// SARIF is a report in the Static Analysis Results Interchange Format 2.1.0 (OASIS), for code hosts that show findings at their lines.
func SARIF(findings []Finding, version string) ([]byte, error) {
	type object = map[string]any
	described, results := []object{}, []object{}
	var ids []string
	for _, f := range findings {
		at := slices.Index(ids, f.Rule)
		if at < 0 {
			at = len(ids)
			ids = append(ids, f.Rule)
			described = append(described, object{"id": f.Rule, "shortDescription": object{"text": cmp.Or(rules[f.Rule], f.Rule)}})
		}
		place := object{"artifactLocation": object{"uri": (&url.URL{Path: f.Path}).String()}}
		if f.Line > 0 {
			place["region"] = object{"startLine": f.Line}
		}
		results = append(results, object{
			"ruleId": f.Rule, "ruleIndex": at, "level": string(f.Severity), "message": object{"text": said(f)},
			"locations":           []object{{"physicalLocation": place}},
			"partialFingerprints": object{"memoryd/v1": f.Fingerprint()},
		})
	}
	return json.MarshalIndent(object{
		"$schema": "https://json.schemastore.org/sarif-2.1.0.json", "version": "2.1.0",
		"runs": []object{{"tool": object{"driver": object{"name": "memoryd", "version": version, "rules": described}}, "results": results}},
	}, "", "  ")
}

// said is the message of a finding and what to do about it.
func said(f Finding) string {
	if f.Hint == "" {
		return f.Message
	}
	return f.Message + " (" + f.Hint + ")"
}
