package web

import (
	"bytes"
	"cmp"
	"errors"
	"html/template"
	"net/http"
	"net/url"
	"slices"
	"strings"

	"github.com/tidwall/gjson"

	"github.com/memoryd/memoryd/internal/app"
	"github.com/memoryd/memoryd/internal/document"
	"github.com/memoryd/memoryd/pkg/archive"
	"github.com/memoryd/memoryd/pkg/briefing"
	"github.com/memoryd/memoryd/pkg/forecast"
	"github.com/memoryd/memoryd/pkg/memory"
	"github.com/memoryd/memoryd/pkg/retention"
	"github.com/memoryd/memoryd/pkg/rules"
	"github.com/memoryd/memoryd/pkg/timestamp"
	"github.com/memoryd/memoryd/schemas"
)

// memoryBody is what the template of one memory is given.
type memoryBody struct {
	*memory.Memory
	Line     string
	Titled   string // its title, where the heading has the beginning only
	Text     string
	Record   string // as in its file; "" where it may not be shown
	Secret   bool   // it holds what looks like a secret: masked, and not to be edited here
	Long     bool   // too long to be edited here, and cut
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
}

// link is a memory that another one refers to.
type link struct{ How, ID, Line string }

// longRecord is how long a record may be that is edited in a page, in bytes as they are written there.
const longRecord = 100_000

// explainedAtOnce is with how many memories a memory's page says unasked what the rules make of it: that takes two plans.
const explainedAtOnce = 2000

// receiptsOfMemory is how many of the last receipts a memory's page lists.
const receiptsOfMemory = 10

func (s *Server) memoryPage(r *http.Request) (*reply, error) {
	ctx := r.Context()
	snap, request, err := s.asked(ctx)
	if err != nil {
		return nil, err
	}
	m, err := find(snap, r.PathValue("id"))
	if err != nil {
		return nil, err
	}
	left := newRoom()
	body := memoryBody{Memory: m, Line: summaryOf(m), Text: left.text(m.Text()), Given: snap.LastGiven(m), Score: retention.Of(m, snap.At, request.Settings), Links: linksOf(snap, m)}
	heading := clip(cmp.Or(body.Line, m.ID), 90)
	if title := shown(m.Title()); title != heading {
		body.Titled = left.cut(title)
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
		if err := s.past(&body, snap, left); err != nil {
			return nil, err
		}
	}
	switch {
	case m.Archived:
		body.Origin = document.NewInArchive(snap, m).Archived
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

// past tells what runs made of a memory, and whom it was given to.
func (s *Server) past(body *memoryBody, snap *memory.Snapshot, left *room) error {
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
	add("superseded by", m.SupersededBy...)
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
func (s *Server) changeOne(r *http.Request, change func(*memory.Snapshot, *memory.Memory) ([]memory.Action, error)) (*reply, error) {
	if err := readForm(r); err != nil {
		return nil, err
	}
	id, version := r.PathValue("id"), r.PostForm.Get("version")
	result, err := s.commit(r.Context(), func(snap *memory.Snapshot) ([]memory.Action, error) {
		m, err := find(snap, id)
		if err != nil {
			return nil, err
		}
		if version != "" && version != string(m.Digest()) {
			return nil, &problem{status: http.StatusConflict, what: id + " has been changed since this page was loaded", todo: "Nothing was written. Load the page again, then decide anew."}
		}
		return change(snap, m)
	})
	if err != nil {
		return nil, err
	}
	return done("/memories/"+url.PathEscape(id), result), nil
}

func (s *Server) archiveMemory(r *http.Request) (*reply, error) {
	return s.changeOne(r, func(snap *memory.Snapshot, m *memory.Memory) ([]memory.Action, error) {
		return archive.Archive(snap, cmp.Or(strings.TrimSpace(r.PostForm.Get("reason")), "by hand"), m.ID)
	})
}

func (s *Server) restoreMemory(r *http.Request) (*reply, error) {
	return s.changeOne(r, func(snap *memory.Snapshot, m *memory.Memory) ([]memory.Action, error) {
		return archive.Restore(snap, m.ID)
	})
}

func (s *Server) tagMemory(r *http.Request) (*reply, error) {
	return s.changeOne(r, func(snap *memory.Snapshot, m *memory.Memory) ([]memory.Action, error) {
		add, remove := words(r.PostForm.Get("add")), words(r.PostForm.Get("remove"))
		raw, changed, err := memory.Retag(m, add, remove, snap.At)
		if err != nil || !changed {
			return nil, err
		}
		return s.replace(m, raw, "tags changed in the dashboard")
	})
}

// words are the parts of a text between commas.
func words(text string) (all []string) {
	for _, w := range strings.Split(text, ",") {
		if w = strings.TrimSpace(w); w != "" {
			all = append(all, w)
		}
	}
	return all
}

func (s *Server) editMemory(r *http.Request) (*reply, error) {
	return s.changeOne(r, func(snap *memory.Snapshot, m *memory.Memory) ([]memory.Action, error) {
		if r.PostForm.Get("version") == "" {
			return nil, badRequest("the form doesn't say which version it edits")
		}
		raw := []byte(r.PostForm.Get("record"))
		if !bytes.Contains(m.Raw(), []byte("\r\n")) {
			raw = bytes.ReplaceAll(raw, []byte("\r\n"), []byte("\n")) // as browsers send a text area
		}
		raw = bytes.TrimSpace(raw)
		if bytes.Equal(raw, m.Raw()) {
			return nil, nil
		}
		if gjson.ValidBytes(raw) && gjson.GetBytes(m.Raw(), "updated_at").Raw == gjson.GetBytes(raw, "updated_at").Raw {
			var err error
			if raw, err = memory.SetField(raw, []byte(`"`+timestamp.Format(snap.At)+`"`), "updated_at"); err != nil {
				return nil, badRequest("%s stays as it is: %v", m.ID, err)
			}
		}
		return s.replace(m, raw, "edited in the dashboard")
	})
}

// replace gives a memory a new record, if that is valid and holds no new secret.
func (s *Server) replace(m *memory.Memory, raw []byte, detail string) ([]memory.Action, error) {
	if m.Locked != "" {
		return nil, &problem{status: http.StatusConflict, what: m.Ref.String() + " can't be edited safely: " + m.Locked, todo: "Mend the file by hand."}
	}
	action, err := memory.Replace(m, raw, detail)
	if err != nil {
		return nil, badRequest("%s stays as it is: %v", m.ID, err)
	}
	settings, err := s.settings()
	if err != nil {
		return nil, err
	}
	secret, err := app.SecretRules(s.Store, settings)
	if err != nil {
		return nil, err
	}
	if found := secret.Introduced(m.Raw(), raw); len(found) > 0 {
		return nil, &problem{status: http.StatusUnprocessableEntity, what: (&app.SecretError{Findings: found}).Error(), todo: "Nothing was written. Leave the secret out, or write it at the command line with --allow-secret."}
	}
	return []memory.Action{action}, s.validate(m.Raw(), raw)
}

// validate holds a new record against the schemas.
func (s *Server) validate(old, raw []byte) error {
	extension, _, err := s.Store.Schemas()
	if err != nil {
		return err
	}
	var wrong []error
	for _, f := range extension.ValidateEdit(old, raw) {
		if f.Severity == schemas.Error {
			wrong = append(wrong, errors.New(f.Message))
		}
	}
	if len(wrong) > 0 {
		return badRequest("the record would not be valid: %v", errors.Join(wrong...))
	}
	return nil
}
