package summary_test

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"flag"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/rogpeppe/go-internal/txtar"

	"github.com/memoryd/memoryd/pkg/summary"
)

var update = flag.Bool("update", false, "rewrite the expected summaries in testdata/golden")

// TestGolden summarises the text in each testdata/golden/*.txtar, flat in so many
// words and with sections in so many characters.
func TestGolden(t *testing.T) {
	files, err := filepath.Glob("testdata/golden/*.txtar")
	if err != nil || len(files) == 0 {
		t.Fatal("no test cases", err)
	}
	for _, name := range files {
		t.Run(strings.TrimSuffix(filepath.Base(name), ".txtar"), func(t *testing.T) {
			ar, err := txtar.ParseFile(name)
			if err != nil {
				t.Fatal(err)
			}
			made := summaries(t, ar)
			got := append(ar.Files[:2:2], made...)
			if *update {
				ar.Files = got
				if err := os.WriteFile(name, txtar.Format(ar), 0o644); err != nil {
					t.Fatal(err)
				}
			}
			if diff := cmp.Diff(ar.Files, got); diff != "" {
				t.Errorf("summaries (-want +got):\n%s", diff)
			}
		})
	}
}

// TestVersion fails when a summary in testdata/golden has changed and the version hasn't.
func TestVersion(t *testing.T) {
	const version, digest = 2, "161f8b28f622421f419f826bb68e68b9e2d0d54a4316ced8fee78ba8db72350e" // those of the version, and of all files of that version
	files, err := filepath.Glob("testdata/golden/*.txtar")
	if err != nil || len(files) == 0 {
		t.Fatal("no test cases", err)
	}
	h := sha256.New()
	for _, name := range files {
		ar, err := txtar.ParseFile(name)
		if err != nil {
			t.Fatal(err)
		}
		for _, f := range summaries(t, ar) {
			h.Write(f.Data)
		}
	}
	if is := hex.EncodeToString(h.Sum(nil)); summary.Version != version || is != digest {
		t.Errorf("version %d, digest %s: if summaries have changed, raise summary.Version, and note both here", summary.Version, is)
	}
}

// summaries makes the files "flat" and "sections" from "options" and "text".
func summaries(t *testing.T, ar *txtar.Archive) []txtar.File {
	t.Helper()
	if len(ar.Files) < 2 || ar.Files[0].Name != "options" || ar.Files[1].Name != "text" {
		t.Fatal("the archive must start with the files options and text")
	}
	words, o := 0, summary.Options{}
	for _, line := range strings.Split(strings.TrimSpace(string(ar.Files[0].Data)), "\n") {
		key, value, _ := strings.Cut(line, ": ")
		var err error
		switch key {
		case "title":
			o.Title = value
		case "words":
			words, err = strconv.Atoi(value)
		case "chars":
			o.MaxChars, err = strconv.Atoi(value)
		case "ref":
			o.Ref, err = time.Parse(time.RFC3339, value)
		default:
			err = errors.New("unknown option")
		}
		if err != nil {
			t.Fatalf("%q: %v", line, err)
		}
	}
	text := strings.TrimSuffix(string(ar.Files[1].Data), "\n")
	sections := ""
	if s, err := summary.Summarise(text, o); err != nil {
		sections = "refused: " + err.Error()
	} else {
		sections = s.Text()
	}
	return []txtar.File{
		{Name: "flat", Data: []byte(summary.Flat(text, o.Title, words, o.Ref) + "\n")},
		{Name: "sections", Data: []byte(sections + "\n")},
	}
}
