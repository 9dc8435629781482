package hostindex

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"
)

var at = time.Date(2026, 3, 1, 0, 0, 0, 0, time.UTC)

// after is the folder as it is when what Tend made of it is written.
func after(f Folder, t Tended) Folder {
	f.Index, f.Pages = t.Index, map[string][]byte{}
	for name, page := range t.Pages {
		if page != nil {
			f.Pages[name] = page
		}
	}
	f.Notes = slices.DeleteFunc(slices.Clone(f.Notes), func(n Note) bool { _, gone := f.Moved[n.Path]; return gone })
	f.Moved = nil
	return f
}

func notes(n int) (all []Note) {
	for i := range n {
		all = append(all, Note{
			Path: fmt.Sprintf("note-%03d.md", i), Title: fmt.Sprintf("Title [%d] of a note", i), Hook: "What it says, in a sentence of some length.",
			Group: []string{"feedback", "project"}[i%2], Updated: at.Add(-time.Duration(i) * time.Hour),
		})
	}
	return all
}

func TestEntries(t *testing.T) {
	f := Folder{Name: "MEMORY.md", Notes: notes(6), Index: []byte("# Memory\n\nRead note-000 first.\n\n## One\n- [a [b] c](note-001.md) — hook with a single ``` in it\n* **rule** — [slug](note-002.md)\n- see [x](note-003.md) for y\n- [two](note-004.md) and [more](note-001.md)\n- [p](note-005.md)\n  - below\n```\n- [no](note-000.md)\n```\n")}
	if got, want := slices.Sorted(maps.Keys(f.Listed())), []string{"note-001.md", "note-002.md"}; !slices.Equal(got, want) {
		t.Errorf("listed %v, want %v", got, want)
	}
	if got, want := slices.Sorted(maps.Keys(f.Mentioned())), []string{"note-000.md", "note-001.md", "note-003.md", "note-004.md", "note-005.md"}; !slices.Equal(got, want) {
		t.Errorf("mentioned %v, want %v", got, want)
	}
}

func TestLoaded(t *testing.T) {
	text := []byte("\n\n" + strings.Repeat("😀\n", 10))
	if got := Loaded(text, 3, 0); got != 2+3*5 {
		t.Errorf("%d bytes of 3 lines", got)
	}
	if got := Loaded(text, 0, 8); got != 2+3*5 {
		t.Errorf("%d bytes of 8 units", got)
	}
}

func TestTend(t *testing.T) {
	f := Folder{Name: "MEMORY.md", Notes: notes(300), Lines: 200, Units: 25_000, At: at}
	var b strings.Builder
	b.WriteString("# Memory\n\n")
	for _, n := range f.Notes[:280] {
		fmt.Fprintf(&b, "- [%s](%s) — %s\n", n.Title, n.Path, n.Hook)
	}
	f.Index = []byte(b.String())
	f.Moved = map[string]string{"note-000.md": "note-001.md", "note-002.md": "note-290.md"}
	before := f
	f.Notes = f.Notes[1:]
	f.Notes = slices.Delete(f.Notes, 1, 2)
	out, err := Tend(f)
	if err != nil {
		t.Fatal(err)
	}
	now := after(f, out)
	if err := Prove(&before, &now); err != nil {
		t.Error(err)
	}
	reached := now.Reached()
	for _, n := range now.Notes {
		if !reached[n.Path] {
			t.Errorf("%s isn't reached", n.Path)
		}
	}
	if lines, units := Size(now.Index); lines > 200 || units > 25_000 || Loaded(now.Index, 200, 25_000) < len(now.Index)-1 {
		t.Errorf("%d lines, %d units", lines, units)
	}
	again, err := Tend(now)
	if err != nil || !again.Empty() || string(again.Index) != string(now.Index) {
		t.Errorf("again %+v, %v", again.Report, err)
	}
	// Used again, it comes back, verbatim.
	i := slices.IndexFunc(now.Notes, func(n Note) bool { return n.Path == out.Folded[0] })
	now.Notes[i].Used = at
	back, err := Tend(now)
	if err != nil || !slices.Equal(back.Unfolded, []string{now.Notes[i].Path}) || !strings.Contains(string(back.Index), "]("+now.Notes[i].Path+")") {
		t.Errorf("back %+v, %v", back.Report, err)
	}
}

// Whatever the index: what was reached is reached, twice is once, and other lines than entries stay.
func TestTendHolds(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		f := Folder{Name: "MEMORY.md", Notes: notes(rapid.IntRange(0, 30).Draw(t, "notes")), Lines: 20, Units: 1500, At: at}
		end := rapid.SampledFrom([]string{"\n", "\r\n"}).Draw(t, "end")
		var b strings.Builder
		for i, n := 0, rapid.IntRange(0, 40).Draw(t, "lines"); i < n; i++ {
			switch k := rapid.IntRange(0, 9).Draw(t, "kind"); {
			case k < 6:
				fmt.Fprintf(&b, "- [t](note-%03d.md) — h", i)
			case k == 6:
				b.WriteString("## Head")
			case k == 7:
				fmt.Fprintf(&b, "note-%03d · note-%03d", i, i/2)
			case k == 8:
				b.WriteString("- prose [a](note-001.md) more")
			}
			b.WriteString(end)
		}
		f.Index = []byte(strings.TrimSuffix(b.String(), rapid.SampledFrom([]string{"", end}).Draw(t, "last")))
		before := f
		if len(f.Notes) > 3 && rapid.Bool().Draw(t, "moved") && !f.Mentioned()[f.Notes[0].Path] {
			f.Moved = map[string]string{f.Notes[0].Path: f.Notes[rapid.IntRange(1, 3).Draw(t, "to")].Path}
			f.Notes = f.Notes[1:]
		}
		out, err := Tend(f)
		if err != nil {
			t.Fatal(err)
		}
		now := after(f, out)
		if err := Prove(&before, &now); err != nil {
			t.Fatalf("%v\n%s\n->\n%s", err, before.Index, now.Index)
		}
		again, err := Tend(now)
		if err != nil || !again.Empty() || string(again.Index) != string(now.Index) {
			t.Fatalf("again %+v, %v\n%s\n->\n%s", again.Report, err, now.Index, again.Index)
		}
	})
}

// The entry of a page pushes none of another page out of what the host loads.
func TestPagesAreLoaded(t *testing.T) {
	f := Folder{Name: "MEMORY.md", Notes: notes(4), Lines: 20, Units: 1500, At: at, Index: []byte("\n- [t](note-001.md) — h\n## Head\n")}
	for i := range 19 {
		f.Index = fmt.Appendf(f.Index, "- [t](note-%03d.md) — h\n", i+3)
	}
	out, err := Tend(f)
	if err != nil || len(out.Pages) != 2 {
		t.Fatal(len(out.Pages), err)
	}
	loaded := string(out.Index[:Loaded(out.Index, f.Lines, f.Units)])
	for name := range out.Pages {
		if !strings.Contains(loaded, "]("+name+")") {
			t.Errorf("%s isn't loaded:\n%s", name, out.Index)
		}
	}
}

// Prove sees what a faulty Tend would do.
func TestProveSees(t *testing.T) {
	f := Folder{Name: "MEMORY.md", Notes: notes(250), Lines: 200, Units: 25_000, At: at}
	for _, n := range f.Notes[:150] {
		f.Index = fmt.Appendf(f.Index, "- [%s](%s) — %s\n", n.Title, n.Path, n.Hook)
	}
	good, err := Tend(f)
	if err != nil {
		t.Fatal(err)
	}
	now := after(f, good)
	for name, fault := range map[string]func(*Folder){
		"an entry is dropped": func(f *Folder) { f.Index = f.Index[strings.Index(string(f.Index), "\n")+1:] },
		"an entry is folded twice": func(f *Folder) {
			for name, page := range f.Pages {
				f.Pages[name] = append(slices.Clone(page), page[strings.Index(string(page), "- ["):]...)
			}
		},
		"a page has no entry": func(f *Folder) { f.Pages = nil },
		"the index is cut":    func(f *Folder) { f.Index = f.Index[:len(f.Index)/2] },
	} {
		bad := now
		bad.Pages = maps.Clone(now.Pages)
		fault(&bad)
		if Prove(&f, &bad) == nil {
			t.Errorf("%s: not seen", name)
		}
	}
}
