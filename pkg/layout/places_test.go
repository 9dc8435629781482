package layout

import (
	"slices"
	"strings"
	"testing"
)

func TestFor(t *testing.T) {
	got := For("/work/my_app.v2", Home{User: "/home/u"})
	want := []string{"/home/u/.claude/projects/-work-my-app-v2/memory", "/work/my_app.v2/.claude/memory", "/work/my_app.v2/memory", "/work/my_app.v2/.qwen/team-memory"}
	if !slices.Equal(got, want) {
		t.Errorf("%v, want %v", got, want)
	}
	if got := For("/a", Home{User: "/home/u", Claude: "/etc/claude"}); got[0] != "/etc/claude/projects/-a/memory" {
		t.Error(got)
	}
	if got := For("/a", Home{}); got[0] != "/a/.claude/memory" {
		t.Error(got)
	}
}

// Each folder that is looked for in a home is one that its path tells of.
func TestInHome(t *testing.T) {
	for _, pattern := range InHome(Home{User: "/home/u"}) {
		dir := strings.ReplaceAll(pattern, "*", "x")
		if l, why := Recognise(dir, nil); why != "by its path" {
			t.Errorf("%s: %s, %s", dir, l.Name, why)
		}
	}
	if len(InHome(Home{})) > 0 {
		t.Error("folders without a home")
	}
}
