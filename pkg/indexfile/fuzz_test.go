package indexfile

import (
	"bytes"
	"io/fs"
	"path"
	"strings"
	"testing"
)

// FuzzIndex reads any bytes as an index: nothing panics, bringing it up to date
// twice changes nothing the second time, and no path leads out.
func FuzzIndex(f *testing.F) {
	for _, seed := range []string{
		`{"entries":[]}`, `{"version":"1.0","memories":[{"id":"a","file":"../x"}],"memory_count":3}`,
		`{"entries":[{"id":"a","path":"/abs"},{"id":"a"}],"tag_index":{"A":["a"]},"type_index":{}}`, `{"projects":[]}`, `[]`,
	} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		x, err := Parse("global/_index.json", data)
		if err != nil || x.Foreign {
			return
		}
		for _, e := range x.Entries() {
			if e.File != "" && e.File != "global" && !strings.HasPrefix(e.File, "global/") {
				t.Fatalf("%q leads out to %q", e.FilePath, e.File)
			}
		}
		once, err := x.Update(owning(lineOf("a", "semantic", `["T"]`)), day)
		if err != nil {
			return // refused, which is fine
		}
		y, err := Parse("global/_index.json", once.Doc)
		if err != nil {
			t.Fatalf("the result doesn't parse: %v", err)
		}
		twice, err := y.Update(owning(lineOf("a", "semantic", `["T"]`)), day)
		if err != nil || !bytes.Equal(once.Doc, twice.Doc) {
			t.Fatalf("not settled: %v %v\n%s\n%s", err, twice.Drifts, once.Doc, twice.Doc)
		}
	})
}

// FuzzFilePath resolves any file_path: what comes out is a plain path below the
// directory, which the disk accepts, or nothing.
func FuzzFilePath(f *testing.F) {
	for _, seed := range []string{"a.json", "../a.json", "/etc/passwd", `..\..\x`, "a/../../b", "C:x", "a\x00b", "a/", "./a", "a//b", "x#/y/0", "~/a", "a#/entries/00", "\xff", "."} {
		f.Add("global", seed)
		f.Add("agents/DEV-001", seed)
	}
	f.Fuzz(func(t *testing.T, dir, filePath string) {
		if !fs.ValidPath(dir) || strings.ContainsAny(dir, "\\:\x00") {
			return
		}
		p := Resolve(dir, filePath)
		if p == "" {
			return
		}
		if dir != "." && p != dir && !strings.HasPrefix(p, dir+"/") {
			t.Fatalf("%q in %q leads out to %q", filePath, dir, p)
		}
		if path.Clean(p) != p || strings.Contains(p, "\x00") || path.IsAbs(p) || p == ".." || strings.HasPrefix(p, "../") {
			t.Fatalf("%q in %q gives %q", filePath, dir, p)
		}
		if again := Resolve(".", p); again != p {
			t.Fatalf("%q is resolved to %q", p, again)
		}
	})
}
