package sqldisk

import (
	"bytes"
	"testing"

	"pgregory.net/rapid"
)

// What is stored is got back, whatever it is; what repeats itself takes less room; and what is
// damaged is an error.
func TestPack(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		part := rapid.SliceOfN(rapid.Byte(), 0, 400).Draw(t, "part")
		text := bytes.Repeat(part, rapid.IntRange(0, 8).Draw(t, "times"))
		stored, inflated, err := pack(string(text))
		if err != nil {
			t.Fatal(err)
		}
		if got, err := unpack(stored, inflated); err != nil || !bytes.Equal(got, text) {
			t.Fatalf("%v: %d bytes came back as %d", err, len(text), len(got))
		}
		if inflated == 0 && len(stored) != len(text) || inflated > 0 && len(stored) > len(text)/8*7 {
			t.Fatalf("%d bytes are stored as %d", len(text), len(stored))
		}
		if inflated == 0 {
			return
		}
		for wrong, bytes := range map[int64][]byte{inflated + 1: stored, inflated - 1: stored, 1 << 60: stored, inflated: stored[:len(stored)/2]} {
			if got, err := unpack(bytes, wrong); err == nil {
				t.Fatalf("%d of %d bytes, said to be %d, were read as %d", len(bytes), len(stored), wrong, len(got))
			}
		}
	})
}

func FuzzUnpack(f *testing.F) {
	stored, inflated, err := pack(string(bytes.Repeat([]byte("memory "), 100)))
	if err != nil {
		f.Fatal(err)
	}
	f.Add(stored, inflated)
	f.Fuzz(func(t *testing.T, stored []byte, inflated int64) {
		if text, err := unpack(stored, inflated); err == nil && inflated > 0 && int64(len(text)) != inflated {
			t.Errorf("%d bytes, said to be %d", len(text), inflated)
		}
	})
}
