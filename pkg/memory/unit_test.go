package memory

import (
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/memoryd/memoryd/pkg/internal/jsonedit"
)

func recordOf(t interface {
	Helper()
	Fatal(...any)
}, id, members string) *Memory {
	t.Helper()
	m, err := OneRecord(id+".json", []byte(fmt.Sprintf(`{"id": %q, "type": "factual", "created_at": "2026-01-02T00:00:00Z", %s}`, id, members)))
	if err != nil {
		t.Fatal(err)
	}
	return m
}

// after is a survivor with the wording of its sources.
func after(t interface {
	Helper()
	Fatal(...any)
}, s *Memory, limits VariantLimits, sources ...*Memory) *Memory {
	t.Helper()
	edits, err := TakeOver(s.ID, s.Raw(), sources, limits)
	if err != nil {
		t.Fatal(err)
	}
	raw, err := jsonedit.Apply(s.Raw(), edits...)
	if err != nil {
		t.Fatal(err)
	}
	m, err := OneRecord(s.ID+".json", raw)
	if err != nil {
		t.Fatal(err)
	}
	return m
}

func TestTakeOver(t *testing.T) {
	for _, test := range []struct{ name, survivor, source, want string }{
		{"same wording", `"content": "The port is 5432."`, `"content": "The port is  5432"`, ``},
		{"covered", `"content": "The port is 5432. It is open."`, `"content": "It is open."`, ``},
		{"a sentence", `"content": "The port is 5432. It is open."`, `"content": "It was open. The port is 5432."`,
			`[{"text": "It was open.", "from": "b", "written": "2026-01-02T00:00:00Z"}]`},
		{"a place", `"content": "Allowed:\n- finance"`, `"content": "Denied:\n- finance"`,
			`[{"text": "Denied:\n- finance", "from": "b", "written": "2026-01-02T00:00:00Z"}]`},
		{"a value", `"content": {"port": 1, "host": "db"}`, `"content": {"host": "db", "port": 2}`,
			`[{"path": "/content/port", "value": 2, "from": "b", "written": "2026-01-02T00:00:00Z"}]`},
		{"two values", `"content": {"a": {"x": 1}, "b": [1, 2], "c": 3}`, `"content": {"a": {"x": 2}, "b": [2, 1], "c": 3}`,
			`[{"path": "/content", "value": {"a": {"x": 2}, "b": [2,1]}, "from": "b", "written": "2026-01-02T00:00:00Z"}]`},
		{"another shape", `"content": {"details": "X is up."}`, `"content": "X is up."`, ``},
		{"another shape, the other way", `"content": "X is up."`, `"content": {"details": "X is up.", "port": 1}`,
			`[{"path": "/content/port", "value": 1, "from": "b", "written": "2026-01-02T00:00:00Z"}]`},
		{"a field that means something", `"content": "finance"`, `"content": {"deny": "finance"}`,
			`[{"path": "/content/deny", "value": "finance", "from": "b", "written": "2026-01-02T00:00:00Z"}]`},
		{"a title", `"title": "Ports", "content": "The port is 5432."`, `"title": "The ports", "content": "The port was 5432."`,
			`[{"path": "", "value": {"title": "The ports", "content": "The port was 5432."}, "from": "b", "written": "2026-01-02T00:00:00Z"}]`},
		{"provenance", `"content": "X is up.", "source_file": "a b.md"`, `"content": "X is up.", "source_file": "c d.md", "updated_at": "2026-02-02T00:00:00Z"`, ``},
		{"a note", `"content": "X is up.", "note": "said Ann"`, `"content": "X is up.", "note": "said Bob"`,
			`[{"path": "/note", "value": "said Bob", "from": "b", "written": "2026-01-02T00:00:00Z"}]`},
		{"names with slashes", `"content": {"a/b": 1, "c~d": 1}`, `"content": {"a/b": 2, "c~d": 1}`,
			`[{"path": "/content/a~1b", "value": 2, "from": "b", "written": "2026-01-02T00:00:00Z"}]`},
		{"variants move along", `"content": "X is up."`, `"content": "X is up.", "variants": [{"text": "X runs.", "from": "c", "written": "2025-05-05T00:00:00Z"}]`,
			`[{"text": "X runs.", "from": "c", "written": "2025-05-05T00:00:00Z"}]`},
		{"a variant that stands in the content goes", `"content": "X is up.", "variants": [{"text": "X runs.", "from": "c"}]`, `"content": "X runs."`,
			`[{"text": "X runs.", "from": "c"}]`},
		{"of the survivor too", `"content": "X is up. X runs.", "variants": [{"text": "X runs.", "from": "c"}]`, `"content": "X is up."`, ``},
	} {
		s, source := recordOf(t, "a", test.survivor), recordOf(t, "b", test.source)
		got := after(t, s, VariantLimits{}, source)
		is := ""
		if v := gjsonOf(got.Raw(), VariantsKey); v != "" {
			is = v
		}
		if is != test.want {
			t.Errorf("%s:\n%s\nwant\n%s", test.name, is, test.want)
		}
		if err := ProveMerge(got, s, source); err != nil {
			t.Errorf("%s: %v", test.name, err)
		}
		if again := after(t, got, VariantLimits{}, source); string(again.Raw()) != string(got.Raw()) {
			t.Errorf("%s: a second time it becomes\n%s", test.name, again.Raw())
		}
	}
}

func gjsonOf(raw []byte, key string) string {
	var doc map[string]json.RawMessage
	if json.Unmarshal(raw, &doc) != nil {
		return ""
	}
	return string(doc[key])
}

// A merge that would lose a wording is refused, with the wording named.
func TestProveMerge(t *testing.T) {
	s := recordOf(t, "a", `"content": "The port is 5432."`)
	for _, content := range []string{`"The port was 5432."`, `"The port is 5432!"`, `"# The port is 5432."`, `"Ports:\n- 5432"`, `{"port": 5432}`, `["The port is 5432."]`} {
		err := ProveMerge(s, recordOf(t, "b", `"content": `+content))
		if !errors.Is(err, ErrWordingLost) || !strings.Contains(err.Error(), "merge b into a") {
			t.Errorf("%s: %v", content, err)
		}
	}
}

// A variant longer than half of a long content, and a ninth one, are left to a person.
func TestVariantLimits(t *testing.T) {
	limits := VariantLimits{Most: 8, Length: 0.5}
	long := strings.Repeat("It goes on and on here. ", 100)
	s := recordOf(t, "a", `"content": "`+long+`"`)
	_, err := TakeOver("a", s.Raw(), []*Memory{recordOf(t, "b", `"content": "`+strings.Repeat("Quite another text stands in it. ", 60)+`"`)}, limits)
	if !errors.Is(err, ErrTooManyVariants) {
		t.Errorf("long: %v", err)
	}
	var sources []*Memory
	for i := range 9 {
		sources = append(sources, recordOf(t, fmt.Sprint("b", i), fmt.Sprintf(`"content": "Wording number %d."`, i)))
	}
	if _, err = TakeOver("a", s.Raw(), sources, limits); !errors.Is(err, ErrTooManyVariants) {
		t.Errorf("nine: %v", err)
	}
	if _, err = TakeOver("a", s.Raw(), sources[:8], limits); err != nil {
		t.Errorf("eight: %v", err)
	}
}

func TestCovered(t *testing.T) {
	for _, test := range []struct {
		a, b       string
		aInB, bInA bool
	}{
		{`"X is up."`, `"X  is up"`, true, true},
		{`"X is up."`, `"X is up. Y is down."`, true, false},
		{`"X is up. Y is down."`, `"Y is down. X is up."`, false, false},
		{`"Stop it. Stop it."`, `"Stop it."`, false, true},
		{`{"a": 1, "b": 2}`, `{"b": 2, "a": 1}`, true, true},
		{`{"a": 1}`, `{"b": 2, "a": 1}`, true, false},
		{`{"a": [1]}`, `{"a": [1, 2]}`, false, false},
	} {
		aInB, bInA := Covered(recordOf(t, "a", `"content": `+test.a), recordOf(t, "b", `"content": `+test.b))
		if aInB != test.aInB || bInA != test.bInA {
			t.Errorf("%s and %s: %v, %v", test.a, test.b, aInB, bInA)
		}
	}
}

// drawnContent draws the content of a record.
func drawnContent() *rapid.Generator[string] {
	words := rapid.SampledFrom([]string{"The port is 5432.", "No, restart.", "No restart.", "# Head", "- item", "Allowed:", "Denied:", "```", "x = 1", "", "It is open!", "Wait…", "`a  b`", "| a | b |", "2. then stop"})
	text := rapid.Custom(func(t *rapid.T) string {
		return strings.Join(rapid.SliceOfN(words, 0, 6).Draw(t, "lines"), rapid.SampledFrom([]string{"\n", " "}).Draw(t, "between"))
	})
	var value *rapid.Generator[any]
	value = rapid.OneOf(
		rapid.Custom(func(t *rapid.T) any { return text.Draw(t, "text") }),
		rapid.SampledFrom([]any{1, true, nil, 2.5, []any{}, map[string]any{}, []any{"a", 1}}),
		rapid.Custom(func(t *rapid.T) any {
			return rapid.MapOfN(rapid.SampledFrom([]string{"a", "b/c", "d~", "details", ""}), rapid.Deferred(func() *rapid.Generator[any] { return value }), 0, 3).Draw(t, "object")
		}),
	)
	return rapid.Custom(func(t *rapid.T) string {
		out, err := json.Marshal(value.Draw(t, "content"))
		if err != nil {
			t.Fatal(err)
		}
		return string(out)
	})
}

// Merges in any order lose no wording: each unit of each source is a unit of the last survivor.
func TestMergesInAnyOrderLoseNoWording(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var all []*Memory
		n := rapid.IntRange(2, 5).Draw(t, "n")
		for i := range n {
			all = append(all, recordOf(t, fmt.Sprint("m", i), `"content": `+drawnContent().Draw(t, "content")))
		}
		left := append([]*Memory(nil), all...)
		for len(left) > 1 {
			i := rapid.IntRange(0, len(left)-2).Draw(t, "older")
			s := left[len(left)-1]
			left[len(left)-1] = after(t, s, VariantLimits{}, left[i])
			left = append(left[:i], left[i+1:]...)
			if rapid.Bool().Draw(t, "turn") && len(left) > 1 {
				left[0], left[len(left)-1] = left[len(left)-1], left[0]
			}
		}
		if err := ProveMerge(left[0], all...); err != nil {
			t.Fatalf("%v\n%s", err, left[0].Raw())
		}
		for _, v := range Variants(left[0]) {
			if v.From == "" || !v.Written.Equal(time.Date(2026, 1, 2, 0, 0, 0, 0, time.UTC)) {
				t.Fatalf("%+v", v)
			}
		}
	})
}
