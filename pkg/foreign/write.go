package foreign

import (
	"bytes"
	"cmp"
	"fmt"
	"path"
	"slices"
	"strings"

	"github.com/memoryd/memoryd/pkg/internal/jsonedit"
	"github.com/memoryd/memoryd/pkg/memory"
)

// entry is a memory on its way into a file.
type entry struct {
	*memory.Memory
	from *Source // nil: it was not imported in this format
	text string  // what becomes of it
}

// Write puts memories into files of a format that is [Written]: memories that were imported keep their places, the others follow. No
// name leads out of the store.
func Write(format Format, memories []*memory.Memory) (files []File, misfits []Misfit) {
	var names []string
	of := map[string][]*entry{}
	add := func(name string, e *entry) {
		if of[name] == nil {
			names = append(names, name)
		}
		of[name] = append(of[name], e)
	}
	var fresh []*entry
	stores := map[string]string{}
	for _, m := range memories {
		e := &entry{Memory: m, from: SourceOf(m)}
		if e.from == nil || e.from.Format.Base() != format || !local(e.from.File) {
			if e.from != nil && e.from.Format.Base() == format {
				misfits = append(misfits, Misfit{m.ID, "the name of its file leads out of the store, or nowhere", false})
			}
			e.from = nil
			fresh = append(fresh, e)
			continue
		}
		if store, ok := stores[e.from.File]; ok && store != e.from.Store {
			misfits = append(misfits, Misfit{m.ID, "another store has the file " + e.from.File + " too", true})
			continue
		}
		stores[e.from.File] = e.from.Store
		add(e.from.File, e)
	}
	slices.Sort(names)
	slices.SortStableFunc(fresh, func(a, b *entry) int {
		return cmp.Or(a.Born().Compare(b.Born()), strings.Compare(a.ID, b.ID))
	})
	only := ""
	if len(names) == 1 {
		only = names[0]
	}
	taken := map[string]bool{}
	for _, name := range names {
		taken[strings.ToLower(name)] = true
	}
	for _, e := range fresh {
		name := "memory.jsonl"
		switch {
		case (format == Graph || format == Lines || format == Document) && only != "":
			name = only
		case format == Lines:
			name = "memories.jsonl"
		case format == Document:
			name = "memories.json"
		case format != Graph:
			name = memory.FileName(e.ID) + ".md"
			for n := 2; taken[strings.ToLower(name)]; n++ {
				name = fmt.Sprintf("%s-%d.md", memory.FileName(e.ID), n)
			}
			taken[strings.ToLower(name)] = true
		}
		add(name, e)
	}
	for _, name := range names {
		all := of[name]
		slices.SortStableFunc(all, func(a, b *entry) int {
			switch {
			case a.from == nil || b.from == nil:
				return cmp.Compare(order(a), order(b))
			}
			return cmp.Compare(a.from.Index, b.from.Index)
		})
		for _, e := range all {
			var lost string
			if e.text, lost = say(format, e); lost != "" {
				misfits = append(misfits, Misfit{e.ID, lost, false})
			}
			if e.from != nil && Edited(e.Memory, e.from) && e.HasTag("summarized") {
				misfits = append(misfits, Misfit{e.ID, "summarised since: its full text is below " + memory.OriginalDir, false})
			}
		}
		text, not := join(format, name, all)
		files, misfits = append(files, File{name, text}), append(misfits, not...)
		if here, had := there(all); here < had {
			misfits = append(misfits, Misfit{name, fmt.Sprintf("%d of its %d records are not among these memories", had-here, had), false})
		}
	}
	if format == Claude {
		var not []Misfit
		files, not = indexed(files, of)
		misfits = append(misfits, not...)
	}
	return files, misfits
}

// there counts the records of a file that are still there, and those that it had.
func there(all []*entry) (here, had int) {
	for _, e := range all {
		if e.from != nil {
			here, had = here+1, max(had, e.from.Of)
		}
	}
	return here, had
}

func order(e *entry) int {
	if e.from == nil {
		return 1
	}
	return 0
}

// local reports whether a name stays below the store. Who writes it has to know what else names mean to his system.
func local(name string) bool {
	if name == "" || name != path.Clean(name) || path.IsAbs(name) || strings.ContainsAny(name, "\\\x00") {
		return false
	}
	return name != "." && name != ".." && !strings.HasPrefix(name, "../")
}

// say writes one memory in a format, and lists what doesn't fit.
func say(format Format, e *entry) (text, lost string) {
	if e.from == nil {
		return anew(format, e.Memory)
	}
	content := []byte(e.Content().Raw)
	ofJSON := format == Graph || format == Lines || format == Document
	var kept []string
	text = e.from.Raw
	switch edited := Edited(e.Memory, e.from); {
	case !edited:
		// A record that somebody has tampered with must not break the file of the others.
		if text == "" || ofJSON && jsonedit.Check([]byte(text)) != nil {
			text = render(format, content)
		}
	case ofJSON:
		text, lost = rebuilt(e.from, content, e.Tags)
	default:
		text = render(format, content)
		kept = frontLost(e, text)
	}
	text, more := withMembers(e, text)
	if kept = append(kept, more...); kept == nil {
		return text, lost
	}
	if lost != "" {
		lost += "; "
	}
	return text, lost + "edited since, and kept in the file as it was: " + strings.Join(kept, ", ")
}

// join makes a file of its entries.
func join(format Format, name string, all []*entry) ([]byte, []Misfit) {
	switch format {
	case Graph, Lines:
		return joinLines(format, all), nil
	case Document:
		return joinDocument(name, all)
	}
	var b bytes.Buffer
	for _, e := range all {
		if e.from == nil {
			b.WriteString(e.text)
			continue
		}
		b.WriteString(e.from.Before + e.text + e.from.After)
	}
	return b.Bytes(), nil
}
