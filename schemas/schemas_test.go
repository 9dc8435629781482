package schemas

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/memoryd/memoryd/pkg/config"
)

var validators = map[string]func([]byte) []Finding{
	"memory": ValidateMemory, "index": ValidateIndex, "log": ValidateLog, "plan": ValidatePlan,
}

func parseSource(t *testing.T, name string) map[string]any {
	t.Helper()
	text, ok := Source(name)
	if !ok {
		t.Fatal("no schema", name)
	}
	var doc map[string]any
	if err := json.Unmarshal(text, &doc); err != nil {
		t.Fatal(name, err)
	}
	return doc
}

func TestSchemasCompile(t *testing.T) {
	all := ours()
	if all.err != nil {
		t.Fatal(all.err)
	}
	if len(all.checkers) != len(validators) {
		t.Error("schemas without a validator:", Names())
	}
	for _, name := range Names() { // ours use no keyword that isn't checked
		var found findings
		all.keywords.check(all.documents[base+name+".schema.json"], &found)
		if list := found.list(); list != nil {
			t.Errorf("%s: %+v", name, list)
		}
	}
	entries, err := files.ReadDir(".")
	if err != nil {
		t.Fatal(err)
	}
	for _, entry := range entries {
		if name := strings.TrimSuffix(entry.Name(), ".schema.json"); !slices.Contains(Names(), name) {
			t.Errorf("%s is embedded but not named", entry.Name())
		}
	}
	if _, ok := Source("../go"); ok {
		t.Error("Source leads out of the schemas")
	}
}

// The examples of each schema have no findings, and each shows most of it.
func TestExamples(t *testing.T) {
	for name, validate := range validators {
		examples, _ := parseSource(t, name)["examples"].([]any)
		if len(examples) < 2 {
			t.Errorf("%s has %d examples", name, len(examples))
		}
		for i, example := range examples {
			raw, err := json.Marshal(example)
			if err != nil {
				t.Fatal(err)
			}
			for _, f := range validate(raw) {
				t.Errorf("example %d of %s: %+v", i, name, f)
			}
		}
	}
}

// Wherever a value can fail, the schema says what to write; and no object is
// closed to other members.
func TestEveryConstraintHasAdvice(t *testing.T) {
	asserts := []string{"type", "enum", "format", "pattern", "minimum", "maximum", "minLength", "not"}
	for _, name := range Names() {
		var visit func(at string, v any)
		visit = func(at string, v any) {
			switch v := v.(type) {
			case []any:
				for _, e := range v {
					visit(at+"[]", e)
				}
			case map[string]any:
				if strings.HasPrefix(at, "/examples") || strings.HasSuffix(at, "/if") || strings.HasSuffix(at, "/not") {
					return
				}
				for key, member := range v {
					if slices.Contains(asserts, key) && !strings.HasSuffix(at, "properties") && v["x-advice"] == nil {
						t.Errorf("%s%s: %s without x-advice", name, at, key)
					}
					if key == "additionalProperties" && member == false || key == "unevaluatedProperties" {
						t.Errorf("%s%s: closed to other members", name, at)
					}
					visit(at+"/"+key, member)
				}
			}
		}
		doc := parseSource(t, name)
		if doc["$id"] != base+name+".schema.json" {
			t.Errorf("%s has the $id %v", name, doc["$id"])
		}
		visit("", doc)
	}
	for key, property := range parseSource(t, "memory")["properties"].(map[string]any) {
		if property.(map[string]any)["description"] == nil {
			t.Errorf("memory: %s is not described", key)
		}
	}
}

func TestConcurrentUse(t *testing.T) {
	for range 4 {
		t.Run("", func(t *testing.T) {
			t.Parallel()
			x, _ := Extend(map[string][]byte{"a.json": []byte(`{"x-memoryd-type":"working","required":["owner"]}`)})
			for range 100 {
				if found := x.ValidateMemory([]byte(`{"id":"m","type":"working"}`)); len(found) != 1 {
					t.Fatal(found)
				}
			}
		})
	}
}

// compare wants one line for each finding: severity, then message. The path must
// begin the message, except where the message quotes a key or has no place.
func compare(t *testing.T, found []Finding, want string) {
	t.Helper()
	var got []string
	for _, f := range found {
		got = append(got, string(f.Severity)+" "+f.Message)
		if !strings.HasPrefix(f.Message, f.Path+" ") && !strings.HasPrefix(f.Message, fmt.Sprintf("%q ", f.Path)) && f.Path != "" {
			t.Errorf("the message of %q doesn't name it: %s", f.Path, f.Message)
		}
	}
	var lines []string
	if want != "" {
		lines = strings.Split(strings.TrimSpace(want), "\n")
	}
	if diff := cmp.Diff(lines, got); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}
}

func TestValidateMemory(t *testing.T) {
	for _, tt := range []struct{ name, raw, want string }{
		{"least", `{"id": "m"}`, ``},
		{"tolerated", "\ufeff" + `{"id":"née 7 §","type":"working","subtype":"agent-working-memory","created_by":"system","created_at":"2026-03-01T09:00:00.25+05:30",
			"updated_at":null,"last_accessed":null,"scope":" Agent","scope_id":null,"tags":["","a"],"priority":"NORMAL","ttl":"PT4H",
			"content":{"current_task":null,"task_history":[],"notes":[],"pending_items":[],"context":{},"x":[{"tags":1}]},
			"references":null,"confidence":0.5,"importance":1,"access_count":2.0,"supersedes":"a","superseded_by":["b"],"promoted_to":[],
			"consolidation_consent":true,"protected":false,"category":"x","created":"x","vendor":12345678901234567890}`, ``},
		{"times", `{"id":"m","created_at":"yesterday","updated_at":1735689600,"last_accessed":"2026-03-01t09:00:00z"}`, `
warning created_at is "yesterday": write an RFC 3339 time such as 2026-03-01T09:00:00Z
warning last_accessed is "2026-03-01t09:00:00z": write an RFC 3339 time such as 2026-03-01T09:00:00Z, or null
warning updated_at is 1735689600: write an RFC 3339 time such as 2026-03-01T09:00:00Z, or null`},
		{"no zone", `{"id":"m","created_at":"2025-12-01 10:00:00","updated_at":"2025-12-01T10:00:00.5","last_accessed":"2025-12-01"}`, `
warning created_at is "2025-12-01 10:00:00": it has no time zone and is read as UTC; write 2025-12-01T10:00:00Z
warning last_accessed is "2025-12-01": it has no time zone and is read as UTC; write 2025-12-01T00:00:00Z
warning updated_at is "2025-12-01T10:00:00.5": it has no time zone and is read as UTC; write 2025-12-01T10:00:00.5Z`},
		{"words", `{"id":"m","type":"fact","scope":"world","priority":"URGENT!!"}`, `
warning priority is "URGENT!!": write critical, high, medium or low
warning scope is "world": write global, team, agent, project or session, or leave it out: the directory tells
warning type is "fact": memoryd knows factual, procedural, episodic, semantic and working; others are kept, but never promoted nor merged with these`},
		{"case of a word", `{"id":"m","type":"Episodic"}`, `warning type is "Episodic": did you mean "episodic"?`},
		{"types", `{"id":7,"type":null,"subtype":[],"created_by":1,"created_at":null,"scope_id":1,"tags":null,"ttl":7,"content":null,"references":{},"confidence":"0.5","protected":"yes"}`, `
warning confidence is "0.5": write a number from 0 to 1, without quotes
warning content is null: write text, or an object such as {"summary": "…", "details": "…"}
warning created_at is null: write an RFC 3339 time such as 2026-03-01T09:00:00Z
warning created_by is 1: write who created it, such as DEV-001 or USER
warning id is 7: write a name without / \ and control characters, such as mem_4f9a2c7e1b3d
warning protected is "yes": write true or false, without quotes
warning references is an object: write a list of ids, or of objects with type, id and relationship
warning scope_id is 1: write the name of the team, agent, project or session
warning subtype is a list: write text
warning tags is null: write a list of strings such as ["build", "release"], or []
warning ttl is 7: write a duration such as "30d", "PT4H" or "P1M", a date, or "permanent"
warning type is null: memoryd knows factual, procedural, episodic, semantic and working; others are kept, but never promoted nor merged with these`},
		{"tags", `{"id":"m","tags":["a",1,null,{"a":1}]}`, `
warning tags[1] is 1: write a string; anything else is ignored
warning tags[2] is null: write a string; anything else is ignored
warning tags[3] is an object: write a string; anything else is ignored`},
		{"negative", `{"id":"m","access_count":-3,"confidence":-0.1,"importance":1.01}`, `
warning access_count is -3: write how often it was read, a whole number from 0 up, without quotes
warning confidence is -0.1: write a number from 0 to 1, without quotes
warning importance is 1.01: write a number from 0 to 1, without quotes`},
		{"half", `{"id":"m","access_count":2.5}`, `warning access_count is 2.5: write how often it was read, a whole number from 0 up, without quotes`},
		{"text", `{"id":"m","access_count":"7"}`, `warning access_count is "7": write how often it was read, a whole number from 0 up, without quotes`},
		{"over int64", `{"id":"m","access_count":9223372036854775808}`, `warning access_count is 9223372036854775808: write how often it was read, a whole number from 0 up, without quotes`},
		{"beyond any number", `{"id":"m","access_count":1e999999999999,"confidence":-1e-999999999999,"importance":-1E+999999999999,"x":1e999999999999}`, `
warning access_count is 1e999999999999: write how often it was read, a whole number from 0 up, without quotes
warning confidence is -1e-999999999999: write a number from 0 to 1, without quotes
warning importance is -1E+999999999999: write a number from 0 to 1, without quotes`},
		{"zero is zero", `{"id":"m","access_count":0e999999999999,"confidence":1e-999999999999}`, ``},
		{"no id", `{"type":"episodic"}`, `warning id is missing: write a name without / \ and control characters, such as mem_4f9a2c7e1b3d`},
		{"empty id", `{"id":""}`, `warning id is "": write a name without / \ and control characters, such as mem_4f9a2c7e1b3d`},
		{"path as id", `{"id":"../../etc/passwd"}`, `warning id is "../../etc/passwd": write a name without / \ and control characters, such as mem_4f9a2c7e1b3d`},
		{"NUL in id", `{"id":"a\u0000b"}`, `warning id is "a\x00b": write a name without / \ and control characters, such as mem_4f9a2c7e1b3d`},
		{"itself", `{"id":"m","supersedes":["a","m"],"superseded_by":"m"}`, `
warning superseded_by is "m", the memory itself: remove it
warning supersedes[1] is "m", the memory itself: remove it`},
		{"links", `{"id":"m","supersedes":["a",1],"promoted_to":{}}`, `
warning promoted_to is an object: write the id of a memory, or a list of ids
warning supersedes[1] is 1: write the id of a memory`},
		{"almost known keys", `{"id":"m","Tags":[],"createdAt":"x","Access-Count":0,"ID":1}`, `
warning "Access-Count" is not read: did you mean "access_count"?
warning "ID" is not read: did you mean "id"?
warning "Tags" is not read: did you mean "tags"?
warning "createdAt" is not read: did you mean "created_at"?`},
		{"repeated keys", `{"id":"m","tags":[],"tags":3,"content":{"details":"a","x":1,"details":"b"}}`, `
error content.details is there twice, so the memory is never changed: remove one
error tags is there twice, so the memory is never changed: remove one`},
		{"episodic content", `{"id":"m","type":"episodic","content":{"title":1,"details":[],"timeline":[{"at":"a"},"b",3,{"at":4}],"participants":1,"outcome":[],"lessons":{}}}`, `
warning content.details is a list: write text or an object
warning content.lessons is an object: write a list, or text
warning content.outcome is a list: write text or an object
warning content.participants is 1: write a list, or text
warning content.timeline[2] is 3: write text, or an object such as {"at": "2026-03-01T09:00:00Z", "event": "…"}
warning content.timeline[3].at is 4: write text
warning content.title is 1: write text`},
		{"other content", `{"id":"m","type":"semantic","content":{"timeline":1,"steps":2,"concept":3}}`, `warning content.concept is 3: write text`},
		{"steps", `{"id":"m","type":"procedural","content":{"steps":2,"concept":3}}`, `warning content.steps is 2: write a list, or text`},
		{"subject", `{"id":"m","type":"factual","content":{"subject":2,"object":3}}`, `warning content.subject is 2: write text`},
		{"notes", `{"id":"m","type":"working","content":{"notes":2,"status":3}}`, `
warning content.notes is 2: write a list, or text
warning content.status is 3: write text`},
		{"list", `[{"id":"m"}]`, `warning this is a list: a memory is an object with an id and a type or a content`},
		{"number", `7`, `warning this is 7: a memory is an object with an id and a type or a content`},
		{"empty", "\n\t", `error the file is empty: restore it, or delete it`},
		{"cut", "{\n\"id\": \"m", `error not valid JSON in line 2: unexpected end of JSON input`},
		{"comma", "{\n\"id\": \"m\",\n}", `error not valid JSON in line 3: invalid character '}' looking for beginning of object key string`},
		{"two", "{}\n{}", `error not valid JSON in line 2: invalid character '{' after top-level value`},
		{"UTF-16", "\xff\xfe{\x00", `error not UTF-8 in line 1: save the file as UTF-8`},
		{"bad byte", "{\n\"id\": \"\xff\"}", `error not UTF-8 in line 2: save the file as UTF-8`},
		{"too deep", strings.Repeat("[", 20000) + strings.Repeat("]", 20000), `error not valid JSON in line 1: invalid character '[' exceeded max depth`},
		{"long values", `{"id":"m","created_at":"` + strings.Repeat("é", 100) + `"}`, `warning created_at is "` + strings.Repeat("é", 39) + `…": write an RFC 3339 time such as 2026-03-01T09:00:00Z`},
	} {
		t.Run(tt.name, func(t *testing.T) { compare(t, ValidateMemory([]byte(tt.raw)), tt.want) })
	}
}

func TestValidateIndex(t *testing.T) {
	compare(t, ValidateIndex([]byte(`{
		"version": null, "last_updated": "today", "entry_count": -1,
		"entries": [{"id":"x","file_path":"../a"}, {"file":"/etc/x"}, 3, {"id":"","path":"C:\\x"}, {"id":"y","file_path":"a/../../b","tags":"t"},
			{"id":"z","file_path":"..","json_path":7}, {"id":"ok","file_path":"a..b/...json"}],
		"tag_index": {"two words": [1], "b": 2}, "type_index": []
	}`)), `
error entries[0].file_path is "../a": the entry is ignored; write a path inside the directory of the index, without .. and :, such as notes/mem_4f9a2c7e1b3d.json
error entries[1].file is "/etc/x": the entry is ignored; write a path inside the directory of the index, without .. and :, such as notes/mem_4f9a2c7e1b3d.json
warning entries[1].id is missing: write the id of a memory
warning entries[2] is 3: write an object with id and file_path
warning entries[3].id is "": write the id of a memory
error entries[3].path is "C:\\x": the entry is ignored; write a path inside the directory of the index, without .. and :, such as notes/mem_4f9a2c7e1b3d.json
error entries[4].file_path is "a/../../b": the entry is ignored; write a path inside the directory of the index, without .. and :, such as notes/mem_4f9a2c7e1b3d.json
warning entries[4].tags is "t": write a list of strings
error entries[5].file_path is "..": the entry is ignored; write a path inside the directory of the index, without .. and :, such as notes/mem_4f9a2c7e1b3d.json
warning entries[5].json_path is 7: write the place in the file, such as entries.3
warning entry_count is -1: write the number of entries; memory reindex does it
warning last_updated is "today": write an RFC 3339 time such as 2026-03-01T09:00:00Z, or null
warning tag_index.b is 2: write a list of ids; memory reindex does it
warning tag_index["two words"][0] is 1: write the id of a memory
warning type_index is a list: write an object with lists of ids; memory reindex does it
warning version is null: write a version such as "1.0.0"`)
	compare(t, ValidateIndex([]byte(`[]`)), `warning this is a list: an index is an object such as {"version": "1.0.0", "entries": []}`)
	compare(t, ValidateIndex([]byte(`{`)), `error not valid JSON in line 1: unexpected end of JSON input`)
}

func TestValidateLog(t *testing.T) {
	compare(t, ValidateLog([]byte(`{
		"version": "1.0.0",
		"entries": [
			{"actions": [{"type":"merge"}, {}, 3, {"type":"archive","memory_id":""}, {"type":"invented","by":"another tool"}], "stats": {"a":-1}},
			{"timestamp": "2026-03-01 09:00:00", "duration_ms": "41", "deferred": "x"},
			7
		],
		"log": 3
	}`)), `
warning entries[0].actions[0].result_id is missing: a merge has source_ids and result_id
warning entries[0].actions[0].source_ids is missing: a merge has source_ids and result_id
warning entries[0].actions[1].type is missing: write what was done: merge, summarize, promote, propose, archive, restore, skip, review, decide, judge, add, edit, sync or undo
warning entries[0].actions[2] is 3: write an object with the type of the action and the ids it concerns
warning entries[0].actions[3].memory_id is "": write the id of a memory
warning entries[0].stats.a is -1: write a whole number from 0 up
warning entries[1].deferred is "x": write a list of ids
warning entries[1].duration_ms is "41": write a number of milliseconds
warning entries[1].timestamp is "2026-03-01 09:00:00": it has no time zone and is read as UTC; write 2026-03-01T09:00:00Z
warning entries[2] is 7: an entry is an object with timestamp, trigger, actions and stats
error log is 3: write the list of entries; without one nothing can be logged`)
	compare(t, ValidateLog([]byte(`[]`)), `error this is a list: a log is an object such as {"version": "1.0.0", "entries": []}`)
	// The example of the rules' first source: no run id, no hashes.
	compare(t, ValidateLog([]byte(`{"entries": [{"timestamp": "2025-12-18T00:00:00Z", "trigger": "session_end", "actions": [
		{"type": "merge", "source_ids": ["a", "b"], "result_id": "c"}, {"type": "archive", "memory_id": "d", "reason": "stale"}],
		"stats": {"memories_merged": 2, "memories_archived": 5, "memories_promoted": 1}}]}`)), ``)
}

func TestValidatePlan(t *testing.T) {
	compare(t, ValidatePlan([]byte(`{"at":"2026-03-01","actions":[{"type":"merg"},{"type":"promote","memory_id":"a"}],"skipped":[{"memory_id":"a"}],"deferred":[3],"applied":1}`)), `
error actions[0].type is "merg": write merge, summarize, promote, propose, archive, restore, skip, review, decide, edit, cluster, link or unlink
error actions[1].result_id is missing: a promotion has memory_id and result_id
error applied is 1: write true or false
error at is "2026-03-01": it has no time zone and is read as UTC; write 2026-03-01T00:00:00Z
error deferred[0] is 3: write the id of a memory
error run_id is missing: write the id of the run
error skipped[0].reason is missing: write the reason
error skipped[0].rule is missing: write the name of a rule
error trigger is missing: write what started the run, such as manual`)
	compare(t, ValidatePlan([]byte(`null`)), `error this is null: a plan is an object with run_id, at, trigger and actions; memory plan --out writes one`)
}

func TestManyFindings(t *testing.T) {
	tags := strings.TrimSuffix(strings.Repeat("1,", 250), ",")
	found := ValidateMemory([]byte(`{"id":"m","tags":[` + tags + `]}`))
	if len(found) != 100 {
		t.Fatalf("%d findings", len(found))
	}
	for i, f := range found[:99] { // in order of number, not of digits
		if want := fmt.Sprintf("tags[%d]", i); f.Path != want {
			t.Errorf("finding %d is for %s", i, f.Path)
		}
	}
	if last := found[99]; last.Message != "and 151 more findings" {
		t.Errorf("%+v", last)
	}
}

// The schema accepts the durations that the settings accept, but for their size.
func TestTTL(t *testing.T) {
	check := func(t interface{ Fatalf(string, ...any) }, ttl string) {
		_, err := config.ParseDuration(ttl)
		if err != nil && strings.Contains(err.Error(), " is too ") {
			return
		}
		found := ValidateMemory(fmt.Appendf(nil, `{"id":"m","ttl":%q}`, ttl))
		_, noDay := time.Parse(time.DateOnly, ttl)
		if want := err == nil || noDay == nil || ttl == "permanent" || ttl == "none" || ttl == "2026-05-10T12:00:00+02:00"; want != (found == nil) {
			t.Fatalf("ttl %q: ParseDuration says %v, the schema %v", ttl, err, found)
		}
	}
	for _, ttl := range []string{"permanent", "", "P", "PT", "P1DT", "7d", "P7D", "forever", "1h1d", "1w2d3h4m5s6ms", "P1Y2M3W4DT5H6M7.5S", "PT0,5S", "0,5s", ".5s", "1.5d", "7D", "none", "2026-05-10", "2026-13-01", "2026-05-10T12:00:00+02:00"} {
		check(t, ttl)
	}
	part := rapid.SampledFrom([]string{"1", "20", ".", ",", "5", "w", "d", "h", "m", "s", "ms", "P", "T", "Y", "M", "W", "D", "H", "S", " ", "-"})
	rapid.Check(t, func(t *rapid.T) {
		check(t, strings.Join(rapid.SliceOfN(part, 0, 9).Draw(t, "parts"), ""))
	})
}

const memoryID = `"` + base + `memory.schema.json"`

func TestExtend(t *testing.T) {
	x, reports := Extend(map[string][]byte{
		"strict.json": []byte(`{
			"$ref": ` + memoryID + `,
			"required": ["project", "created_by"],
			"properties": {
				"id": {"pattern": "^mem_"},
				"tags": {"minItems": 2, "uniqueItems": true, "x-advice": "name the component and the kind of change"},
				"confidence": {"minimum": 0.5, "x-severity": "error"},
				"created_at": {"pattern": "Z$"},
				"project": {"enum": ["Apollo", "Gemini"]}
			}
		}`),
		"episodes.json": []byte(`{
			"x-memoryd-type": "episodic",
			"properties": {"content": {"anyOf": [{"type": "string"}, {"required": ["outcome"]}]}}
		}`),
		"parts.json":     []byte(`{"allOf": [{"$ref": ` + memoryID + `}, {"properties": {"summary": {"maxLength": 5}}}]}`),
		"draft7.json":    []byte(`{"$schema": "http://json-schema.org/draft-07/schema#", "x-memoryd-type": "working", "required": ["ttl"]}`),
		"unrelated.json": []byte(`{"$id": "https://example.com/x.json", "required": ["nothing"]}`),
		"uses.json":      []byte(`{"properties": {"memories": {"items": {"$ref": ` + memoryID + `}}}, "required": ["memories"]}`),
		"boolean.json":   []byte(`false`),
	})
	compare(t, reports, "")

	compare(t, x.ValidateMemory([]byte(`{"id":"m","type":"episodic","tags":["a"],"confidence":0.4,"content":{},"created_at":"yesterday","summary":"too long","project":"apollo"}`)), `
error confidence is 0.4: write at least 0.5 (strict.json)
warning content is an object: it fits none, or more than one, of the forms that its schema allows (episodes.json)
warning created_at is "yesterday": write an RFC 3339 time such as 2026-03-01T09:00:00Z
warning created_by is missing (strict.json)
warning id is "m": write text that matches ^mem_ (strict.json)
warning project is "apollo": did you mean "Apollo"? (strict.json)
warning summary is "too long": write at most 5 characters (parts.json)
warning tags is a list: name the component and the kind of change (strict.json)`)

	valid := `"id":"mem_1","tags":["a","b"],"created_by":"USER","project":"Apollo"`
	compare(t, x.ValidateMemory([]byte(`{`+valid+`,"type":"semantic","content":{}}`)), "")
	compare(t, x.ValidateMemory([]byte(`{`+valid+`,"type":"episodic","content":{"outcome":"good"}}`)), "")
	compare(t, x.ValidateMemory([]byte(`{`+valid+`,"type":"working"}`)), "warning ttl is missing (draft7.json)")
	compare(t, x.ValidateMemory([]byte(`7`)), `warning this is 7: a memory is an object with an id and a type or a content`)
	compare(t, x.ValidateMemory([]byte(`{`)), `error not valid JSON in line 1: unexpected end of JSON input`)

	// Without the extension nothing of it is asked.
	compare(t, ValidateMemory([]byte(`{"id":"m","type":"episodic","content":{}}`)), "")
}

func TestExtendReports(t *testing.T) {
	x, reports := Extend(map[string][]byte{
		"cut.json":       []byte(`{"x-memoryd-type": `),
		"type.json":      []byte(`{"x-memoryd-type": ["working"]}`),
		"file.json":      []byte(`{"x-memoryd-type": "working", "$ref": "file:///etc/passwd"}`),
		"net.json":       []byte(`{"x-memoryd-type": "working", "$ref": "https://example.com/x.json"}`),
		"meta.json":      []byte(`{"x-memoryd-type": "working", "$schema": "https://example.com/meta.json"}`),
		"nowhere.json":   []byte(`{"x-memoryd-type": "working", "$ref": "#/$defs/none"}`),
		"invalid.json":   []byte(`{"x-memoryd-type": "working", "properties": {"a": {"minLength": "x"}}}`),
		"lookahead.json": []byte(`{"x-memoryd-type": "working", "pattern": "(?=a)"}`),
		"huge.json":      []byte(`{"x-memoryd-type": "working", "minLength": 1e99999999999}`),
		"odd %zz#?.json": []byte(`{"x-memoryd-type": "working", "required": ["owner"]}`),
	})
	compare(t, reports, `
warning cut.json is not used: not valid JSON in line 1: unexpected end of JSON input
warning file.json is not used: failing loading "file:///etc/passwd": only memoryd's own schemas can be referred to
warning invalid.json is not used: properties.a.minLength is "x": write a whole number
warning lookahead.json is not used: pattern is "(?=a)": write a valid regex
warning meta.json is not used: failing loading "https://example.com/meta.json": only memoryd's own schemas can be referred to
warning net.json is not used: failing loading "https://example.com/x.json": only memoryd's own schemas can be referred to
warning nowhere.json is not used: json-pointer in "https://github.com/memoryd/memoryd/schemas/workspace/nowhere.json#/$defs/none" not found
warning type.json is not used: x-memoryd-type is a list: write a type of memory such as "episodic"`)
	compare(t, x.ValidateMemory([]byte(`{"id":"m","type":"working"}`)), `warning owner is missing (odd %zz#?.json)`)

	if x, reports := Extend(nil); reports != nil || x.ValidateMemory([]byte(`{"id":"m"}`)) != nil {
		t.Error("no files, but findings")
	}
}

// A schema that asks for more than can be answered is left out, at once; one that refers to
// itself below, and a large one, are not.
func TestWithinLimits(t *testing.T) {
	doubled := `{"x-memoryd-type":"working","$ref":"#/$defs/s0","$defs":{`
	for i := range 40 {
		doubled += fmt.Sprintf(`"s%d":{"allOf":[{"$ref":"#/$defs/s%d"},{"$ref":"#/$defs/s%d"}]},`, i, i+1, i+1)
	}
	doubled += `"s40":{}}}`
	large := `{"x-memoryd-type":"working","required":["owner"],"properties":{"tree":{"$ref":"#/$defs/tree"}`
	for i := range 2000 {
		large += fmt.Sprintf(`,"p%d":{"anyOf":[{"type":"string"},{"type":"null"}]}`, i)
	}
	large += `},"$defs":{"tree":{"properties":{"left":{"$ref":"#/$defs/tree"},"right":{"$ref":"#/$defs/tree"}},"additionalProperties":false}}}`
	x, reports := Extend(map[string][]byte{
		"deep.json":    []byte(`{"x-memoryd-type":"working",` + strings.Repeat(`"not":{`, 3000) + strings.Repeat(`}`, 3001)),
		"doubled.json": []byte(doubled),
		"levels.json":  []byte(`{"x-memoryd-type":"working","properties":{"l":{"$ref":"#/$defs/a"}},"$defs":{"a":{"items":{"allOf":[{"$ref":"#/$defs/a"},{"$ref":"#/$defs/a"}]}}}}`),
		"large.json":   []byte(large),
	})
	compare(t, reports, `
warning deep.json is not used: it has more than 100 levels
warning doubled.json is not used: it would be asked more than 100000 times for one value: refer to fewer schemas that refer to others
warning levels.json is not used: it would be asked more than 100000 times for one value: refer to fewer schemas that refer to others`)
	compare(t, x.ValidateMemory([]byte(`{"id":"m","type":"working","tree":{"left":{"up":1}}}`)), `
warning owner is missing (large.json)
warning tree.left.up is not allowed (large.json)`)
}

// Each kind of demand has words of its own.
func TestWords(t *testing.T) {
	for demand, want := range map[string]string{
		`{"properties":{"a":{"type":["integer","array"]}}}`:                             `warning a is "x": write a whole number or a list (w.json)`,
		`{"properties":{"a":{"const":"y"}}}`:                                            `warning a is "x": write "y" (w.json)`,
		`{"properties":{"a":{"enum":["y",2,null]}}}`:                                    `warning a is "x": write one of "y", 2, null (w.json)`,
		`{"properties":{"a":{"format":"email"}}}`:                                       `warning a is "x": write a valid email (w.json)`,
		`{"properties":{"a":{"format":"date-time"}}}`:                                   `warning a is "x": write a valid date-time (w.json)`,
		`{"properties":{"a":{"minLength":3}}}`:                                          `warning a is "x": write at least 3 characters (w.json)`,
		`{"properties":{"a":false}}`:                                                    `warning a is "x": its schema does not allow this (w.json)`,
		`{"properties":{"a":{"not":{}}}}`:                                               `warning a is "x": its schema does not allow this (w.json)`,
		`{"properties":{"a":{"oneOf":[{"type":"string"},{}]}}}`:                         `warning a is "x": it fits none, or more than one, of the forms that its schema allows (w.json)`,
		`{"properties":{"n":{"maximum":0.25}}}`:                                         `warning n is 1.5: write at most 0.25 (w.json)`,
		`{"properties":{"n":{"minimum":100}}}`:                                          `warning n is 1.5: write at least 100 (w.json)`,
		`{"properties":{"n":{"multipleOf":2}}}`:                                         `warning n is 1.5: multipleOf: got 1.5, want 2 (w.json)`,
		`{"properties":{"l":{"maxItems":1}}}`:                                           `warning l is a list: it has 2 elements; write at most 1 (w.json)`,
		`{"properties":{"l":{"minItems":3}}}`:                                           `warning l is a list: it has 2 elements; write at least 3 (w.json)`,
		`{"properties":{"l":{"uniqueItems":true}}}`:                                     `warning l is a list: its elements 0 and 1 are the same (w.json)`,
		`{"dependentRequired":{"a":["b c"]}}`:                                           `warning ["b c"] is missing (w.json)`,
		`{"additionalProperties":false,"patternProperties":{"^.":{}}}`:                  ``,
		`{"additionalProperties":false,"properties":{"id":{},"type":{},"n":{},"l":{}}}`: `warning a is not allowed (w.json)`,
		`{"$ref":"#"}`: `warning this is an object: its schema refers to itself without end (w.json)`,
	} {
		x, reports := Extend(map[string][]byte{"w.json": []byte(`{"x-memoryd-type":"note",` + demand[1:])})
		compare(t, reports, "")
		var got []Finding
		for _, f := range x.ValidateMemory([]byte(`{"id":"m","type":"note","a":"x","n":1.5,"l":[1,1.0]}`)) {
			if f.Path != "type" {
				got = append(got, f)
			}
		}
		t.Run(demand, func(t *testing.T) { compare(t, got, want) })
	}
}

// A malformed variant is a warning that says what to do; those that merges write have no findings.
func TestVariants(t *testing.T) {
	for variants, want := range map[string]int{
		`null`: 0,
		`[]`:   0,
		`[{"text":"x","from":"a","written":"2026-01-02T09:00:00Z"},{"path":"/content/port","value":null,"from":"b"}]`: 0,
		`"x"`:                                  1,
		`["x"]`:                                1,
		`[{"text":""}]`:                        1,
		`[{"from":"a"}]`:                       2,
		`[{"path":"/content/port"}]`:           1,
		`[{"path":"port","value":1}]`:          1,
		`[{"text":"x","written":"last week"}]`: 1,
		`[{"text":"x","from":["a","b"]}]`:      1,
	} {
		found := ValidateMemory([]byte(`{"id":"a","type":"factual","content":"c","variants":` + variants + `}`))
		if len(found) != want {
			t.Errorf("%s: %+v", variants, found)
		}
		for _, f := range found {
			if f.Severity != Warning || !strings.Contains(f.Message, ": ") {
				t.Errorf("%s: %+v", variants, f)
			}
		}
	}
}
