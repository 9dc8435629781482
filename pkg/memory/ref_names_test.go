package memory

import (
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"
	"pgregory.net/rapid"
)

func TestFileNameInAnyScript(t *testing.T) {
	for id, want := range map[string]string{
		"商店": "商店", "café": "café", norm.NFD.String("café"): "café", "Магазин-2": "Магазин-2", "दुकान": "दुकान", "متجر": "متجر", "가게": "가게",
		"my shop": "x-my_shop-", "a/b": "x-a_b-", "..": "x--", "\xff": "x--", "a\u3164b": "x-a_b-", "a\u200bb": "x-a_b-", "商 店": "x-商_店-",
		strings.Repeat("商", 40): "x-" + strings.Repeat("商", 20) + "-",
	} {
		if got := FileName(id); got != want && !(strings.HasSuffix(want, "-") && strings.HasPrefix(got, want)) {
			t.Errorf("%q: %q, want %q", id, got, want)
		}
	}
}

func TestFileNamesAreSafe(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		id := rapid.OneOf(rapid.String(), rapid.Map(rapid.SliceOf(rapid.Byte()), func(b []byte) string { return string(b) })).Draw(t, "id")
		name := FileName(id)
		if !utf8.ValidString(name) || name == "" || len(name) > maxName || strings.ContainsAny(name, "/\\:*?\"<>| \x00") || name[0] == '.' || !norm.NFC.IsNormalString(name) {
			t.Errorf("%q: %q", id, name)
		}
		if FileName(norm.NFD.String(id)) != FileName(norm.NFC.String(id)) {
			t.Errorf("%q has two names", id)
		}
	})
}

// The directory of a scope is the one that is there.
func TestDirOfScope(t *testing.T) {
	record := func(file, scope string) *Memory {
		return ParseRecord([]byte(`{"id":"a","type":"factual","scope":"project","scope_id":"`+scope+`"}`), Ref{File: file})
	}
	s := NewSnapshot(time.Now(), []*Memory{record("projects/x-caf-850f7dc43910/a.json", "Тест"), record("projects/web/b.json", "Web Shop")}, nil)
	s.Dirs = []string{"agents/Dev-1", "agents/Ops", "agents/ops", "projects/" + norm.NFD.String("été"), "projects/web", "projects/x-caf-850f7dc43910", "teams/a"}
	for scope, want := range map[string]string{
		"agent:dev-1": "agents/Dev-1", "agent:Dev-1": "agents/Dev-1", "agent:OPS": "agents/Ops", "agent:ops": "agents/ops", "agent:new": "agents/new",
		"project:été": "projects/" + norm.NFD.String("été"), "project:ÉTÉ": "projects/" + norm.NFD.String("été"), "project:тест": "projects/x-caf-850f7dc43910",
		"project:web shop": "projects/web", "project:dev-1": "projects/dev-1", "global": "global", "project:商店": "projects/商店",
	} {
		of, err := ParseScope(scope)
		if err != nil {
			t.Fatal(err)
		}
		if got := s.Dir(of); got != want {
			t.Errorf("%s: %s, want %s", scope, got, want)
		}
		// A plan asks once for each memory that it promotes: then the memories aren't looked at again, and what is supposed changes nothing.
		supposed := s.Suppose(s.At, nil, nil, nil)
		if again := testing.AllocsPerRun(10, func() { supposed.Dir(of) }); again != 0 || supposed.Dir(of) != want {
			t.Errorf("%s asked again: %s, want %s; %v allocations", scope, supposed.Dir(of), want, again)
		}
	}
}
