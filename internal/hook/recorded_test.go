package hook

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/rogpeppe/go-internal/txtar"

	"github.com/memoryd/memoryd/pkg/workspace"
)

// What the real hosts have sent, in the order in which they have: the answers are as in testdata/recorded. tools/hosts -record
// writes new ones.
func TestRecorded(t *testing.T) {
	files, err := filepath.Glob(filepath.Join("testdata", "recorded", "*.txtar"))
	if err != nil || len(files) != 4 {
		t.Fatalf("%v, %v", files, err)
	}
	for _, file := range files {
		inBubble(t, filepath.Base(file), func(t *testing.T) { replay(t, file) })
	}
}

func replay(t *testing.T, file string) {
	golden, err := txtar.ParseFile(file)
	if err != nil {
		t.Fatal(err)
	}
	host := Named(strings.TrimSuffix(filepath.Base(file), ".txtar"))
	dir := t.TempDir()
	out := &txtar.Archive{Comment: golden.Comment}
	want := map[string]string{}
	for _, f := range golden.Files {
		name, isInput := strings.CutSuffix(f.Name, ".in")
		if want[f.Name] = string(f.Data); !isInput {
			continue
		}
		_, event, _ := strings.Cut(name, "-")
		c, _ := call(host, event, dir, strings.NewReader(string(f.Data)))
		c.At = at.Add(time.Duration(len(out.Files)) * time.Minute)
		c.Brief = func(_ *workspace.FileStore, to Recipient) (string, error) {
			return fmt.Sprintf("%s %s %q starts: %t resumes: %t", to.Session, to.Project, to.Prompt, to.Starts, to.Resumes), nil
		}
		out.Files = append(out.Files, f, txtar.File{Name: name + ".out", Data: []byte(c.Run())})
	}
	if log, err := os.ReadFile(filepath.Join(dir, "ops", LogFile)); err == nil {
		t.Errorf("failed: %s", log)
	}
	checkGolden(t, file, out, want)
}
