package web

import (
	"bytes"
	"cmp"
	"html/template"
	"net/http"
	"net/url"
	"slices"
	"time"

	"github.com/tidwall/gjson"

	"github.com/memoryd/memoryd/internal/app"
	"github.com/memoryd/memoryd/internal/document"
	"github.com/memoryd/memoryd/internal/op/archiving"
	"github.com/memoryd/memoryd/internal/op/edit"
	"github.com/memoryd/memoryd/internal/op/find"
	"github.com/memoryd/memoryd/pkg/briefing"
	"github.com/memoryd/memoryd/pkg/config"
	"github.com/memoryd/memoryd/pkg/forecast"
	"github.com/memoryd/memoryd/pkg/memory"
	"github.com/memoryd/memoryd/pkg/retention"
	"github.com/memoryd/memoryd/pkg/rules"
	"github.com/memoryd/memoryd/pkg/text"
)

// memoryBody is what the template of one memory is given.
type memoryBody struct {
	*memory.Memory
	Line     string
	Titled   string // its title, where the heading has the beginning only
	Text     string
	Record   string    // as in its file; "" where it may not be shown
	Secret   bool      // it holds what looks like a secret: masked, and not to be edited here
	Also     []wording // that merges and saves kept
	Long     bool      // too long to be edited here, and cut
	Given    memory.Usage
	Score    retention.Score
	Links    []link
	Pairs    []string // ids of pairs that wait, in which it stands
	Changes  []document.Change
	Explain  *rules.Explanation // nil for an archived memory
	Forecast *forecast.Forecast

	FirstTags   []string
	MoreTags    int // that aren't listed; likewise MoreLinks and MoreChanges
	MoreLinks   int
	MoreChanges int
	Unexplained bool               // what the rules make of it is told when asked for
	Origin      *document.Archived // of an archived memory
	Receipts    []briefing.Receipt
	SaidBy      string // see [memory.SaidBy]
}

// wording is another wording of a memory, and when it was written.
type wording struct {
	Text    string
	Written time.Time
}

// link is a memory that another one refers to.
type link struct{ How, ID, Line string }

// longRecord is how long a record may be that is edited in a page, in bytes as they are written there.
const longRecord = 100_000

// explainedAtOnce is with how many memories a memory's page says unasked what the rules make of it: that takes two plans.
const explainedAtOnce = 2000

// receiptsOfMemory is how many of the last receipts a memory's page lists.
const receiptsOfMemory = 10

func memoryPage(s *Server, r *http.Request) (*reply, error) {
	ctx := r.Context()
	snap, request, err := s.asked(ctx)
	if err != nil {
		return nil, err
	}
	m, err := find.One(snap, r.PathValue("id"))
	if err != nil {
		return nil, err
	}
	left := newRoom()
	body := memoryBody{Memory: m, Line: summaryOf(m), Text: left.text(m.Text()), Given: snap.LastGiven(m), Score: retention.Of(m, snap.At, request.Settings), Links: linksOf(snap, m), SaidBy: memory.SaidBy(m)}
	heading := text.TruncateWords(cmp.Or(body.Line, m.ID), 90)
	if title := shown(m.Title()); title != heading {
		body.Titled = left.cut(title)
	}
	for _, v := range rowsIn(memory.Variants(m), 0, namedAtMost) {
		body.Also = append(body.Also, wording{left.text(v.Line()), v.Written})
	}
	body.Secret = len(request.Secrets.FindRecord(m.Raw())) > 0
	body.Record = string(m.Raw())
	written := len(template.HTMLEscapeString(body.Record))
	if body.Long = written > longRecord; body.Secret || body.Long {
		body.Record = left.text(body.Record)
	} else {
		left.bytes -= min(left.bytes, written)
	}
	body.FirstTags, body.MoreTags = rowsIn(m.Tags, 0, namedAtMost), max(0, len(m.Tags)-namedAtMost)
	body.MoreLinks = max(0, len(body.Links)-namedAtMost)
	body.Links = rowsIn(body.Links, 0, namedAtMost)
	for _, p := range snap.Open() {
		if (p.A == m.ID || p.B == m.ID) && len(body.Pairs) < namedAtMost {
			body.Pairs = append(body.Pairs, p.ID())
		}
	}
	if s.may(readsAll) {
		if err := addPast(s, &body, snap, left); err != nil {
			return nil, err
		}
	}
	switch {
	case m.Archived:
		body.Origin = document.NewArchived(snap, m).Archived
	case len(snap.Memories()) > explainedAtOnce && r.URL.Query().Get("explain") == "":
		body.Unexplained = true
	default:
		x := rules.Explain(snap, request, m)
		body.Explain = &x
		all, err := app.Forecast(s.Store.Cache(), snap, request, func(o *memory.Memory) bool { return o == m })
		if err != nil {
			return nil, err
		}
		if len(all) == 1 {
			body.Forecast = &all[0]
		}
	}
	return &reply{page: &page{Template: "memory", Title: heading, At: snap.At, Body: body}}, nil
}

// addPast tells what runs made of a memory, and whom it was given to.
func addPast(s *Server, body *memoryBody, snap *memory.Snapshot, left *room) error {
	versions, err := s.Store.History(body.ID)
	if err != nil {
		return err
	}
	body.Changes = document.Changes(versions, snap.Find(body.ID))
	slices.Reverse(body.Changes)
	body.MoreChanges = max(0, len(body.Changes)-namedAtMost)
	body.Changes = rowsIn(body.Changes, 0, namedAtMost)
	for i := range body.Changes {
		body.Changes[i].Diff = left.text(body.Changes[i].Diff)
	}
	receipts, err := app.Receipts(s.Store)
	if err != nil {
		return err
	}
	for _, rec := range slices.Backward(receipts) {
		if slices.Contains(rec.Given, body.ID) && len(body.Receipts) < receiptsOfMemory {
			body.Receipts = append(body.Receipts, rec)
		}
	}
	return nil
}

// linksOf lists the memories that a record names.
func linksOf(snap *memory.Snapshot, m *memory.Memory) (all []link) {
	add := func(how string, ids ...string) {
		for _, id := range ids {
			line := ""
			if found := snap.Find(id); len(found) > 0 {
				line = summaryOf(found[0])
			}
			all = append(all, link{how, id, line})
		}
	}
	add("supersedes", m.Supersedes...)
	replaced, partly := memory.ReplacedBy(m)
	add("superseded by", replaced...)
	add("partly superseded by", partly...)
	add("promoted to", m.PromotedTo...)
	add("promoted from", m.PromotedFrom...)
	for _, ref := range gjson.GetBytes(m.Raw(), "references").Array() {
		if id := ref.String(); !ref.IsObject() && id != "" {
			add("references", id)
		} else if id := ref.Get("id").String(); id != "" {
			add(cmp.Or(ref.Get("relationship").String(), "references"), id)
		}
	}
	return all
}

// changeOne commits what change makes of the live memory that the path of a request names, and goes back to its page.
func changeOne(s *Server, r *http.Request, change func(*memory.Snapshot, *memory.Memory) ([]memory.Action, error)) (*reply, error) {
	if err := readForm(r); err != nil {
		return nil, err
	}
	id, version := r.PathValue("id"), r.PostForm.Get("version")
	result, err := s.commit(r.Context(), func(snap *memory.Snapshot) ([]memory.Action, error) {
		m, err := edit.Shown(snap, id, version)
		if err != nil {
			return nil, err
		}
		return change(snap, m)
	})
	if err != nil {
		return nil, err
	}
	return done("/memories/"+url.PathEscape(id), result), nil
}

func archiveMemory(s *Server, r *http.Request) (*reply, error) {
	return changeOne(s, r, func(snap *memory.Snapshot, m *memory.Memory) ([]memory.Action, error) {
		return archiving.Archive(snap, r.PostForm.Get("reason"), m.ID)
	})
}

func restoreMemory(s *Server, r *http.Request) (*reply, error) {
	return changeOne(s, r, func(snap *memory.Snapshot, m *memory.Memory) ([]memory.Action, error) {
		return archiving.Restore(s.Store, snap, m.ID)
	})
}

func tagMemory(s *Server, r *http.Request) (*reply, error) {
	return editOne(s, r, func(snap *memory.Snapshot, m *memory.Memory, settings config.Settings) ([]memory.Action, error) {
		add, remove := words(r.PostForm.Get("add")), words(r.PostForm.Get("remove"))
		return edit.Tags(s.Store, settings, snap, []string{m.ID}, add, remove, edit.Options{Detail: "tags changed in the dashboard"})
	})
}

// words are the parts of a text between commas.
func words(text string) []string {
	return slices.DeleteFunc(edit.SplitTags([]string{text}), func(w string) bool { return w == "" })
}

func editMemory(s *Server, r *http.Request) (*reply, error) {
	return editOne(s, r, func(snap *memory.Snapshot, m *memory.Memory, settings config.Settings) ([]memory.Action, error) {
		version := r.PostForm.Get("version")
		if version == "" {
			return nil, badRequest("the form doesn't say which version it edits")
		}
		raw := []byte(r.PostForm.Get("record"))
		if !bytes.Contains(m.Raw(), []byte("\r\n")) {
			raw = bytes.ReplaceAll(raw, []byte("\r\n"), []byte("\n")) // as browsers send a text area
		}
		e, err := edit.One(s.Store, settings, snap, m.ID, func(*memory.Memory) ([]byte, error) { return bytes.TrimSpace(raw), nil }, edit.Options{Version: version, Detail: "edited in the dashboard"})
		return e.Actions, err
	})
}

// editOne is changeOne with the settings of the moment.
func editOne(s *Server, r *http.Request, change func(*memory.Snapshot, *memory.Memory, config.Settings) ([]memory.Action, error)) (*reply, error) {
	settings, err := s.settings()
	if err != nil {
		return nil, err
	}
	return changeOne(s, r, func(snap *memory.Snapshot, m *memory.Memory) ([]memory.Action, error) {
		return change(snap, m, settings)
	})
}
