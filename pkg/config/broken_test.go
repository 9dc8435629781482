package config

import (
	"bytes"
	"flag"
	"os"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/rogpeppe/go-internal/txtar"
)

var update = flag.Bool("update", false, "rewrite the messages in testdata")

// What is said of a file that is not TOML names the file, the line, the column, the cause and what to do. testdata/broken.txtar has the files, each
// followed by its message.
func TestBroken(t *testing.T) {
	const name = "testdata/broken.txtar"
	archive, err := txtar.ParseFile(name)
	if err != nil {
		t.Fatal(err)
	}
	fresh := &txtar.Archive{Comment: archive.Comment}
	want := map[string]string{}
	for _, f := range archive.Files {
		if broken, ok := strings.CutSuffix(f.Name, ": message"); ok {
			want[broken] = string(f.Data)
		}
	}
	for _, f := range archive.Files {
		if strings.HasSuffix(f.Name, ": message") {
			continue
		}
		text := f.Data
		if strings.HasSuffix(f.Name, "at the end") {
			text = bytes.TrimSuffix(text, []byte("\n"))
		}
		got := "no error\n"
		if _, err := Parse("memory.toml", text); err != nil {
			got = err.Error() + "\n"
		}
		fresh.Files = append(fresh.Files, f, txtar.File{Name: f.Name + ": message", Data: []byte(got)})
		if diff := cmp.Diff(want[f.Name], got); diff != "" && !*update {
			t.Errorf("%s (-want +got)\n%s", f.Name, diff)
		}
	}
	if *update {
		if err := os.WriteFile(name, txtar.Format(fresh), 0o666); err != nil {
			t.Fatal(err)
		}
	}
}
