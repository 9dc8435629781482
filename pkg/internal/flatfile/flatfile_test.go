package flatfile

import (
	"bytes"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/memoryd/memoryd/pkg/internal/durable"
	"github.com/memoryd/memoryd/pkg/internal/parallel"
)

func TestRoundTrip(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		sections := rapid.SliceOfN(rapid.SliceOf(rapid.Byte()), 0, 5).Draw(t, "sections")
		var key Key
		copy(key[:], rapid.SliceOfN(rapid.Byte(), KeySize, KeySize).Draw(t, "key"))
		data, err := Append(nil, 3, key, sections...)
		if err != nil {
			t.Fatal(err)
		}
		got, err := Parse(data, 3, key)
		if err != nil || len(got) != len(sections) {
			t.Fatalf("%d sections, %v", len(got), err)
		}
		for i := range got {
			if !bytes.Equal(got[i], sections[i]) {
				t.Fatalf("section %d is %q, want %q", i, got[i], sections[i])
			}
		}
		// Any change of a byte that means something, and any cut, is noticed.
		i := rapid.IntRange(0, len(data)-1).Draw(t, "at")
		changed := bytes.Clone(data)
		changed[i] ^= 1 << rapid.IntRange(0, 7).Draw(t, "bit")
		if got, err := Parse(changed, 3, key); err == nil {
			for i := range got { // it lay between two sections
				if !bytes.Equal(got[i], sections[i]) {
					t.Fatalf("byte %d changed unnoticed", i)
				}
			}
		}
		full := 0
		for _, s := range sections {
			full += len(s)
		}
		if got, err := Parse(data[:i], 3, key); err == nil && full > 0 {
			t.Fatalf("cut to %d of %d bytes unnoticed: %q", i, len(data), got)
		}
	})
}

// TestPatches: sections that are patched on their way are written as if they had been so before, and stay as
// they were.
func TestPatches(t *testing.T) {
	root, _, err := durable.Open(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	short, long := []byte("abc"), bytes.Repeat([]byte("0123456789"), 3<<20/10+7)
	upper := func(piece []byte, from int) {
		for i := range piece {
			if (from+i)%1000 == 0 || from+i == summed || from+i == summed-1 {
				piece[i] = 'X'
			}
		}
	}
	patched := [][]byte{bytes.Clone(short), nil, bytes.Clone(long), bytes.Clone(long)}
	upper(patched[0], 0)
	upper(patched[2], 0)
	if err := WritePatched(root, "f", 3, Key{}, Patches{0: upper, 1: upper, 2: upper}, short, nil, long, long); err != nil {
		t.Fatal(err)
	}
	got, err := Load(root, "f", 3, Key{})
	if err != nil {
		t.Fatal(err)
	}
	for i := range patched {
		if !bytes.Equal(got[i], patched[i]) {
			t.Errorf("section %d is another", i)
		}
	}
	if short[0] != 'a' || long[0] != '0' {
		t.Error("what was patched has changed itself")
	}
}

// TestLongSections: sections of several pieces are summed up as well, each byte of them.
func TestLongSections(t *testing.T) {
	long := make([]byte, 2*summed+5)
	for i := range long {
		long[i] = byte(i >> 8)
	}
	data, err := Append(nil, 1, Key{}, long[:summed], long, nil, long[:summed+1])
	if err != nil {
		t.Fatal(err)
	}
	for _, loop := range []func(int, func(int)){inTurn, parallel.Tasks} {
		if got, err := parse(data, 1, Key{}, loop); err != nil || !bytes.Equal(got[1], long) {
			t.Fatalf("%d sections, %v", len(got), err)
		}
		for _, at := range []int{len(data) - 1, len(data) - summed, len(data) / 2, summed, 2 * summed, 3*summed + 77} {
			data[at]++
			if _, err := parse(data, 1, Key{}, loop); !errors.Is(err, ErrDamaged) {
				t.Errorf("byte %d changed unnoticed: %v", at, err)
			}
			data[at]--
		}
	}
}

func TestOtherVersionOrKey(t *testing.T) {
	data, err := Append(nil, 1, Key{1}, []byte("x"))
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		version uint32
		key     Key
	}{{2, Key{1}}, {1, Key{2}}} {
		if _, err := Parse(data, c.version, c.key); !errors.Is(err, ErrDamaged) {
			t.Errorf("version %d, key %d: %v", c.version, c.key[0], err)
		}
	}
}

func open(t *testing.T) (durable.FS, string) {
	dir := t.TempDir()
	root, _, err := durable.Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { root.Close() })
	return root, dir
}

func TestReplaced(t *testing.T) {
	root, dir := open(t)
	if _, err := Open(root, "ops/cache/x", 1, Key{}); !errors.Is(err, fs.ErrNotExist) {
		t.Fatalf("an absent file: %v", err)
	}
	if _, err := Load(root, "ops/cache/x", 1, Key{}); !errors.Is(err, fs.ErrNotExist) {
		t.Fatalf("an absent file: %v", err)
	}
	for _, text := range []string{"one", "a second one"} {
		if err := Write(root, "ops/cache/x", 1, Key{}, []byte(text)); err != nil {
			t.Fatal(err)
		}
		if sections, err := Load(root, "ops/cache/x", 1, Key{}); err != nil || string(sections[0]) != text {
			t.Errorf("loaded %q, %v, want %q", sections, err, text)
		}
		file, err := Open(root, "ops/cache/x", 1, Key{})
		if err != nil {
			t.Fatal(err)
		}
		err = file.Use(func(sections [][]byte) error {
			if string(sections[0]) != text {
				t.Errorf("read %q, want %q", sections[0], text)
			}
			// Replaced meanwhile, what was opened stays.
			if err := Write(root, "ops/cache/x", 1, Key{}, []byte("other")); err != nil {
				return err
			}
			if string(sections[0]) != text {
				t.Errorf("read %q, want %q", sections[0], text)
			}
			return nil
		})
		if err := errors.Join(err, file.Close()); err != nil {
			t.Fatal(err)
		}
	}
	entries, err := os.ReadDir(filepath.Join(dir, "ops/cache"))
	if err != nil || len(entries) != 1 {
		t.Errorf("%v, %v", entries, err)
	}
}

// full is a disk on which some writes to a file fail.
type full struct {
	durable.FS
	left int // appends that are done
}

var errFull = errors.New("no space left")

func (f *full) Append(name string, data []byte) error {
	if f.left == 0 {
		return errFull
	}
	f.left--
	return f.FS.Append(name, data)
}

// Large sections are written one by one: what is read is what [Append] puts together, and
// a write that fails in the middle leaves what stood there before, and nothing else.
func TestLargeSections(t *testing.T) {
	root, dir := open(t)
	big := func(n int) []byte { return bytes.Repeat([]byte{byte(n), 1, 2}, n/3+1)[:n] }
	for _, sections := range [][][]byte{
		{big(large)}, {big(large), nil}, {nil, big(large + 3), []byte("x"), nil, big(large - 1), big(2*large + 5), big(large), big(7)},
	} {
		want, err := Append(nil, 1, Key{}, sections...)
		if err != nil {
			t.Fatal(err)
		}
		for n := 0; ; n++ {
			err := Write(&full{root, n}, "c/x", 1, Key{}, sections...)
			entries, readErr := os.ReadDir(filepath.Join(dir, "c"))
			if readErr != nil {
				t.Fatal(readErr)
			}
			if err == nil {
				break
			}
			if !errors.Is(err, errFull) {
				t.Fatal(err)
			}
			for _, e := range entries {
				if e.Name() != "x" {
					t.Fatalf("after a write that failed there is %s", e.Name())
				}
			}
		}
		got, err := os.ReadFile(filepath.Join(dir, "c/x"))
		if err != nil || !bytes.Equal(got, want) {
			t.Fatalf("%d sections: %d bytes, %v; want %d", len(sections), len(got), err, len(want))
		}
	}
}

// What a killed writer left goes; what another writes just now stays.
func TestSweep(t *testing.T) {
	root, dir := open(t)
	if err := Write(root, "c/x", 1, Key{}); err != nil {
		t.Fatal(err)
	}
	old, young := filepath.Join(dir, "c", durable.TempPrefix+"old"), filepath.Join(dir, "c", durable.TempPrefix+"young")
	for _, name := range []string{old, young} {
		if err := os.WriteFile(name, nil, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	then := time.Now().Add(-2 * abandoned)
	if err := os.Chtimes(old, then, then); err != nil {
		t.Fatal(err)
	}
	if err := Write(root, "c/x", 1, Key{}); err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(old); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("the old file stays: %v", err)
	}
	if _, err := os.Stat(young); err != nil {
		t.Error(err)
	}
}

func FuzzParse(f *testing.F) {
	data, err := Append(nil, 1, Key{}, []byte("some"), nil, []byte("more"))
	if err != nil {
		f.Fatal(err)
	}
	f.Add(data)
	f.Add([]byte{})
	f.Fuzz(func(t *testing.T, data []byte) {
		if sections, err := Parse(data, 1, Key{}); err == nil && len(sections) > maxSections {
			t.Errorf("%d sections", len(sections))
		}
	})
}
