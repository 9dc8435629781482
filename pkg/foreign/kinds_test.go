package foreign

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/memoryd/memoryd/pkg/internal/jsonedit"
	"github.com/memoryd/memoryd/pkg/memory"
)

// programs are records as other programs write them, and the first of each as a memory.
var programs = []struct {
	name, file, text string
	format           Format
	records          int
	first            Record
	content          string
	told             []string // what of all has no place
}{
	{
		name: "mcp-memory-service", file: "backup.json", format: Service, records: 2,
		text: `{"export_metadata":{"total_memories":2},"memories":[
			{"content":"The queue is drained at noon.","content_hash":"a1","tags":"queue, staging","created_at":1767607200.5,"updated_at":1767693600,"memory_type":"workflow","metadata":{"project":"shop","host":"desk"}},
			{"content":"Old.","content_hash":"b2","tags":[],"created_at":1767607200,"memory_type":null,"metadata":{"superseded_by":"a1"}}]}`,
		first:   Record{Type: memory.Procedural, Subtype: "workflow", Tags: []string{"queue", "staging"}, Scope: memory.Scope{Kind: "project", ID: "shop"}, Fields: []Field{{"metadata", []byte(`{"project":"shop","host":"desk"}`)}}},
		content: `{"details":"The queue is drained at noon."}`,
	},
	{
		name: "claude-mem", file: "out.json", format: ClaudeMem, records: 3,
		text: `{"query":"","observations":[
			{"id":4,"memory_session_id":"m","project":"old","merged_into_project":"shop","text":null,"type":"discovery","title":"T","subtitle":"S","facts":"[\"one\"]","narrative":"N","concepts":"[\"gotcha\"]","files_read":"[]","discovery_tokens":7,"created_at":"2026-01-05T10:00:00.000Z","created_at_epoch":1767607200000,"new_column":"kept"}],
			"sessions":[{"id":1,"content_session_id":"c","memory_session_id":"m"}],
			"summaries":[{"id":4,"memory_session_id":"m","project":"shop","request":"R","completed":"C","notes":null,"created_at_epoch":1767607200000}],
			"prompts":[{"id":4,"prompt_text":"Why?","project":"shop","created_at":"2026-01-05T10:00:00Z"}]}`,
		first: Record{Type: memory.Semantic, Subtype: "discovery", Tags: []string{"gotcha"}, Scope: memory.Scope{Kind: "project", ID: "shop"},
			Fields: []Field{{"memory_session_id", []byte(`"m"`)}}},
		content: `{"title":"T","summary":"S","details":"N","facts":["one"],"new_column":"kept"}`,
		told:    []string{"out.json: 1 of its sessions: tells when a session was, and nothing to remember"},
	},
	{
		name: "engram", file: "e.json", format: Engram, records: 3,
		text: `{"version":"1","sessions":[{"id":"s","project":"shop","directory":"/d","started_at":"2026-01-05 09:00:00","ended_at":"2026-01-05 11:00:00","summary":"Done."}],
			"observations":[{"id":1,"sync_id":"o","session_id":"s","type":"preference","title":"T","content":"C","project":"shop","scope":"personal","created_at":"2026-01-05 10:00:00","updated_at":"2026-01-05 10:00:00"},
			{"id":2,"sync_id":"p","session_id":"s","type":"x","title":"T","content":"C","deleted_at":"2026-01-05 10:00:00"}],
			"prompts":[{"id":1,"sync_id":"q","session_id":"s","content":"Why?","project":"shop","created_at":"2026-01-05 10:00:00"}]}`,
		first: Record{Type: memory.Episodic, Subtype: "session-summary", Scope: memory.Scope{Kind: "project", ID: "shop"},
			Fields: []Field{{"directory", []byte(`"/d"`)}}},
		content: `{"details":"Done."}`,
		told:    []string{"e.json: 1 of its observations: deleted there"},
	},
	{
		name: "beads", file: "issues.jsonl", format: Beads, records: 3,
		text: `{"id":"x-1","title":"T","description":"D","status":"open","priority":0,"issue_type":"bug","labels":["a"],"created_at":"2026-01-05T10:00:00+01:00","updated_at":"2026-01-05T10:00:00Z","dependencies":[{"issue_id":"x-1","depends_on_id":"x-2","type":"blocks"}],"content_hash":"h"}
			{"id":"x-2","title":"T2","status":"closed","priority":2,"issue_type":"task","dependencies":[{"depends_on_id":"x-1","type":"supersedes"},{"depends_on_id":"x-9","type":"related"}]}
			{"id":"x-3","title":"T3","status":"tombstone","issue_type":"task"}
			{"_type":"memory","key":"node","value":"Node 22."}`,
		first:   Record{Type: memory.Episodic, Subtype: "bug", Tags: []string{"a"}, Priority: "critical"},
		content: `{"title":"T","details":"D","status":"open"}`,
		told:    []string{"issues.jsonl: 1 of its records: deleted there", `issues.jsonl:2: related "x-9", which no record here has as its name: kept as a name`},
	},
	{
		name: "basic-memory", file: "design/Worker.md", format: Basic, records: 1,
		text: "---\ntitle: Worker\ntype: guide\npermalink: design/worker\ntags:\n- exports\ncreated: 2026-01-05\nproject: shop\n---\n# Worker\n\n- [decision] At two #night (quiet) #12\n- [x] #done\n```\n#code [[None]]\n```\n- part_of [[Worker]]\n- \"made for\" [[Shop|the shop]] (lamps)\n",
		first: Record{Type: memory.Semantic, Subtype: "guide", Tags: []string{"exports", "night", "done"}, Scope: memory.Scope{Kind: "project", ID: "shop"},
			Fields: []Field{{"metadata", []byte(`{"permalink":"design/worker"}`)}, {"references", []byte(`[{"id":"Shop","relationship":"made for"}]`)}}},
		told: []string{`design/Worker.md: made for "Shop", which no record here has as its name: kept as a name`},
	},
}

func TestPrograms(t *testing.T) {
	for _, tt := range programs {
		t.Run(tt.name, func(t *testing.T) {
			files := []File{{tt.file, []byte(tt.text)}}
			records, misfits := Read("", "s", "", files)
			var told []string
			for _, m := range misfits {
				told = append(told, m.Place+": "+m.What)
			}
			if len(records) != tt.records || !slices.Equal(told, tt.told) {
				t.Fatalf("%d records, told %q", len(records), told)
			}
			r, want := records[0], tt.first
			fields := func(all []Field) string { b := encode(all); return string(b) }
			if r.Source.Format != tt.format || r.Type != want.Type || r.Subtype != want.Subtype || !slices.Equal(r.Tags, want.Tags) || r.Scope != want.Scope ||
				r.Priority != want.Priority && want.Priority != "" || tt.content != "" && string(r.Content) != tt.content {
				t.Errorf("read as %+v, content %s", r, r.Content)
			}
			if want.Fields != nil && fields(r.Fields) != fields(want.Fields) {
				t.Errorf("fields %s", fields(r.Fields))
			}
			for _, r := range records {
				if r.CreatedAt.IsZero() && r.UpdatedAt.IsZero() && tt.format != Beads || len(r.Undated) > 0 {
					t.Errorf("%s has no time: %q", r.Place(), r.Undated)
				}
			}
			back, _ := Write(tt.format.Base(), storedAll(t, records))
			if len(back) != 1 || string(back[0].Text) != tt.text {
				t.Errorf("comes back as %q", back)
			}
		})
	}
}

// Links point to the ids that the records have here; what supersedes another one has the members for that.
func TestLinks(t *testing.T) {
	records, _ := Read("", "s", "", []File{{"issues.jsonl", []byte(programs[3].text)}})
	fields := map[string]string{}
	for _, f := range append(records[0].Fields, records[1].Fields...) {
		fields[f.Key] += string(f.Value)
	}
	if want := `[{"id":"` + records[1].ID + `","relationship":"blocks"}][{"id":"x-9","relationship":"related"}]`; fields["references"] != want {
		t.Errorf("references %s, want %s", fields["references"], want)
	}
	if want := `["` + records[0].ID + `"]`; fields["supersedes"] != want {
		t.Errorf("supersedes %s, want %s", fields["supersedes"], want)
	}
	records, misfits := Read("", "s", "", []File{
		{"a.md", []byte("See [[Sub/B]], [[b#part]] and [[c]], which isn't there.")}, {"sub/b.md", []byte("Text.")}})
	if len(misfits) > 0 || len(records[0].Fields) != 1 || strings.Count(string(records[0].Fields[0].Value), records[1].ID) != 2 {
		t.Errorf("told %v, fields %s", misfits, records[0].Fields)
	}
}

// An edit of what another program wrote changes the member that it has there.
func TestEditsOfPrograms(t *testing.T) {
	for _, tt := range []struct {
		program int
		value   string
		path    []string
		was, is string
		lost    string
	}{
		{program: 1, value: `"New"`, path: []string{"content", "details"}, was: `"narrative":"N"`, is: `"narrative":"New"`},
		{program: 1, value: `["one","two"]`, path: []string{"content", "facts"}, was: `"[\"one\"]"`, is: `"[\"one\",\"two\"]"`},
		{program: 1, value: `["gotcha","new"]`, path: []string{"tags"}, was: `"[\"gotcha\"]"`, is: `"[\"gotcha\",\"new\"]"`},
		{program: 2, value: `["new"]`, path: []string{"tags"}, lost: "tags"},
		{program: 3, value: `"New"`, path: []string{"content", "title"}, was: `"title":"T",`, is: `"title":"New",`},
		{program: 3, value: `["b"]`, path: []string{"tags"}, was: `"labels":["a"]`, is: `"labels":["b"]`},
	} {
		p := programs[tt.program]
		records, _ := Read("", "s", "", []File{{p.file, []byte(p.text)}})
		var all []*memory.Memory
		for i := range records {
			all = append(all, stored(t, &records[i]))
		}
		all[0] = edit(t, all[0], tt.value, tt.path...)
		back, lost := Write(p.format.Base(), all)
		what := ""
		for _, m := range lost {
			what += m.What
		}
		if want := strings.Replace(p.text, tt.was, tt.is, 1); len(back) != 1 || string(back[0].Text) != want || what != tt.lost {
			t.Errorf("%s of %s: wrote %q, lost %v", tt.path, p.name, back, lost)
		}
	}
}

// Whatever a list of one of these kinds holds, no member gets lost on the way in that the kind doesn't name, and the bytes come back.
func TestMembersStay(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		k := rapid.SampledFrom(kinds).Draw(t, "kind")
		record := map[string]any{}
		for _, key := range k.has {
			record[key] = rapid.SampledFrom([]any{"a b", "memory", "[\"x\"]", 1.5}).Draw(t, key)
		}
		value := rapid.SampledFrom([]any{"text", "", nil, 1, true, []any{"a"}, []any{}, map[string]any{"k": "v"}, "[\"x\"]", "[", "2026-01-02"})
		for _, key := range rapid.SliceOfNDistinct(rapid.SampledFrom([]string{"unknown", "title", "tags", "notes", "created_at", "é<", "a.b", "metadata", "priority"}), 0, 5, rapid.ID[string]).Draw(t, "keys") {
			record[key] = value.Draw(t, "value")
		}
		raw, err := json.Marshal(record)
		if err != nil {
			t.Fatal(err)
		}
		file := File{"a.jsonl", append(raw, '\n')}
		if k.list != "" {
			file = File{"a.json", []byte(`{"` + k.list + `": [` + string(raw) + ` ]}`)}
		}
		records, misfits := Read("", "s", "", []File{file})
		if len(records) == 0 {
			if len(misfits) == 0 {
				t.Fatalf("%s is lost", file.Text)
			}
			return
		}
		if v, ok := jsonedit.Get(records[0].Content, "unknown"); record["unknown"] == "text" && (!ok || v.Str != "text") {
			t.Fatalf("content %s of %s", records[0].Content, raw)
		}
		back, _ := Write(records[0].Source.Format.Base(), storedAll(t, records))
		if len(back) != 1 || string(back[0].Text) != string(file.Text) {
			t.Fatalf("was %s, is %q", file.Text, back)
		}
	})
}
