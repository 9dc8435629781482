package coderef_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/memoryd/memoryd/pkg/coderef"
)

func TestFind(t *testing.T) {
	for _, x := range []struct{ text, want string }{
		{"The rule is in pkg/rules/merge.go:42, see ./docs/format.md.", "path pkg/rules/merge.go; path docs/format.md"},
		{"Call `parseConfig` or `parse_config()` in `config.go`.", "symbol parseConfig; symbol parse_config(); path config.go"},
		{"`config.Parse` and `Store::commit()` and `a.b.loadAll`", "symbol config.Parse; symbol Store.commit(); symbol b.loadAll"},
		{"Fixed in commit 1444d57b, reverts `deadbee1`; commits: 0123456789abcdef0123456789abcdef01234567", "commit 1444d57b; commit deadbee1; commit 0123456789abcdef0123456789abcdef01234567"},
		{"pkg/rules/merge.go and pkg/rules/merge.go", "path pkg/rules/merge.go"},
		// Not surely references.
		{"See https://example.com/a/b.html, example.com/x/y.html, a@b.org/x.go and /etc/hosts.conf", ""},
		{"and/or, 24/7, w/o, TCP/IP, client/server, v1.2/v1.3", ""},
		{"../other/file.go, pkg/*/x.go, pkg/<name>/x.go, src/{a,b}.ts, ~/x/y.md, $HOME/x/y.md", ""},
		{"`make`, `true`, `MAX_SIZE`, `--dry-run`, `npm install`, `a+b`, `1.2.3`, `main`", ""},
		{"parseConfig without marks, commit 1234567, decade, commit deadbeef, build 1444d57b", ""},
		{"```\nexample/of/code.go\n`parseConfig`\n```", ""},
		{"```\nunfinished/block.go", ""},
		{"", ""},
	} {
		var got []string
		for _, r := range coderef.Find(x.text) {
			name := r.Text
			if r.Of != "" {
				name = r.Of + "." + name
			}
			if r.Call {
				name += "()"
			}
			got = append(got, fmt.Sprintf("%s %s", r.Kind, name))
		}
		if diff := cmp.Diff(x.want, strings.Join(got, "; ")); diff != "" {
			t.Errorf("%s\n%s", x.text, diff)
		}
	}
}

// Any bytes are taken; what is found stands in the text.
func FuzzFind(f *testing.F) {
	f.Add("`pkg/a.go` commit 1444d57b `x.Call()`")
	f.Add("```\x00\xff`")
	f.Fuzz(func(t *testing.T, text string) {
		for _, r := range coderef.Find(text) {
			if at := strings.ToLower(text[r.At:]); !strings.Contains(at, strings.ToLower(r.Text)) {
				t.Errorf("%+v is not at %d of %q", r, r.At, text)
			}
			if r.Text == "" || !strings.Contains(strings.ToLower(text), strings.ToLower(r.Text)) || !strings.Contains(text, r.Of) {
				t.Errorf("%+v doesn't stand in %q", r, text)
			}
		}
	})
}
