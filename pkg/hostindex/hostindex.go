// Package hostindex keeps the index of a host's folder of notes true: an entry for each live note, within what the host loads. It
// adds, removes, retargets and moves entries whole; headings, prose and lines that mention notes stay as they are. What doesn't fit
// is moved, word for word, into pages one link away. [Prove] compares what can be reached before and after. The package is pure.
//
// An entry is a list item that holds exactly one link, to a note of the folder, first or last in it, and nothing indented below.
package hostindex

import (
	"fmt"
	"path"
	"slices"
	"strings"
	"time"
	"unicode/utf16"
	"unicode/utf8"

	"github.com/memoryd/memoryd/pkg/internal/mdedit"
	"github.com/memoryd/memoryd/pkg/text"
)

// Note is a live note as its index needs it.
type Note struct {
	Path    string // relative to the folder
	Title   string
	Hook    string // what it says, in a sentence
	Group   string // what notes of one kind have in common
	Updated time.Time
	Used    time.Time // read last; zero: nobody knows
	Pinned  bool
	Dropped bool // the host or a person removed its entry: it gets none
}

// Folder is an index, its pages and the notes.
type Folder struct {
	Name         string // of the index
	Index        []byte
	Pages        map[string][]byte // by name; pages are not notes
	Notes        []Note
	Moved        map[string]string // notes that are about to go, and the notes that say what they say; "" for none
	Lines, Units int               // how much of the index the host loads; 0: all
	At           time.Time
}

// Shares of the cap: above the first entries are moved to pages, until the index is below the second.
const (
	foldAbove  = 85
	foldTo     = 70
	pageMost   = 100 // entries of a page
	entryMost  = 150 // characters of a new entry
	recentDays = 30
)

// Report says what became of an index.
type Report struct {
	Added, Removed, Retargeted, Folded, Unfolded []string // paths of notes
	Pages                                        []string // that were written
	Over                                         string   // what still isn't loaded, and why; "" for nothing
}

// Empty reports whether nothing changed.
func (r Report) Empty() bool {
	return len(r.Added)+len(r.Removed)+len(r.Retargeted)+len(r.Folded)+len(r.Unfolded)+len(r.Pages) == 0
}

// entry is an entry in a text.
type entry struct {
	line    mdedit.Line
	link    mdedit.Link
	path    string
	heading string
}

// pageMark is how the text of a page begins.
const pageMark = "Entries of MEMORY.md, moved here word for word by memoryd"

// IsPage reports whether a text is a page of an index, which memoryd has written. Such a page is not a note.
func IsPage(name string, data []byte) bool {
	if !strings.HasPrefix(path.Base(name), "more-") {
		return false
	}
	return strings.HasPrefix(strings.TrimLeft(string(data[mdedit.BodyAt(data):]), "\r\n \t"), pageMark)
}

// Resolve finds the notes of a folder by the targets of links.
func Resolve(paths []string) func(l mdedit.Link) (string, bool) {
	exact := make(map[string]bool, len(paths))
	loose := map[string][]string{}
	for _, p := range paths {
		exact[p] = true
		loose[stem(p)] = append(loose[stem(p)], p)
	}
	return func(l mdedit.Link) (string, bool) {
		name := path.Clean(l.Name)
		if strings.Contains(l.Name, "://") || strings.HasPrefix(name, "/") || strings.HasPrefix(name, "..") {
			return "", false
		}
		if exact[name] {
			return name, true
		}
		if l.Kind == mdedit.Wiki {
			if all := loose[stem(name)]; len(all) == 1 {
				return all[0], true
			}
		}
		return "", false
	}
}

// stem is the name of a note as a link in double brackets writes it, whatever its case, and with "-" for "_".
func stem(name string) string {
	return strings.ReplaceAll(text.FoldName(strings.TrimSuffix(path.Base(name), ".md")), "_", "-")
}

// entriesOf are the entries of a text.
func entriesOf(doc []byte, resolve func(mdedit.Link) (string, bool)) (all []entry) {
	heads := mdedit.Headings(doc)
	links := mdedit.Links(doc)
	for _, item := range mdedit.Items(doc) {
		if item.Span != item.Line.Span {
			continue
		}
		var in []mdedit.Link
		for len(links) > 0 && links[0].Start < item.End {
			if links[0].Start >= item.Start {
				in = append(in, links[0])
			}
			links = links[1:]
		}
		// Of what is written in code only names of files count, and an entry names its note with a link.
		in = slices.DeleteFunc(in, func(l mdedit.Link) bool { return l.Kind == mdedit.Code })
		if len(in) != 1 || in[0].Kind == mdedit.Reference {
			continue
		}
		l := in[0]
		if before, after := strings.Trim(string(doc[item.Text.Start:l.Start]), " *_"), strings.Trim(string(doc[l.End:item.Text.End]), " *_"); before != "" && after != "" {
			continue
		}
		to, ok := resolve(l)
		if !ok {
			continue
		}
		e := entry{line: item.Line, link: l, path: to}
		for _, h := range heads {
			if h.Line.Start < item.Start {
				e.heading = h.Title
			}
		}
		all = append(all, e)
	}
	return all
}

// Loaded is how many bytes of an index its host loads.
func Loaded(doc []byte, lines, units int) int {
	from := len(doc) - len(strings.TrimLeft(string(doc), "\ufeff\r\n\t "))
	end := len(strings.TrimRight(string(doc), "\r\n\t "))
	at, n, seen := from, 0, 0
	for at < end {
		next := end
		if i := strings.IndexByte(string(doc[at:end]), '\n'); i >= 0 {
			next = at + i + 1
		}
		size := unitsOf(strings.TrimRight(string(doc[at:next]), "\n"))
		if n++; lines > 0 && n > lines || units > 0 && seen+size > units {
			return at
		}
		seen += size + 1
		at = next
	}
	return end
}

func unitsOf(s string) (n int) {
	for _, r := range s {
		if n++; r > 0xffff {
			n++
		}
	}
	return n
}

// Size is how many lines and UTF-16 units an index has.
func Size(doc []byte) (lines, units int) {
	t := strings.TrimSpace(strings.TrimPrefix(string(doc), "\ufeff"))
	if t == "" {
		return 0, 0
	}
	return strings.Count(t, "\n") + 1, unitsOf(t)
}

// share is how much of its cap an index takes, in per cent.
func (f *Folder) share(doc []byte) int {
	lines, units := Size(doc)
	share := 0
	if f.Lines > 0 {
		share = lines * 100 / f.Lines
	}
	if f.Units > 0 {
		share = max(share, units*100/f.Units)
	}
	return share
}

// Share is how much of its cap the index takes, in per cent; 0 without one.
func (f *Folder) Share() int { return f.share(f.Index) }

// paths are the notes that there are, and those that are about to go.
func (f *Folder) paths(gone bool) (all []string) {
	for _, n := range f.Notes {
		all = append(all, n.Path)
	}
	if gone {
		for from := range f.Moved {
			all = append(all, from)
		}
	}
	return all
}

// Reached are the notes that are found from the part of the index that the host loads: linked or named there, or on a page that it links.
func (f *Folder) Reached() map[string]bool {
	found := map[string]bool{}
	resolve := Resolve(append(f.paths(true), f.pageNames()...))
	loaded := f.Index[:Loaded(f.Index, f.Lines, f.Units)]
	f.names(loaded, resolve, found)
	for name, page := range f.Pages {
		if found[name] {
			f.names(page, resolve, found)
		}
	}
	return found
}

// Named are the notes that the part of the index which the host loads links or names itself.
func (f *Folder) Named() map[string]bool {
	found := map[string]bool{}
	f.names(f.Index[:Loaded(f.Index, f.Lines, f.Units)], Resolve(f.paths(true)), found)
	return found
}

func (f *Folder) pageNames() (all []string) {
	for name := range f.Pages {
		all = append(all, name)
	}
	slices.Sort(all)
	return all
}

// names notes what a text links, or mentions by its bare name.
func (f *Folder) names(doc []byte, resolve func(mdedit.Link) (string, bool), found map[string]bool) {
	for _, l := range mdedit.Links(doc) {
		if to, ok := resolve(l); ok {
			found[to] = true
		}
	}
	words := map[string]bool{}
	for _, l := range mdedit.Plain(doc) {
		for _, w := range strings.FieldsFunc(l.Text(doc), notInName) {
			words[strings.TrimSuffix(w, ".md")] = true
		}
	}
	for _, p := range f.paths(true) {
		if bare := strings.TrimSuffix(path.Base(p), ".md"); telling(bare) && words[bare] {
			found[p] = true
		}
	}
}

func notInName(r rune) bool {
	return !(r == '_' || r == '-' || r == '.' || r >= '0' && r <= '9' || r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r > 127)
}

// telling reports whether a word can only be the name of a note.
func telling(bare string) bool { return strings.ContainsAny(bare, "_-") && len(bare) > 5 }

// Mentioned are the notes that the index or a page names in other lines than entries.
func (f *Folder) Mentioned() map[string]bool {
	found := map[string]bool{}
	resolve := Resolve(f.paths(true))
	for _, doc := range f.docs() {
		var rest []byte
		at := 0
		for _, e := range entriesOf(doc, resolve) {
			rest = append(rest, doc[at:e.line.Start]...)
			at = e.line.End
		}
		f.names(append(rest, doc[at:]...), resolve, found)
	}
	return found
}

func (f *Folder) docs() [][]byte {
	all := [][]byte{f.Index}
	for _, name := range f.pageNames() {
		all = append(all, f.Pages[name])
	}
	return all
}

// Listed are the notes that have an entry, in the index or on a page.
func (f *Folder) Listed() map[string]bool {
	found := map[string]bool{}
	resolve := Resolve(f.paths(true))
	for _, doc := range f.docs() {
		for _, e := range entriesOf(doc, resolve) {
			found[e.path] = true
		}
	}
	return found
}

// Dead are the targets of links of the index to notes that aren't there.
func (f *Folder) Dead() (all []string) {
	resolve := Resolve(append(f.paths(true), f.pageNames()...))
	for _, l := range mdedit.Links(f.Index) {
		if _, ok := resolve(l); !ok && strings.HasSuffix(l.Name, ".md") && !strings.Contains(l.Name, "://") && !strings.HasPrefix(l.Name, "/") && !strings.HasPrefix(l.Name, "..") && l.Kind != mdedit.Code {
			all = append(all, l.Name)
		}
	}
	return all
}

// Prove reports an error where a note that was found from the index before isn't found after: one that is live, and that nothing
// else says instead. It also refuses an index in which a note has two entries that had one.
func Prove(before, after *Folder) error {
	was, is := before.Reached(), after.Reached()
	var lost []string
	for _, n := range after.Notes {
		if was[n.Path] && !is[n.Path] {
			lost = append(lost, n.Path)
		}
	}
	if len(lost) > 0 {
		return fmt.Errorf("%s would not lead to %s any more", after.Name, strings.Join(lost, ", "))
	}
	count := func(f *Folder) map[string]int {
		n := map[string]int{}
		for _, doc := range f.docs() {
			for _, e := range entriesOf(doc, Resolve(f.paths(true))) {
				n[e.path]++
			}
		}
		return n
	}
	had := count(before)
	for p, n := range count(after) {
		if n > max(1, had[p]) {
			return fmt.Errorf("%s would list %s %d times", after.Name, p, n)
		}
	}
	return nil
}

// newEntry is an entry for a note.
func newEntry(n Note, bullet, dash, end string) string {
	title := strings.NewReplacer("\n", " ", "[", "(", "]", ")").Replace(strings.TrimSpace(n.Title))
	head := bullet + " [" + title + "](" + escape(n.Path) + ")"
	hook := strings.Join(strings.Fields(n.Hook), " ")
	if room := entryMost - utf8.RuneCountInString(head+dash); hook != "" && room > 10 && strings.TrimRight(hook, ".") != strings.TrimRight(title, ".") {
		return head + dash + cut(hook, room) + end
	}
	return head + end
}

func escape(p string) string {
	return strings.NewReplacer(" ", "%20", "(", "%28", ")", "%29").Replace(p)
}

// cut shortens a text to so many characters, at a word.
func cut(s string, most int) string {
	if utf8.RuneCountInString(s) <= most {
		return s
	}
	runes := []rune(s)[:most-1]
	short := string(runes)
	if i := strings.LastIndexByte(short, ' '); i > len(short)/2 {
		short = short[:i]
	}
	return strings.TrimRight(short, " ,;:.") + "…"
}

func utf16Len(s string) int { return len(utf16.Encode([]rune(s))) }

// Retarget is a text of a folder whose links to notes that go lead to those that say the same. Links are relative to the file.
func Retarget(name string, doc []byte, paths []string, moved map[string]string) ([]byte, error) {
	resolve := Resolve(paths)
	dir := path.Dir(name)
	return mdedit.Retarget(doc, func(l mdedit.Link) (string, bool) {
		from, ok := "", false
		if dir != "." && l.Kind != mdedit.Wiki {
			near := l
			near.Name = path.Join(dir, l.Name)
			from, ok = resolve(near)
		}
		if !ok {
			from, ok = resolve(l)
		}
		to := moved[from]
		if !ok || to == "" {
			return "", false
		}
		if l.Kind == mdedit.Code {
			return path.Base(to), true
		}
		if dir != "." && l.Kind != mdedit.Wiki {
			return escape(relative(dir, to)), true
		}
		return linkTo(l, to), true
	})
}

// relative is a path as a file in a directory of the folder links it.
func relative(dir, to string) string {
	up := ""
	for dir != "." && !strings.HasPrefix(to, dir+"/") {
		dir, up = path.Dir(dir), up+"../"
	}
	if dir != "." {
		to = strings.TrimPrefix(to, dir+"/")
	}
	return up + to
}

// String says what is done to an index, in a sentence.
func (r Report) String() string {
	var parts []string
	for _, p := range []struct {
		n    int
		what string
	}{{len(r.Added), "added"}, {len(r.Removed), "removed"}, {len(r.Retargeted), "retargeted"}, {len(r.Folded), "moved to pages"}, {len(r.Unfolded), "moved back from pages"}} {
		if p.n > 0 {
			parts = append(parts, fmt.Sprintf("%d %s", p.n, p.what))
		}
	}
	if len(parts) == 0 {
		return "its pages are brought up to date"
	}
	return "entries: " + strings.Join(parts, ", ")
}
