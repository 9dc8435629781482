package foreign

import (
	"slices"
	"strings"
	"testing"

	"github.com/tidwall/gjson"
	"pgregory.net/rapid"

	"github.com/memoryd/memoryd/pkg/internal/jsonedit"
	"github.com/memoryd/memoryd/pkg/memory"
)

// Each edit of a member of an imported memory is in the file that is written, or is reported; and no other member of the file changes.
func TestEditedMembersAreWrittenOrReported(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		lines := rapid.SliceOfDistinct(rapid.SampledFrom([]string{
			"owner: Ann", "owner: 'Ann' # boss", "priority: low", "expires: 2027-01-01", "ttl: 30d", "pinned: yes", "list:\n- a\n- b", "\"zone\": q",
			"metadata:\n  zone: q\n  deep: {a: 1}", "# a comment", "note: |\n  two\n  lines", "references: [r0]", "tags: [x]", "importance: 0.5",
		}), func(line string) string { key, _, _ := strings.Cut(line, ":"); return strings.Trim(key, `"`) }).Draw(t, "front")
		text := "Deploy with care.\n"
		if len(lines) > 0 {
			text = "---\ntitle: T\n" + strings.Join(lines, "\n") + "\n---\n" + text
		}
		f := File{"a.md", []byte(text)}
		if rapid.Bool().Draw(t, "of JSON") {
			f = File{"a.jsonl", []byte(`{"title":"T","text":"Deploy with care.","owner":"Ann","expires":"2027-01-01","priority":"low"}` + "\n")}
		}
		if rapid.Bool().Draw(t, "CRLF") {
			f.Text = []byte(strings.ReplaceAll(string(f.Text), "\n", "\r\n"))
		}
		records, _ := Read("", "s", "", []File{f})
		m := stored(t, &records[0])
		raw := m.Raw()
		for _, e := range rapid.SliceOfN(rapid.SampledFrom([][]string{
			{"priority", `"high"`}, {"ttl", `"2028-02-02"`}, {"ttl", `null`}, {"pinned", `true`}, {"importance", `0.7`}, {"references", `["r1","r2"]`},
			{"metadata", `{"owner":"bob"}`}, {"metadata", `{"owner":"a: b # c","n":{"k":[1,"x"]}}`}, {"review_on", `"2027-03-01"`}, {"x", `"y"`},
			{"type", `"procedural"`}, {"metadata", `{"title":"other"}`},
		}), 0, 4).Draw(t, "edits") {
			var err error
			if raw, err = jsonedit.Apply(raw, jsonedit.Set([]byte(e[1]), e[0])); err != nil {
				t.Fatal(err)
			}
		}
		m, err := memory.OneRecord("global/x.json", raw)
		if err != nil {
			t.Fatal(err)
		}
		files, told := Write(records[0].Source.Format, []*memory.Memory{m})
		again, _ := Read("", "s", "", files)
		if len(again) != 1 {
			t.Fatalf("read %d records of %q", len(again), files)
		}
		is, was := again[0], records[0]
		here := records[0]
		here.Type, here.Fields, here.Priority = m.Type, nil, m.Priority
		gjson.ParseBytes(raw).ForEach(func(k, v gjson.Result) bool {
			if !slices.Contains(append([]string{"type", "subtype", "priority"}, ours...), k.String()) {
				here.Fields = append(here.Fields, Field{k.String(), []byte(v.Raw)})
			}
			return true
		})
		reported := ""
		for _, misfit := range told {
			reported += misfit.What
		}
		lost := strings.Split(strings.TrimPrefix(reported, "edited since, and kept in the file as it was: "), ", ")
		written, before, wanted := is.Members(), was.Members(), here.Members()
		names := map[string]bool{}
		for _, all := range []map[string]string{written, before, wanted} {
			for k := range all {
				names[k] = true
			}
		}
		for k := range names {
			want := wanted[k]
			if slices.Contains(lost, k) {
				want = before[k]
			}
			if written[k] != want {
				t.Fatalf("%s is %s, want %s; reported %q\n%s", k, written[k], want, lost, files[0].Text)
			}
		}
		if string(again[0].Content) != string(records[0].Content) || !slices.Equal(again[0].Tags, records[0].Tags) {
			t.Fatalf("content or tags changed: %s", files[0].Text)
		}
		for _, line := range lines {
			if strings.HasPrefix(line, "#") && f.Name == "a.md" && !strings.Contains(string(files[0].Text), line) {
				t.Fatalf("a comment is gone: %s", files[0].Text)
			}
		}
	})
}
