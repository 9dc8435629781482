package access_test

import (
	"errors"
	"path"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"github.com/memoryd/memoryd/pkg/access"
	"github.com/memoryd/memoryd/pkg/memory"
)

// bob writes the scopes that match one of his patterns.
type bob []string

func (b bob) Name() string           { return "bob" }
func (b bob) Read(memory.Scope) bool { return true }
func (b bob) Write(s memory.Scope) bool {
	return slices.ContainsFunc(b, func(pattern string) bool {
		ok, err := path.Match(pattern, s.String())
		return ok && err == nil
	})
}

func record(t interface{ Fatal(...any) }, file, raw string) *memory.Memory {
	if raw == "" {
		return nil
	}
	m, err := memory.OneRecord(file, []byte(raw))
	if err != nil {
		t.Fatal(err)
	}
	return m
}

// What a command may not say: a scope that isn't granted, another author, reads that nobody made.
func TestAllows(t *testing.T) {
	const own, other = "agents/bob/x.json", "global/x.json"
	for _, c := range []struct {
		name, file, before, after string
		command, allowed          bool
	}{
		{"a new memory in the own scope", own, "", `{"id":"x","type":"factual","created_by":"bob"}`, true, true},
		{"a new memory by somebody else", own, "", `{"id":"x","type":"factual","created_by":"USER"}`, true, false},
		{"a new memory by nobody", own, "", `{"id":"x","type":"factual"}`, true, false},
		{"a new memory elsewhere", other, "", `{"id":"x","type":"factual","created_by":"bob"}`, true, false},
		{"a new memory that says it is elsewhere", own, "", `{"id":"x","type":"factual","created_by":"bob","scope":"global"}`, true, false},
		{"a new memory with reads", own, "", `{"id":"x","type":"factual","created_by":"bob","access_count":9}`, true, false},
		{"an edit", own, `{"id":"x","type":"factual","created_by":"ann"}`, `{"id":"x","type":"factual","created_by":"ann","tags":["a"]}`, true, true},
		{"an edit that moves it", own, `{"id":"x","type":"factual"}`, `{"id":"x","type":"factual","scope":"team","scope_id":"dev"}`, true, false},
		{"an edit of what says it is elsewhere", own, `{"id":"x","type":"factual","scope":"global"}`, `{"id":"x","type":"factual"}`, true, false},
		{"an edit that takes it over", own, `{"id":"x","type":"factual","created_by":"ann"}`, `{"id":"x","type":"factual","created_by":"bob"}`, true, false},
		{"an edit that gives it away", own, `{"id":"x","type":"factual","created_by":"bob"}`, `{"id":"x","type":"factual","created_by":"USER"}`, true, false},
		{"an edit that claims reads", own, `{"id":"x","type":"factual","access_count":1}`, `{"id":"x","type":"factual","access_count":10}`, true, false},
		{"a rule's copy", own, "", `{"id":"x","type":"factual","created_by":"ann","access_count":10}`, false, true},
		{"a rule's copy elsewhere", other, "", `{"id":"x","type":"factual","created_by":"ann"}`, false, false},
		{"a removal", own, `{"id":"x","type":"factual"}`, "", true, true},
		{"a removal elsewhere", other, `{"id":"x","type":"factual"}`, "", true, false},
		{"to the archive", "archive/x.json", `{"id":"x","type":"factual","scope":"agent","scope_id":"bob"}`, `{"id":"x","type":"factual","scope":"agent","scope_id":"bob"}`, true, true},
		{"in the archive, of somebody else", "archive/x.json", `{"id":"x","type":"factual","scope":"global"}`, "", true, false},
	} {
		err := access.Allows(bob{"agent:bob"}, access.Change{
			Before: record(t, c.file, c.before), After: record(t, c.file, c.after), Files: []string{c.file}, Command: c.command,
		})
		if (err == nil) != c.allowed || err != nil && !errors.Is(err, access.ErrForbidden) {
			t.Errorf("%s: %v", c.name, err)
		}
	}
}

// A memory that is made from others carries on an author and the reads of those, and no more.
func TestAllowsMadeFromOthers(t *testing.T) {
	from := []*memory.Memory{
		record(t, "agents/bob/a.json", `{"id":"a","type":"factual","created_by":"ann","access_count":2}`),
		record(t, "agents/bob/b.json", `{"id":"b","type":"factual","created_by":"eve","access_count":3}`),
	}
	for raw, allowed := range map[string]bool{
		`{"id":"x","type":"factual","created_by":"eve","access_count":5}`: true,
		`{"id":"x","type":"factual","created_by":"bob","access_count":1}`: true,
		`{"id":"x","type":"factual","created_by":"eve","access_count":6}`: false,
		`{"id":"x","type":"factual","created_by":"USER"}`:                 false,
	} {
		err := access.Allows(bob{"agent:bob"}, access.Change{
			After: record(t, "agents/bob/x.json", raw), Files: []string{"agents/bob/x.json"}, Command: true, Beside: from,
		})
		if (err == nil) != allowed {
			t.Errorf("%s: %v", raw, err)
		}
	}
}

// Whatever is allowed touches granted scopes only.
func TestAllowedScopesAreGranted(t *testing.T) {
	files := []string{"global/x.json", "agents/bob/x.json", "agents/ann/x.json", "teams/dev/x.json", "archive/x.json"}
	scopes := []string{``, `,"scope":"global"`, `,"scope":"agent","scope_id":"bob"`, `,"scope":"team","scope_id":"dev"`, `,"scope":"agent"`, `,"scope":"x"`}
	grants := []string{"agent:bob", "team:*", "global", "*"}
	rapid.Check(t, func(t *rapid.T) {
		p := bob(rapid.SliceOfDistinct(rapid.SampledFrom(grants), rapid.ID[string]).Draw(t, "grants"))
		draw := func(what string) *memory.Memory {
			if rapid.Bool().Draw(t, what) {
				return nil
			}
			return record(t, rapid.SampledFrom(files).Draw(t, what+" file"), `{"id":"x","type":"factual","created_by":"bob"`+rapid.SampledFrom(scopes).Draw(t, what+" scope")+`}`)
		}
		c := access.Change{Before: draw("before"), After: draw("after"), Files: []string{rapid.SampledFrom(files).Draw(t, "file")}, Command: rapid.Bool().Draw(t, "command")}
		if access.Allows(p, c) != nil {
			return
		}
		for _, m := range []*memory.Memory{c.Before, c.After} {
			if m != nil && !memory.InArchive(m.File) && !p.Write(m.Scope) {
				t.Fatalf("%s was allowed with %v", m.Scope, p)
			}
		}
		if f := c.Files[0]; !memory.InArchive(f) && !p.Write(memory.ScopeOf(f)) {
			t.Fatalf("%s was allowed with %v", f, p)
		}
	})
}
