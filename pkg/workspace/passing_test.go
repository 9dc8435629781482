package workspace

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"
)

// TestPassTexts: a text that is read in passing is the one that the memory says, wherever it
// lies, whatever else its record holds, and whatever has become of its file meanwhile.
func TestPassTexts(t *testing.T) {
	for _, cached := range []bool{false, true} {
		t.Run(fmt.Sprint("cached ", cached), func(t *testing.T) {
			rapid.Check(t, func(rt *rapid.T) { passTexts(t, rt, cached) })
		})
	}
}

func passTexts(outer *testing.T, t *rapid.T, cached bool) {
	w := newReusing(outer, true)
	n := 0
	record := func() string {
		n++
		content := rapid.SampledFrom([]string{"content", `cont\u0065nt`, "contents"}).Draw(t, "content")
		raw := fmt.Sprintf(`{"id":"m%d","type":"semantic","%s":%s,`, n, content, drawValue(t, 2)) + strings.TrimPrefix(drawObject(t, rapid.IntRange(1, 4).Draw(t, "members"), 1), "{")
		return rapid.SampledFrom([]string{"", "\n", " "}).Draw(t, "space") + raw
	}
	var files []string
	for _, dir := range []string{"", "global/", "agents/A/x/"} {
		for i := range rapid.IntRange(0, 4).Draw(t, "files") {
			text := record()
			if rapid.IntRange(0, 2).Draw(t, "collection") == 0 {
				text = `{"memories":[` + text + "," + record() + "," + record() + `]}`
			}
			files = append(files, fmt.Sprintf("%s%d.json", dir, i))
			w.write(outer, files[len(files)-1], text)
		}
	}
	if cached {
		w.tick(outer)
		if err := w.store.SaveCache(w.load(outer, false), nil, true); err != nil {
			t.Fatal(err)
		}
	}
	snap, other := w.load(outer, cached), w.load(outer, cached)
	for _, file := range files {
		switch rapid.IntRange(0, 11).Draw(t, "becomes") {
		case 0:
			w.write(outer, file, record())
		case 1:
			w.write(outer, file, "[1,")
		case 2:
			if err := os.Remove(filepath.Join(w.dir, file)); err != nil {
				t.Fatal(err)
			}
		}
	}
	var places []int32
	for i := range snap.Len() {
		if rapid.IntRange(0, 4).Draw(t, "asked") > 0 {
			places = append(places, int32(i))
		}
		if rapid.IntRange(0, 9).Draw(t, "known") == 0 {
			_ = snap.Memory(i).Text()
		}
	}
	texts, given := make([]string, len(places)), make([]int, len(places))
	snap.PassTexts(places, func(n int, text string) {
		texts[n] = strings.Clone(text)
		given[n]++
	})
	for n, place := range places {
		m := other.Memory(int(place))
		if known := snap.Made(int(place)); known != nil {
			m = known
		}
		if want := m.Text(); texts[n] != want || given[n] != 1 {
			t.Fatalf("%s: %q was given %d times, the text is %q", m.Ref, texts[n], given[n], want)
		}
	}
}

// TestPassTextsReads: what has changed is read alone and costs nothing else a look more; of large
// records few are in memory at a time.
func TestPassTextsReads(t *testing.T) {
	w := newReusing(t, true)
	if _, ok := uncounted(w).(pieceReader); !ok {
		t.Skip("SKIPPED: no part of a file can be read here")
	}
	const files, large, each = 20, 40, 100 << 10
	for i := range files {
		w.write(t, fmt.Sprintf("agents/A/%d.json", i), record(fmt.Sprintf("a%d", i), "text"))
		w.write(t, fmt.Sprintf("agents/B/%d.json", i), record(fmt.Sprintf("b%d", i), "text"))
	}
	var records []string
	for i := range large {
		records = append(records, record(fmt.Sprintf("m%d", i), strings.Repeat("x", each)))
	}
	w.write(t, "global/list.json", "["+strings.Join(records, ",")+"]")
	snap := w.load(t, false)
	w.write(t, "agents/A/7.json", record("a7", "another text"))
	root := &pieceCounter{readCounter: readCounter{FS: uncounted(w)}}
	snap.live.src.root = root
	var places []int32
	for i := range snap.Len() {
		places = append(places, int32(i))
	}
	texts := 0
	snap.PassTexts(places, func(_ int, text string) {
		if text != "" {
			texts++
		}
	})
	if texts != 2*files+large-1 {
		t.Errorf("%d texts, want all but that of the file that has changed", texts)
	}
	if root.reads.Load() != 1 || root.calls.Load() < large*each/maxPieces || root.pieces.Load() != large {
		t.Errorf("%d files were read alone, and %d pieces in %d calls", root.reads.Load(), root.pieces.Load(), root.calls.Load())
	}
}

// TestPassTextsWithoutFiles: memories that lie in no file say what they say.
func TestPassTextsWithoutFiles(t *testing.T) {
	ms, err := ParseRecords("list.json", []byte(`[{"id":"a","content":"one"},{"id":"b","content":{"details":"two"}}]`))
	if err != nil {
		t.Fatal(err)
	}
	var texts []string
	NewSnapshot(time.Time{}, ms, nil).PassTexts([]int32{0, 1}, func(_ int, text string) { texts = append(texts, strings.Clone(text)) })
	if !slices.Equal(texts, []string{"one", ms[1].Text()}) {
		t.Error(texts)
	}
}
