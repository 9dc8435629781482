package web

import (
	"bytes"
	"encoding/json"
	"maps"
	"net/url"
	"slices"
	"strings"

	"github.com/memoryd/memoryd/internal/document"
)

// shortened is a document of which long texts, lists and tables of names have their beginnings only, so that an answer has room for it. An object of
// which members are cut names them in "shortened"; one that tells of a memory says in "whole" where its record is given as it is. What is cut to the
// utmost may still be too large: it has too many members of fixed names, which no document has.
func shortened(text []byte) []byte {
	for most, rows := 16_000, 2_000; ; most, rows = most/4, rows/4 {
		var doc any
		in := json.NewDecoder(bytes.NewReader(text))
		in.UseNumber()
		if in.Decode(&doc) != nil {
			return text // it is no JSON of ours
		}
		doc, _ = shorten(doc, most, rows)
		out, err := document.MarshalIndent(doc)
		if err != nil {
			return text
		}
		if len(out) <= answerBytes || rows < 10 {
			return out
		}
	}
}

// shorten cuts texts to so many bytes, and lists and tables to so many rows. It reports whether the value itself has lost something; an object says
// that of its members.
func shorten(value any, most, rows int) (any, bool) {
	switch v := value.(type) {
	case string:
		if len(v) > most {
			return strings.ToValidUTF8(v[:most], "") + " …", true
		}
	case []any:
		lost := len(v) > rows
		v = v[:min(len(v), rows)]
		for i := range v {
			short, cut := shorten(v[i], most, rows)
			v[i], lost = short, lost || cut
		}
		return v, lost
	case map[string]any:
		return shortenObject(v, most, rows)
	}
	return value, false
}

func shortenObject(v map[string]any, most, rows int) (any, bool) {
	var cut []string
	kept, lost := 0, false
	for _, name := range slices.Sorted(maps.Keys(v)) {
		if len(name) > most || kept == rows {
			delete(v, name)
			lost = true
			continue
		}
		kept++
		short, is := shorten(v[name], most, rows)
		if v[name] = short; is {
			cut = append(cut, name)
		}
	}
	if len(cut) > 0 {
		v["shortened"] = cut
		for _, name := range []string{"id", "memory_id"} {
			if id, ok := v[name].(string); ok && !slices.Contains(cut, name) {
				v["whole"] = "/api/v1/show/" + url.PathEscape(id)
			}
		}
	}
	return v, lost
}
