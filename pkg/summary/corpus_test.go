package summary

import (
	"bufio"
	"compress/gzip"
	"encoding/json"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"
	"unicode/utf8"
)

// corpus opens a file of the shared measuring data, or skips the test.
func corpus(t *testing.T, name string) io.Reader {
	t.Helper()
	dir, err := os.Getwd()
	if err != nil {
		t.Fatal(err)
	}
	for {
		if _, err := os.Stat(filepath.Join(dir, "go.mod")); err == nil {
			break
		}
		if dir == filepath.Dir(dir) {
			t.Fatal("no go.mod above the package")
		}
		dir = filepath.Dir(dir)
	}
	path := filepath.Join(dir, "..", "shared", "data", "dev", name)
	f, err := os.Open(path)
	if err != nil {
		t.Skipf("SKIPPED, THE MEASURING DATA IS NOT THERE: %v", err)
	}
	t.Cleanup(func() { f.Close() })
	if !strings.HasSuffix(name, ".gz") {
		return f
	}
	z, err := gzip.NewReader(f)
	if err != nil {
		t.Fatal(err)
	}
	return z
}

// eachLine decodes a file of JSON lines.
func eachLine[T any](t *testing.T, r io.Reader, visit func(T)) {
	t.Helper()
	lines := bufio.NewScanner(r)
	lines.Buffer(nil, 1<<26)
	for lines.Scan() {
		var v T
		if err := json.Unmarshal(lines.Bytes(), &v); err != nil {
			t.Fatal(err)
		}
		visit(v)
	}
	if err := lines.Err(); err != nil {
		t.Fatal(err)
	}
}

// TestVerboseMemories summarises what the rule for verbose episodic memories
// would: every one of them must come out.
func TestVerboseMemories(t *testing.T) {
	var truth struct{ Summarise []string }
	if err := json.NewDecoder(corpus(t, "workspace1000_truth.json")).Decode(&truth); err != nil {
		t.Fatal(err)
	}
	type memory struct {
		ID        string    `json:"id"`
		CreatedAt time.Time `json:"created_at"`
		Content   struct {
			Details string `json:"details"`
		} `json:"content"`
	}
	n := 0
	eachLine(t, corpus(t, "workspace1000.jsonl"), func(m memory) {
		if !slices.Contains(truth.Summarise, m.ID) {
			return
		}
		n++
		o := Options{MaxChars: 2000, Ref: m.CreatedAt}
		if _, err := Summarise(m.Content.Details, o); err != nil {
			t.Errorf("%s: %v", m.ID, err)
		}
		checkSummary(t, m.Content.Details, o)
	})
	if n == 0 || n != len(truth.Summarise) {
		t.Errorf("%d memories summarised, want the %d of the truth", n, len(truth.Summarise))
	}
}

// TestLongDocuments summarises meeting notes, proposals and incident reports of
// up to 77,000 characters; a fiftieth of them may be refused.
func TestLongDocuments(t *testing.T) {
	type document struct{ ID, Text string }
	all, refused := 0, 0
	eachLine(t, corpus(t, "summarisation.jsonl.gz"), func(d document) {
		all++
		if _, err := Summarise(d.Text, Options{}); err != nil {
			refused++
			t.Logf("%s (%d characters): %v", d.ID, utf8.RuneCountInString(d.Text), err)
		}
		if all%4 == 0 {
			checkSummary(t, d.Text, Options{Ref: written})
		}
	})
	if 50*refused > all || all == 0 {
		t.Errorf("%d of %d refused", refused, all)
	}
}
