package main

import "testing"

func TestCircle(t *testing.T) {
	files := func(uses map[string][]string) *checked {
		c := &checked{uses: map[string]map[string]bool{}}
		for from, all := range uses {
			c.uses[from] = map[string]bool{from: true}
			for _, to := range all {
				c.uses[from][to] = true
			}
		}
		return c
	}
	for _, test := range []struct {
		name string
		uses map[string][]string
		want int
	}{
		{"nothing", nil, 0},
		{"a chain", map[string][]string{"a": {"b"}, "b": {"c"}, "c": nil}, 1},
		{"two", map[string][]string{"a": {"b"}, "b": {"a"}, "c": {"a"}}, 2},
		{"over others", map[string][]string{"a": {"b"}, "b": {"c"}, "c": {"a"}, "d": {"a", "e"}, "e": {"d"}}, 3},
	} {
		if got := files(test.uses).circle(); got != test.want {
			t.Errorf("%s: circle of %d files, want %d", test.name, got, test.want)
		}
	}
}

// TestPackage measures a package of this module.
func TestPackage(t *testing.T) {
	pkgs, err := list("../..", "./pkg/internal/jsonedit")
	if err != nil {
		t.Fatal(err)
	}
	for _, p := range pkgs {
		if p.name() != "pkg/internal/jsonedit" || !p.Main {
			continue
		}
		lines, err := p.lines()
		if err != nil || lines < 500 {
			t.Errorf("lines of %s: %d, %v", p.name(), lines, err)
		}
		if c, err := p.check(pkgs); err != nil || c.circle() < 1 {
			t.Errorf("circle of %s: %v", p.name(), err)
		}
		return
	}
	t.Error("pkg/internal/jsonedit isn't listed")
}
