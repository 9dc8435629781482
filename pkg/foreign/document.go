package foreign

import (
	"bytes"
	"errors"
	"fmt"
	"strings"

	"github.com/tidwall/gjson"

	"github.com/memoryd/memoryd/pkg/internal/jsonedit"
)

// readDocument reads a JSON document: the elements of the array that it is, those of the arrays of objects that it has as members, or
// all of it as one.
func readDocument(format Format, f File) (parts []part, misfits []Misfit) {
	if bad, ok := errors.AsType[*invalid](check(f.Text)); ok {
		return nil, []Misfit{{fmt.Sprintf("%s:%d:%d", f.Name, bad.at.Line, bad.at.Column), bad.Error(), true}}
	}
	start, end := jsonedit.Span(f.Text)
	doc := gjson.ParseBytes(f.Text[start:end])
	done, at, n := 0, start, 0 // what is given to records; where the next value is looked for; elements
	var others unlike
	var apart []string // members that are not memories
	find := func(raw string) int {
		// Between the values of a JSON text stand white space, commas, colons and brackets only: the first occurrence of the
		// next one behind the one before is it.
		at += bytes.Index(f.Text[at:], []byte(raw))
		return at
	}
	list := func(name string, v gjson.Result) {
		at++ // its bracket
		v.ForEach(func(_, e gjson.Result) bool {
			from := find(e.Raw)
			at += len(e.Raw)
			n++
			p, err := readValue(format, name, e.Raw)
			if others.count(err) {
				return true
			}
			if err != nil {
				misfits = append(misfits, Misfit{fmt.Sprintf("%s#%d", f.Name, n), err.Error(), true})
				return true
			}
			p.Number = n
			p.Source.Before, p.Source.Index, p.Source.List = string(f.Text[done:from]), len(parts), name
			parts, done = append(parts, p), at
			return true
		})
	}
	switch {
	case doc.IsArray():
		list("", doc)
	case doc.IsObject() && !doc.Get("content").Exists():
		doc.ForEach(func(k, v gjson.Result) bool {
			find(k.Raw)
			at += len(k.Raw)
			from := find(v.Raw)
			switch {
			case v.IsArray() && v.Get("0").IsObject():
				list(k.String(), v)
			case (v.IsArray() || v.IsObject()) && !empty(v) && format == Document:
				apart = append(apart, k.String())
			}
			at = from + len(v.Raw)
			return true
		})
	}
	if n == 0 && !doc.IsArray() {
		p, err := readValue(format, "", doc.Raw)
		if err != nil {
			return nil, []Misfit{{f.Name, err.Error(), true}}
		}
		apart, done = nil, end
		p.Source.Before = string(f.Text[:start])
		parts = append(parts, p)
	}
	if len(parts) > 0 {
		parts[len(parts)-1].Source.After = string(f.Text[done:])
	}
	for i := range parts {
		parts[i].Source.Of = len(parts)
	}
	if apart != nil {
		misfits = append(misfits, Misfit{f.Name, "no lists of memories, and kept for export only: " + strings.Join(apart, ", "), false})
	}
	return parts, append(misfits, others.told(f.Name)...)
}

// joinDocument gives a document back: with all that stood around its records when these are complete, with what was around the
// list when it has its first and its last, else as an array.
func joinDocument(name string, all []*entry) ([]byte, []Misfit) {
	var b strings.Builder
	if complete(all) {
		for _, e := range all {
			b.WriteString(e.from.Before + e.text + e.from.After)
		}
		return []byte(b.String()), nil
	}
	known := 0
	for known < len(all) && all[known].from != nil {
		known++
	}
	if known > 0 {
		head, last := all[0].from, all[known-1].from
		one := head.Index == 0 && last.Index == last.Of-1 && last.Of > 0 && strings.HasSuffix(strings.TrimSpace(head.Before), "[")
		between := ",\n  "
		for i, e := range all[:known] {
			one = one && e.from.List == head.List
			if i > 0 && strings.TrimSpace(e.from.Before) == "," {
				between = e.from.Before
			}
		}
		if one {
			b.WriteString(head.Before)
			for i, e := range all {
				if i > 0 {
					b.WriteString(between)
				}
				b.WriteString(e.text)
			}
			b.WriteString(last.After)
			if jsonedit.Check([]byte(b.String())) == nil {
				return []byte(b.String()), nil
			}
			b.Reset()
		}
	}
	for i, e := range all {
		b.WriteString([]string{"[\n  ", ",\n  "}[min(i, 1)] + e.text)
	}
	b.WriteString("\n]\n")
	if known == 0 {
		return []byte(b.String()), nil
	}
	return []byte(b.String()), []Misfit{{name, "not all of its records are there: what stood around them is left out", false}}
}

// complete reports whether the entries are all those of the file that they were imported from, and give JSON.
func complete(all []*entry) bool {
	for i, e := range all {
		if e.from == nil || e.from.Index != i || e.from.Of != len(all) {
			return false
		}
	}
	var b strings.Builder
	for _, e := range all {
		b.WriteString(e.from.Before + e.text + e.from.After)
	}
	return jsonedit.Check([]byte(b.String())) == nil
}
