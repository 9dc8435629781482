package note

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"strings"
	"time"

	"github.com/tidwall/gjson"

	"github.com/memoryd/memoryd/pkg/internal/mdedit"
	"github.com/memoryd/memoryd/pkg/layout"
	"github.com/memoryd/memoryd/pkg/timestamp"
)

// RefusedError: a change of a record that can't be written into its note.
type RefusedError struct{ Path, Why string }

func (e *RefusedError) Error() string { return e.Path + ": " + e.Why }

// Write is the bytes of a note whose record changed, and its line of the overlay: the values of front matter that changed, and text at
// the end of the note or, with whole, in place of the text below its front matter. What changed otherwise goes into the line.
func (f *Folder) Write(line Line, data, now []byte, whole bool, at time.Time) ([]byte, Line, error) {
	refuse := func(format string, args ...any) ([]byte, Line, error) {
		return nil, line, &RefusedError{line.Path, fmt.Sprintf(format, args...)}
	}
	was, err := f.Record(line, data)
	if err != nil {
		return refuse("%v", err)
	}
	old, next := gjson.ParseBytes(was), gjson.ParseBytes(now)
	out := data
	if f.Layout.Level != layout.Tend && !Archived(line.Path) && old.Get("content").Raw != next.Get("content").Raw {
		return refuse("memoryd only reads such a folder (%s)", f.Layout.Host)
	}
	is, will := saidIn(old.Get("content")), saidIn(next.Get("content"))
	if old.Get("content").Raw == next.Get("content").Raw {
		will = is
	} else if whole {
		will = wanted(is, next.Get("content"), mdedit.LineEnd(data))
	} else if other := extra(old.Get("content"), next.Get("content")); other != "" {
		return refuse("its text has no place for %s", other)
	}
	for _, part := range []struct {
		what, was, now string
		names          []string
	}{{"title", is.title, will.title, []string{"title", "name"}}, {"summary", is.summary, will.summary, []string{"description", "summary"}}} {
		if part.was == part.now {
			continue
		}
		if !whole {
			return refuse("only a person changes its %s", part.what)
		}
		if out, err = setFront(out, part.names, part.now); err != nil {
			return refuse("its %s stays: %v", part.what, err)
		}
	}
	if is.details != will.details {
		if !whole && !strings.HasPrefix(will.details, strings.TrimRight(is.details, "\r\n")) {
			return refuse("its text would be rewritten")
		}
		if err := mdedit.Check(out); err != nil {
			return refuse("%v", err)
		}
		body := mdedit.BodyAt(out)
		if out, err = mdedit.Splice(out, mdedit.Span{Start: body, End: len(out)}, will.details); err != nil {
			return refuse("%v", err)
		}
	}
	fields := map[string]json.RawMessage{}
	for key, v := range line.Fields {
		fields[key] = v
	}
	handled := map[string]bool{"content": true, "updated_at": true, "id": true}
	next.ForEach(func(key, v gjson.Result) bool {
		if !handled[key.Str] && old.Get(gjson.Escape(key.Str)).Raw != v.Raw {
			fields[key.Str] = json.RawMessage(v.Raw)
		}
		return true
	})
	old.ForEach(func(key, _ gjson.Result) bool {
		if !handled[key.Str] && !next.Get(gjson.Escape(key.Str)).Exists() {
			fields[key.Str] = json.RawMessage("null")
		}
		return true
	})
	if len(fields) > 0 {
		line.Fields = fields
	}
	if !bytes.Equal(out, data) {
		stamp := timestamp.Format(at)
		for _, key := range []string{"modified", "updated", "updated_at"} {
			for _, within := range []string{"", "metadata"} {
				if k := mdedit.FrontOf(out).Key(within, key); k != nil && k.Scalar {
					if changed, err := mdedit.SetValue(out, within, key, stamp); err == nil {
						out = changed
					}
				}
			}
		}
		line.Sum, line.Updated = Sum(out), stamp
	}
	return out, line, nil
}

// extra names a member of the content that a note has no place for; "" for none.
func extra(old, now gjson.Result) (name string) {
	if !now.IsObject() {
		return "what it says"
	}
	now.ForEach(func(key, v gjson.Result) bool {
		switch key.Str {
		case "title", "summary", "details":
		default:
			if old.Get(gjson.Escape(key.Str)).Raw != v.Raw {
				name = key.Str
			}
		}
		return name == ""
	})
	return name
}

// setFront sets the first of some keys that the front matter has, or the first one.
func setFront(data []byte, names []string, value string) ([]byte, error) {
	front := mdedit.FrontOf(data)
	for _, name := range names {
		for _, within := range []string{"", "metadata"} {
			if front.Key(within, name) != nil {
				return mdedit.SetValue(data, within, name, value)
			}
		}
	}
	if front == nil {
		return nil, fmt.Errorf("%w: front matter", mdedit.ErrNoSuch)
	}
	return mdedit.SetValue(data, "", names[0], value)
}

// saidIn is a content that was made of a note.
func saidIn(content gjson.Result) said {
	return said{content.Get("title").String(), content.Get("summary").String(), content.Get("details").String()}
}

// wanted is what a note is to say where somebody gives it a content: its title and summary stay where the content has none, and the
// blank lines around its text.
func wanted(is said, content gjson.Result, end string) said {
	will := saidBy(content)
	will.title = cmp.Or(will.title, is.title)
	if content.IsObject() && !content.Get("summary").Exists() {
		will.summary = is.summary
	}
	if details := content.Get("details"); details.Str == is.details && extra(gjson.Result{}, content) == "" {
		will.details = is.details
		return will
	}
	lead := is.details[:len(is.details)-len(strings.TrimLeft(is.details, "\r\n"))]
	will.details = lead + strings.Trim(will.details, "\r\n") + is.details[len(strings.TrimRight(is.details, "\r\n")):]
	if end != "\n" {
		will.details = strings.ReplaceAll(strings.ReplaceAll(will.details, "\r\n", "\n"), "\n", end)
	}
	return will
}
