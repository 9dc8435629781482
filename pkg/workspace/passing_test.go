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
