package hostindex

import (
	"cmp"
	"fmt"
	"path"
	"slices"
	"strings"

	"github.com/memoryd/memoryd/pkg/internal/mdedit"
	"github.com/memoryd/memoryd/pkg/text"
)

// Tended is what [Tend] makes of an index and its pages. A page without a text is to be removed.
type Tended struct {
	Index []byte
	Pages map[string][]byte
	Report
}

// Tend brings the index and its pages up to date with the notes: entries of notes that go leave, or lead to what says the same; notes
// without an entry get one; over 85 % of the cap the entries of least value move to pages, until the index is below 70 %. What it has
// made it leaves as it is when it is called again. Where the lines that it doesn't move leave no room, it only takes out what goes.
func Tend(f Folder) (Tended, error) {
	out, err := tend(f, true)
	if err != nil {
		return out, err
	}
	same := out.Empty() && string(out.Index) == string(f.Index)
	if now := out.folder(f); !same && Prove(&f, &now) != nil {
		if out, err = tend(f, false); err != nil {
			return out, err
		}
	}
	if n := Loaded(out.Index, f.Lines, f.Units); n < len(strings.TrimRight(string(out.Index), "\r\n\t ")) {
		out.Over = fmt.Sprintf("%s: from line %d on nothing is loaded, and what is left are lines that memoryd doesn't move", f.Name, strings.Count(string(out.Index[:n]), "\n")+1)
	}
	return out, nil
}

// folder is a folder with an index and pages that were brought up to date.
func (t *Tended) folder(f Folder) Folder {
	f.Index, f.Pages = t.Index, map[string][]byte{}
	for name, page := range t.Pages {
		if page != nil {
			f.Pages[name] = page
		}
	}
	return f
}

func tend(f Folder, full bool) (Tended, error) {
	out := Tended{Index: f.Index, Pages: map[string][]byte{}}
	for name, page := range f.Pages {
		out.Pages[name] = page
	}
	if err := mdedit.Check(f.Index); err != nil {
		return out, fmt.Errorf("%s: %w", f.Name, err)
	}
	t := tender{Folder: f, out: &out, notes: map[string]Note{}}
	for _, n := range f.Notes {
		t.notes[n.Path] = n
	}
	steps := []func() error{t.leave, t.add, t.unfold, t.fold, t.title}
	if !full {
		steps = []func() error{t.leave}
	}
	for _, step := range steps {
		if err := step(); err != nil {
			return out, err
		}
	}
	for name, page := range out.Pages {
		if string(page) != string(f.Pages[name]) {
			out.Report.Pages = append(out.Report.Pages, name)
		}
	}
	slices.Sort(out.Report.Pages)
	return out, nil
}

type tender struct {
	Folder
	out   *Tended
	notes map[string]Note
}

func (t *tender) resolve() func(mdedit.Link) (string, bool) { return Resolve(t.paths(true)) }

// each calls f with the index and the pages, and takes what it returns in their place.
func (t *tender) each(f func(doc []byte) ([]byte, error)) (err error) {
	if t.out.Index, err = f(t.out.Index); err != nil {
		return err
	}
	for name, page := range t.out.Pages {
		if page == nil {
			continue
		}
		if t.out.Pages[name], err = f(page); err != nil {
			return err
		}
	}
	return nil
}

// leave takes out the entries of notes that go. One leads to the note that says the same where that has none.
func (t *tender) leave() error {
	if len(t.Moved) == 0 {
		return nil
	}
	listed := (&Folder{Index: t.out.Index, Pages: t.out.Pages, Notes: t.Notes, Moved: t.Moved}).Listed()
	return t.each(func(doc []byte) ([]byte, error) {
		var edits []mdedit.Edit
		for _, e := range entriesOf(doc, t.resolve()) {
			to, goes := t.Moved[e.path]
			if !goes {
				continue
			}
			if _, there := t.notes[to]; there && !listed[to] {
				listed[to] = true
				edits = append(edits, mdedit.Edit{At: e.link.Target, With: escape(to)})
				t.out.Retargeted = append(t.out.Retargeted, e.path)
				continue
			}
			edits = append(edits, mdedit.Edit{At: e.line.Span})
			t.out.Removed = append(t.out.Removed, e.path)
		}
		doc, err := mdedit.Apply(doc, edits)
		if err != nil {
			return nil, err
		}
		return mdedit.Retarget(doc, func(l mdedit.Link) (string, bool) { // in prose, that the link isn't dead
			from, ok := t.resolve()(l)
			to := t.Moved[from]
			return linkTo(l, to), ok && to != "" && l.Kind != mdedit.Code
		})
	})
}

// linkTo is the target of a link that leads to a note, written as it was.
func linkTo(l mdedit.Link, to string) string {
	if l.Kind == mdedit.Wiki {
		return strings.TrimSuffix(path.Base(to), ".md")
	}
	return escape(to)
}

// style is how entries of a text are written.
func style(doc []byte, all []entry) (bullet, dash string) {
	bullet, dash = "-", " — "
	if len(all) == 0 {
		return bullet, dash
	}
	e := all[len(all)-1]
	bullet = e.line.Text(doc)[:1]
	rest := string(doc[e.link.End:e.line.End])
	for _, d := range []string{" — ", " – ", " - ", ": "} {
		if strings.HasPrefix(rest, d) {
			dash = d
		}
	}
	return bullet, dash
}

// add gives notes without an entry one: behind the last entry of the block with most notes of their kind.
func (t *tender) add() error {
	f := Folder{Index: t.out.Index, Pages: t.out.Pages, Notes: t.Notes, Moved: t.Moved}
	listed, mentioned := f.Listed(), f.Mentioned()
	for _, n := range t.Notes {
		if listed[n.Path] || mentioned[n.Path] || n.Dropped {
			continue
		}
		all := entriesOf(t.out.Index, t.resolve())
		bullet, dash := style(t.out.Index, all)
		if err := t.insert(newEntry(n, bullet, dash, mdedit.LineEnd(t.out.Index)), t.block(all, n.Group)); err != nil {
			return err
		}
		t.out.Added = append(t.out.Added, n.Path)
	}
	return nil
}

// block is the last entry of the block with most notes of a group; of no group, or of none that is listed, the last entry.
func (t *tender) block(all []entry, group string) *entry {
	counts := map[string]int{}
	for _, e := range all {
		if group != "" && t.notes[e.path].Group == group {
			counts[e.heading]++
		}
	}
	most := ""
	for _, e := range all {
		if counts[e.heading] > counts[most] {
			most = e.heading
		}
	}
	for i := range slices.Backward(all) {
		if counts[most] == 0 || all[i].heading == most {
			return &all[i]
		}
	}
	return nil
}

// insert puts a line behind an entry; nil: at the end.
func (t *tender) insert(line string, behind *entry) (err error) {
	doc := t.out.Index
	at := len(doc)
	if behind != nil {
		at = behind.line.End
	}
	if at > 0 && doc[at-1] != '\n' { // the last line has no end: it gets none, and the one before it does
		end := mdedit.LineEnd(doc)
		line = end + strings.TrimSuffix(line, end)
	}
	t.out.Index, err = mdedit.Splice(doc, mdedit.Span{Start: at, End: at}, line)
	return err
}

// recent reports whether a note was read lately.
func (t *tender) recent(n Note) bool {
	return !n.Used.IsZero() && t.At.Sub(n.Used) < recentDays*24*60*60*1e9
}

// unfold brings back the entries of notes that were read lately.
func (t *tender) unfold() error {
	for _, name := range t.pageNames() {
		page := t.out.Pages[name]
		var edits []mdedit.Edit
		for _, e := range entriesOf(page, t.resolve()) {
			if n := t.notes[e.path]; !t.recent(n) && !n.Pinned {
				continue
			}
			line := strings.TrimRight(string(page[e.line.Start:e.line.End]), "\r\n") + mdedit.LineEnd(t.out.Index)
			all := entriesOf(t.out.Index, t.resolve())
			if !slices.ContainsFunc(all, func(other entry) bool { return other.path == e.path }) {
				if err := t.insert(line, t.block(all, t.notes[e.path].Group)); err != nil {
					return err
				}
			}
			edits = append(edits, mdedit.Edit{At: e.line.Span})
			t.out.Unfolded = append(t.out.Unfolded, e.path)
		}
		var err error
		if t.out.Pages[name], err = mdedit.Apply(page, edits); err != nil {
			return err
		}
	}
	return nil
}

// fold moves entries to pages while the index is over its share of the cap. An entry that is on a page already only leaves.
func (t *tender) fold() error {
	resolve := t.resolve()
	on := map[string]bool{}
	for _, page := range t.out.Pages {
		for _, e := range entriesOf(page, resolve) {
			on[e.path] = true
		}
	}
	all := entriesOf(t.out.Index, resolve)
	begun := slices.ContainsFunc(all, func(e entry) bool { return on[e.path] })
	if t.share(t.out.Index) <= foldAbove && !begun {
		return nil
	}
	order := make([]int, len(all))
	for i := range order {
		order[i] = i
	}
	newest := func(i int) int64 {
		if at := t.notes[all[i].path].Updated; !at.IsZero() {
			return at.UnixNano()
		}
		return 0
	}
	// The least value first: what the host has last, of the oldest.
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Or(cmp.Compare(newest(a), newest(b)), cmp.Compare(b, a)) })
	lines, units := Size(t.out.Index)
	fits := func() bool {
		most := foldTo
		return (t.Lines == 0 || lines*100 < most*t.Lines) && (t.Units == 0 || units*100 < most*t.Units)
	}
	lines, units = lines+2, units+2*entryMost // for entries of pages
	out := map[int]bool{}
	for _, i := range order {
		n, folded := t.notes[all[i].path], on[all[i].path]
		if !folded && (fits() || n.Pinned || t.recent(n)) {
			continue
		}
		out[i] = true
		lines--
		units -= utf16Len(all[i].line.Of(t.out.Index))
	}
	var edits []mdedit.Edit
	for i, e := range all {
		if !out[i] {
			continue
		}
		edits = append(edits, mdedit.Edit{At: e.line.Span})
		if on[e.path] {
			continue
		}
		on[e.path] = true
		t.out.Folded = append(t.out.Folded, e.path)
		topic := cmp.Or(e.heading, t.notes[e.path].Group, "notes")
		if len(mdedit.Headings(t.out.Index)) == 1 { // its title
			topic = cmp.Or(t.notes[e.path].Group, "notes")
		}
		name := t.page(topic, resolve)
		line := strings.TrimRight(e.line.Of(t.out.Index), "\r\n") + "\n"
		t.out.Pages[name] = append(slices.Clip(t.out.Pages[name]), line...)
	}
	var err error
	t.out.Index, err = mdedit.Apply(t.out.Index, edits)
	return err
}

// page is the page for one more entry of a topic, which is begun where there is none with room.
func (t *tender) page(topic string, resolve func(mdedit.Link) (string, bool)) string {
	for n := 1; ; n++ {
		name := "more-" + slug(topic)
		if n > 1 {
			name += fmt.Sprint("-", n)
		}
		name += ".md"
		if _, note := t.notes[name]; note {
			continue
		}
		doc := t.out.Pages[name]
		if doc == nil {
			t.out.Pages[name] = fmt.Appendf(nil, "---\nname: %s\ndescription: More entries of %s, on %s\ntype: reference\n---\n\n%s: a host loads only the beginning of that file.\n\n", strings.TrimSuffix(name, ".md"), t.Name, strings.NewReplacer(":", "", "#", "").Replace(topic), pageMark)
			return name
		}
		if len(entriesOf(doc, resolve)) < pageMost {
			return name
		}
	}
}

func slug(topic string) string {
	words := strings.FieldsFunc(strings.ToLower(topic), func(r rune) bool { return notInName(r) || r == '.' })
	return cut(strings.Join(words, "-"), 40)
}

// title gives each page its entry in the part of the index that the host loads. The entry of one page may push that of another out of
// it, which then moves up.
func (t *tender) title() error {
	for range len(t.out.Pages) + 1 {
		was := string(t.out.Index)
		if err := titlesOnce(t); err != nil || string(t.out.Index) == was {
			return err
		}
	}
	return nil
}

// titlesOnce gives each page its entry in the index, and takes away that of a page without entries, and the page.
func titlesOnce(t *tender) error {
	resolve := t.resolve()
	for _, name := range slices.Sorted(keysOf(t.out.Pages)) {
		all := entriesOf(t.out.Pages[name], resolve)
		pages := Resolve([]string{name})
		found := entriesOf(t.out.Index, pages)
		if len(all) == 0 {
			t.out.Pages[name] = nil
			for _, e := range slices.Backward(found) {
				var err error
				if t.out.Index, err = mdedit.Splice(t.out.Index, e.line.Span, ""); err != nil {
					return err
				}
			}
			continue
		}
		topic := strings.TrimSuffix(strings.TrimPrefix(path.Base(name), "more-"), ".md")
		bullet, dash := style(t.out.Index, entriesOf(t.out.Index, resolve))
		var titles []string
		for _, e := range all {
			titles = append(titles, e.link.Text)
		}
		line := newEntry(Note{Path: name, Title: fmt.Sprintf("More: %s (%d)", topic, len(all)), Hook: words(titles)}, bullet, dash, "")
		var err error
		if len(found) > 0 {
			at := found[0].line.Span
			if end := at.Start + len(found[0].line.Text(t.out.Index)); end <= Loaded(t.out.Index, t.Lines, t.Units) {
				at.End = end
				if t.out.Index, err = mdedit.Splice(t.out.Index, at, line); err != nil {
					return err
				}
				continue
			}
			if t.out.Index, err = mdedit.Splice(t.out.Index, at, ""); err != nil {
				return err
			}
		}
		if err := t.insertLoaded(line + mdedit.LineEnd(t.out.Index)); err != nil {
			return err
		}
	}
	return nil
}

// insertLoaded puts a line behind the last entry or, where the host would not load it there, before the first item of a list.
func (t *tender) insertLoaded(line string) error {
	var behind *entry
	if all := entriesOf(t.out.Index, Resolve(append(t.paths(true), t.pageNames()...))); len(all) > 0 {
		behind = &all[len(all)-1]
	}
	was := t.out.Index
	if err := t.insert(line, behind); err != nil {
		return err
	}
	bare := strings.TrimSpace(line)
	if strings.Contains(string(t.out.Index[:Loaded(t.out.Index, t.Lines, t.Units)]), bare) {
		return nil
	}
	at := len(was)
	if items := mdedit.Items(was); len(items) > 0 {
		at = items[0].Start
	} else if heads := mdedit.Headings(was); len(heads) > 0 && heads[0].Line.End > heads[0].Line.Start+len(heads[0].Line.Text(was)) {
		at = heads[0].Line.End
	} else if lines := mdedit.Lines(was); len(lines) > 0 {
		at = lines[0].Start
	}
	var err error
	t.out.Index, err = mdedit.Splice(was, mdedit.Span{Start: at, End: at}, line)
	return err
}

func keysOf(m map[string][]byte) func(func(string) bool) {
	return func(yield func(string) bool) {
		for k := range m {
			if !yield(k) {
				return
			}
		}
	}
}

// words are those that most titles have, for the entry of a page.
func words(titles []string) string {
	counts := map[string]int{}
	for _, title := range titles {
		seen := map[string]bool{}
		for _, w := range strings.FieldsFunc(text.FoldName(title), func(r rune) bool { return notInName(r) || r == '.' }) {
			if len(w) > 4 && !seen[w] {
				seen[w] = true
				counts[w]++
			}
		}
	}
	var all []string
	for w := range counts {
		all = append(all, w)
	}
	slices.SortFunc(all, func(a, b string) int { return cmp.Or(cmp.Compare(counts[b], counts[a]), strings.Compare(a, b)) })
	return strings.Join(all[:min(len(all), 6)], ", ")
}
