package jsonedit

import (
	"bytes"
	"encoding/json"
	"fmt"
	"testing"
)

// indexDocument returns a pretty index of n entries, about 450 bytes each.
func indexDocument(n int) []byte {
	var b bytes.Buffer
	fmt.Fprintf(&b, "{\n  \"version\": \"1.0\",\n  \"entry_count\": %d,\n  \"entries\": [", n)
	for i := range n {
		if i > 0 {
			b.WriteByte(',')
		}
		fmt.Fprintf(&b, `
    {
      "id": "mem_%012d",
      "type": "episodic",
      "tags": [
        "build",
        "release-%d"
      ],
      "summary": "Entry %d: the build broke because the \"cache\" step ran before the checkout; fixed by ordering the steps.",
      "priority": "medium",
      "created_at": "2025-03-27T16:12:59Z",
      "updated_at": "2025-03-27T16:12:59Z",
      "access_count": %d,
      "file_path": "mem_%012d.json"
    }`, i, i%7, i, i%100, i)
	}
	b.WriteString("\n  ]\n}\n")
	return b.Bytes()
}

func BenchmarkCheck(b *testing.B) {
	ascii := indexDocument(1 << 20 / 450)
	docs := []struct {
		name string
		doc  []byte
	}{
		{"pretty", ascii},
		{"compact", Compact(ascii)},
		{"cyrillic", bytes.ReplaceAll(ascii, []byte("the build broke because"), []byte("сборка сломалась из-за порядка шагов"))},
		{"small", indexDocument(2)},
	}
	for _, d := range docs {
		b.Run(d.name, func(b *testing.B) {
			b.SetBytes(int64(len(d.doc)))
			b.ReportAllocs()
			for b.Loop() {
				if Check(d.doc) != nil {
					b.Fatal("broken")
				}
			}
		})
		b.Run(d.name+"/floor=json.Valid", func(b *testing.B) {
			b.SetBytes(int64(len(d.doc)))
			for b.Loop() {
				if !json.Valid(d.doc) {
					b.Fatal("broken")
				}
			}
		})
	}
}

func BenchmarkEditArray(b *testing.B) {
	doc := indexDocument(10_000)
	e := ArrayEdit{Remove: map[int]bool{}}
	for i := range 50 {
		e.Remove[i*200+7] = true
	}
	entry := []byte(`{"id":"mem_new","type":"semantic","tags":["a"]}`)
	both := ArrayEdit{Remove: e.Remove}
	for i := range 50 {
		both.Insert = append(both.Insert, Insertion{Before: i * 190, Raw: entry})
	}
	for _, c := range []struct {
		name string
		edit ArrayEdit
	}{{"remove=50", e}, {"remove=50,insert=50", both}} {
		b.Run(c.name, func(b *testing.B) {
			b.SetBytes(int64(len(doc)))
			b.ReportAllocs()
			for b.Loop() {
				if _, err := EditArray(doc, []string{"entries"}, c.edit); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
	b.Run("floor=json.Valid", func(b *testing.B) {
		b.SetBytes(int64(len(doc)))
		for b.Loop() {
			if !json.Valid(doc) {
				b.Fatal("broken")
			}
		}
	})
}

func BenchmarkApply(b *testing.B) {
	doc := indexDocument(4)
	for b.Loop() {
		if _, err := Apply(doc, Set([]byte(`"1.1"`), "version"), Set([]byte(`5`), "entry_count")); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkGet(b *testing.B) {
	doc := indexDocument(4)
	for b.Loop() {
		if _, ok := Get(doc, "entries", "2", "priority"); !ok {
			b.Fatal("absent")
		}
	}
}
