package random

import (
	"encoding/json"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"time"

	"pgregory.net/rapid"
)

// At is the time at which a random workspace is meant to be read.
var At = time.Date(2026, 3, 1, 9, 0, 0, 0, time.UTC)

// Workspace draws a workspace as a map from file names to contents. Ids are
// unique; no file is broken.
func Workspace(t *rapid.T) map[string]string {
	w := &world{t: t, files: map[string]string{"memory.toml": "[teams]\nDEV = \"development\"\n"}}
	for n := rapid.IntRange(1, 12).Draw(t, "files"); n > 0; n-- {
		dir := rapid.SampledFrom([]string{"global", "teams/development", "agents/DEV-001", "agents/DEV-002", "projects/p", "sessions/s1", "working", "long-term"}).Draw(t, "dir")
		w.file(dir)
	}
	for _, dir := range []string{"global", "teams/development", "agents/DEV-001", "archive", "."} {
		w.index(dir)
	}
	return w.files
}

// Write puts the files into dir.
func Write(dir string, files map[string]string) error {
	for name, text := range files {
		file := filepath.Join(dir, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
			return err
		}
		if err := os.WriteFile(file, []byte(text), 0o644); err != nil {
			return err
		}
	}
	return nil
}

type world struct {
	t     *rapid.T
	files map[string]string
	n     int
}

func pick[T any](w *world, label string, from ...T) T {
	return rapid.SampledFrom(from).Draw(w.t, label)
}

// file adds one file with memories: alone or in a collection.
func (w *world) file(dir string) {
	name := fmt.Sprintf("%s/f%d.json", dir, len(w.files))
	style := pick(w, "style", "pretty", "compact", "spaced", "crlf", "bom")
	one := func() string { w.n++; return w.memory(fmt.Sprintf("mem_%03d", w.n)) }
	var text string
	switch pick(w, "shape", "one", "one", "entries", "array", "nested", "other") {
	case "one":
		text = one()
	case "entries":
		text = `{"version":"1.0","entries":[` + w.many(one) + `],"tail":0.10}`
	case "array":
		text = `[` + w.many(one) + `]`
	case "nested":
		text = `{"a":{"b c":{"rules":[` + w.many(one) + `]}},"z":12345678901234567890}`
	case "other":
		text = `{"config":{"on":true,"n":1e400},"list":[1,2,{"k":null}]}`
	}
	w.files[name] = restyle(text, style)
}

func (w *world) many(one func() string) string {
	list := make([]string, rapid.IntRange(0, 4).Draw(w.t, "elements"))
	for i := range list {
		list[i] = one()
	}
	return strings.Join(list, ",")
}

// restyle writes compact JSON in another style.
func restyle(text, style string) string {
	var pretty strings.Builder
	if style != "compact" {
		raw := json.RawMessage(text)
		out, err := json.MarshalIndent(raw, "", map[string]string{"spaced": "\t"}[style]+map[string]string{"pretty": "  ", "crlf": "    ", "bom": " "}[style])
		if err != nil {
			return text
		}
		pretty.Write(out)
		pretty.WriteByte('\n')
		text = pretty.String()
	}
	switch style {
	case "crlf":
		text = strings.ReplaceAll(text, "\n", "\r\n")
	case "bom":
		text = "\ufeff" + text
	}
	return text
}

var texts = []string{
	"The pool of the orders service is limited by the proxy so prepared statements stay off in the driver",
	"The pool of the orders service is limited by the proxy so prepared statements stay off in its driver",
	"The nightly export has to finish within 30 minutes or somebody is paged at home",
	"The nightly export has to finish within 45 minutes or somebody is paged at home",
	"The nightly export need not finish within 30 minutes or somebody is paged at home",
	"Buttons of the checkout use the accent colour",
	"Buttons of the checkout use the brand colours", "The shop is deployed by Ana Silva", "The shop is deployed by Ben Okafor",
	"We no longer deploy the shop by hand; this replaces mem_001", "x", "",
}

// memory draws one record as compact JSON; members come in a random order.
func (w *world) memory(id string) string {
	day := func(label string, most int) string {
		d := time.Duration(rapid.IntRange(0, most).Draw(w.t, label)) * 12 * time.Hour
		return `"` + At.Add(-d).Format(time.RFC3339) + `"`
	}
	text := pick(w, "text", texts...)
	members := []string{
		`"id":"` + id + `"`,
		`"type":"` + pick(w, "type", "semantic", "procedural", "episodic", "working", "fact", "factual") + `"`,
		`"unknown":{"keep":[1.50,"\u00e9",null]}`,
	}
	maybe := func(member string) {
		if rapid.IntRange(0, 3).Draw(w.t, "has") > 0 {
			members = append(members, member)
		}
	}
	maybe(`"subtype":"` + pick(w, "subtype", "note", "note", "decision", "procedural") + `"`)
	maybe(`"created_by":"` + pick(w, "by", "DEV-001", "DEV-001", "dev-001", "USER", "SYSTEM") + `"`)
	members = append(members, `"created_at":`+day("created", 300))
	maybe(`"updated_at":` + day("updated", 60))
	maybe(`"last_accessed":` + pick(w, "accessed", day("read", 400), "null"))
	maybe(`"origin":` + pick(w, "origin", `"agent"`, `"user"`, `{"kind":"import","at":`+day("arrived", 300)+`}`, `{"at":`+day("arrived", 300)+`}`, `7`))
	maybe(`"tags":` + pick(w, "tags", `["a","b"]`, `["a","b"]`, `["A ","b"]`, `[]`, `[""]`, `["permanent"]`, `"a"`))
	maybe(`"priority":"` + pick(w, "priority", "medium", "normal", "high", "low", "critical") + `"`)
	maybe(`"access_count":` + pick(w, "count", "0", "1", "3", "5", "12"))
	maybe(`"confidence":` + pick(w, "confidence", "0.90", "0.5", "1"))
	maybe(`"importance":` + pick(w, "importance", "0.9", "0.2"))
	maybe(`"ttl":` + pick(w, "ttl", `"P30D"`, `"10d"`, `"PT4H"`, `"P1M"`, `"2026-03-03"`, `"2026-03-09T12:00:00+02:00"`, `"permanent"`, `"soon"`, "30", "null", "null", "null", "null"))
	maybe(`"scope":"` + pick(w, "scope", "agent", "team", "global") + `"`)
	maybe(`"references":` + pick(w, "references", `["r1"]`, `[{"type":"file","id":"f"}]`, `[]`))
	quoted, _ := json.Marshal(text) // strings always marshal
	content := pick(w, "content", string(quoted), `{"summary":`+string(quoted)+`,"lessons":["l1"],"n":0.10}`, `{"details":`+string(quoted)+`,"lessons":["l2","l1"],"extra":{"k":1}}`, `null`)
	if pick(w, "long", false, false, false, false, true) {
		content = long()
	}
	members = append(members, `"content":`+content)
	return "{" + strings.Join(rapid.Permutation(members).Draw(w.t, "order"), ",") + "}"
}

// long is an episode of over 5,000 characters.
func long() string {
	var b strings.Builder
	for i := range 70 {
		fmt.Fprintf(&b, "At 09:%02d host web-%d answered with error %d and the team restarted service alpha again. ", i%60, i%5, 500+i%4)
	}
	var timeline []string
	for i := range 8 {
		timeline = append(timeline, fmt.Sprintf(`{"at":"2026-01-01T09:%02d:00Z","event":"step %d"}`, i, i))
	}
	text, _ := json.Marshal(b.String()) // strings always marshal
	return `{"details":` + string(text) + `,"timeline":[` + strings.Join(timeline, ",") + `]}`
}

// index maybe adds an index, right or wrong: it must not matter.
func (w *world) index(dir string) {
	text := pick(w, "index", "", "", `{"entries":[]}`, `{"version":"1.0","entries":[]}`,
		`{"memory_count":1,"memories":[{"id":"mem_001","file":"f1.json","mine":1}]}`,
		`{"version":"1.0.0","last_updated":null,"entry_count":7,"entries":[{"id":"ghost","file_path":"../x.json"}],"tag_index":{},"type_index":{}}`)
	if text != "" {
		w.files[filepath.ToSlash(filepath.Join(dir, "_index.json"))] = restyle(text, pick(w, "style", "pretty", "compact"))
	}
}

// Pick chooses a JSON file outside ops/, and reads it; "" where there is none.
func Pick(dir string, chance *rand.Rand) (file string, text []byte, err error) {
	var files []string
	err = filepath.WalkDir(dir, func(name string, d fs.DirEntry, err error) error {
		if err == nil && !d.IsDir() && strings.HasSuffix(name, ".json") && !strings.Contains(filepath.ToSlash(name), "/ops/") {
			files = append(files, name)
		}
		return err
	})
	if err != nil || len(files) == 0 {
		return "", nil, err
	}
	file = files[chance.IntN(len(files))]
	text, err = os.ReadFile(file)
	return file, text, err
}

// Put writes a file in place; missing directories are made.
func Put(file string, text []byte) error {
	if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
		return err
	}
	return os.WriteFile(file, text, 0o644)
}
