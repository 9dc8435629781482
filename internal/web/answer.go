package web

import (
	"bytes"
	"cmp"
	"embed"
	"errors"
	"fmt"
	"html/template"
	"io/fs"
	"net/http"
	"net/url"
	"path"
	"strings"
	"sync"
	"time"

	"github.com/memoryd/memoryd/internal/app"
	"github.com/memoryd/memoryd/internal/document"
	"github.com/memoryd/memoryd/internal/fail"
	"github.com/memoryd/memoryd/pkg/briefing"
	"github.com/memoryd/memoryd/pkg/oplog"
	"github.com/memoryd/memoryd/pkg/rules"
	"github.com/memoryd/memoryd/pkg/secrets"
	"github.com/memoryd/memoryd/pkg/text"
	"github.com/memoryd/memoryd/pkg/timestamp"
)

// reply is what a handler answers with: one of its fields.
type reply struct {
	page     *page
	document any    // as JSON; a *part of it is written as it stands
	location string // where to go on
	csv      string
}

// page is what all templates are given.
type page struct {
	Template string // name of the file, without .html
	Title    string
	Status   int // 0: 200
	At       time.Time
	Body     any

	// Set by answer.
	Revision  int    // of the feed, that it shows
	Section   string // first part of the path
	Path      string // with the query
	FormToken string
	ReadOnly  bool
	Workspace string
	Version   string
	SignedIn  string // who is served, where several are
	may       func(Need) bool
	Notice    string // what was just done
	NoticeRun string // and the run that did it
}

// problem is an error that says what happened and what to do. It is answered with its status.
type problem struct {
	status int
	what   string
	todo   string
	cause  error
	plan   string // id of the plan as it is now, where another was asked for
}

func (p *problem) Error() string { return p.what }
func (p *problem) Unwrap() error { return p.cause }

func badRequest(format string, args ...any) error {
	return &problem{status: http.StatusBadRequest, what: fmt.Sprintf(format, args...), todo: "Go back and try again."}
}

func notFound(format string, args ...any) error {
	return &problem{status: http.StatusNotFound, what: fmt.Sprintf(format, args...), todo: "It may have been archived, merged or renamed: search for it."}
}

func forbidden(need Need) error {
	where := "in some scope"
	if need.Everywhere {
		where = "in all scopes"
	}
	return &problem{status: http.StatusForbidden, what: "this takes " + need.Access + " access " + where, todo: "Who administers the workspace grants it."}
}

// problemOf gives an error the status that fits it.
func problemOf(err error) *problem {
	var p *problem
	var tooLarge *http.MaxBytesError
	switch {
	case errors.As(err, &p):
		return p
	case errors.As(err, &tooLarge):
		return &problem{status: http.StatusRequestEntityTooLarge, what: err.Error(), todo: "Nothing was written."}
	}
	return &problem{status: fail.Status(err), what: shown(err.Error()), todo: fail.Page(err), cause: err}
}

// handler answers a request with a page, a document or another address; see [reply].
type handler func(*Server, *http.Request) (*reply, error)

// route is how a request is answered, and what that takes.
type route struct {
	need   Need
	handle handler
}

// let runs the handler of a route, for who may have it.
func (s *Server) let(route route, r *http.Request) (out *reply, revision int, err error) {
	writes := changes(r)
	if s.Guest != nil {
		need := route.need
		if documentsOfAll[r.PathValue("document")] {
			need = readsAll
		}
		if !s.may(need) {
			return nil, 0, forbidden(need)
		}
		end, err := s.Guest.Begin(r.Context(), need, writes)
		if err != nil {
			return nil, 0, err
		}
		defer end()
	}
	if err := s.there(); err != nil {
		return nil, 0, err
	}
	if !writes {
		revision, _ = s.feed.look(r.Context(), s) // before it reads: what changes from here on is told
	}
	out, err = route.handle(s, r)
	return out, revision, err
}

// answer turns what a handler gives into an answer.
func (s *Server) answer(route route) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		out, revision, err := s.let(route, r)
		api := strings.HasPrefix(r.URL.Path, "/api/")
		if err != nil {
			p := problemOf(err)
			if p.status >= http.StatusInternalServerError {
				s.Log.Error("request failed", "path", r.URL.Path, "error", err)
			}
			if api {
				s.writeJSON(w, r, p.status, document.Error{Code: codeOf(p.status), Error: p.what, Hint: p.todo, Plan: p.plan})
				return
			}
			out = &reply{page: &page{Template: "problem", Title: "That didn't work", Status: p.status, At: s.Now(), Body: problemBody{p.status, p.what, p.todo, p.plan}}}
		}
		switch {
		case out.location != "":
			http.Redirect(w, r, out.location, http.StatusSeeOther)
		case out.csv != "":
			w.Header().Set("Content-Type", "text/csv; charset=utf-8")
			w.Header().Set("Content-Disposition", `attachment; filename="memories-over-time.csv"`)
			_, _ = w.Write([]byte(out.csv))
		case out.page != nil:
			out.page.Revision = revision
			s.writePage(w, r, out.page)
		default:
			s.writeJSON(w, r, http.StatusOK, out.document)
		}
	})
}

// codeOf is the code of a document about an error that is answered with a status.
func codeOf(status int) string {
	switch status {
	case http.StatusNotFound:
		return "not_found"
	case http.StatusForbidden, http.StatusUnauthorized:
		return "forbidden"
	case http.StatusConflict:
		return "conflict"
	case http.StatusLocked:
		return "locked"
	}
	if status < http.StatusInternalServerError {
		return "usage"
	}
	return "error"
}

// readForm reads the form of a request. One that is too large is told from one that is wrong.
func readForm(r *http.Request) error {
	err := r.ParseForm()
	if tooLarge := (*http.MaxBytesError)(nil); err == nil || errors.As(err, &tooLarge) {
		return err
	}
	return badRequest("the form can't be read: %v", err)
}

type problemBody struct {
	Status     int
	What, Todo string
	Plan       string
}

func (s *Server) writePage(w http.ResponseWriter, r *http.Request, p *page) {
	p.Section, _, _ = strings.Cut(strings.TrimPrefix(r.URL.Path, "/"), "/")
	p.Path, p.FormToken, p.ReadOnly = r.URL.RequestURI(), s.guard.formToken(r), s.ReadOnly
	p.Workspace, p.Version, p.SignedIn, p.may = s.name(), s.Version, s.SignedIn, s.may
	if run := r.URL.Query().Get("done"); run != "" && p.Status == 0 {
		p.NoticeRun = run
		p.Notice = doneText(s, run)
	}
	var out bytes.Buffer
	t, err := templateOf(p.Template, s.days())
	if err == nil {
		err = t.ExecuteTemplate(&out, "layout", p)
	}
	if err != nil {
		s.Log.Error("page", "path", r.URL.Path, "error", err)
		refuse(w, http.StatusInternalServerError, "memoryd made a mistake with this page: "+err.Error())
		return
	}
	w.Header().Set("Content-Type", "text/html; charset=utf-8")
	if p.Status != 0 {
		w.WriteHeader(p.Status)
	}
	_, _ = w.Write(visible(out.Bytes())) // who asked may have gone
}

// May reports whether the page offers something: "write", "review", "run", "undo" or "set".
func (p *page) May(what string) bool {
	need, known := map[string]Need{"write": writes, "review": reviews, "run": runs, "undo": undoes, "set": sets}[what]
	return known && !p.ReadOnly && p.may != nil && p.may(need)
}

// Pages are those that the menu lists.
func (p *page) Pages() (all []navigation) {
	for _, n := range pages {
		if p.may(n.Need) {
			all = append(all, n)
		}
	}
	return all
}

// Log reports whether who is served may read the log.
func (p *page) Log() bool { return p.may != nil && p.may(readsAll) }

// doneText says what a run did.
func doneText(s *Server, run string) string {
	if !s.may(readsAll) {
		return "one run"
	}
	log, err := s.Store.Log().Read()
	if err != nil {
		return ""
	}
	entry, ok := log.Find(run)
	if !ok {
		return ""
	}
	text := app.Totals(entry.Stats)
	if entry.UndoOf != "" {
		text = "Taken back: " + entry.UndoOf
	}
	return text
}

// writeJSON answers with a document. Secrets of old records are masked in it, but not the link that signs a browser in.
func (s *Server) writeJSON(w http.ResponseWriter, r *http.Request, status int, body any) {
	var text []byte
	var err error
	if p, ok := body.(*part); ok {
		p.head(w, r)
		text = p.text
	} else if text, err = document.MarshalIndent(body); err != nil {
		s.Log.Error("document", "error", err)
		refuse(w, http.StatusInternalServerError, "memoryd can't write this document: "+err.Error())
		return
	}
	if r.URL.Path != keyPath {
		text, _ = s.secretRules().RedactRecord(text)
	}
	if _, whole := body.(rawJSON); !whole && len(text) > answerBytes {
		text = shortened(text)
	}
	w.Header().Set("Content-Type", "application/json; charset=utf-8")
	w.WriteHeader(status)
	_, _ = w.Write(append(text, '\n')) // who asked may have gone
}

// secretRules are those of the settings; the default ones while they can't be read.
func (s *Server) secretRules() *secrets.Rules {
	if settings, err := s.settings(); err == nil {
		if own, err := app.SecretRules(s.Store, settings); err == nil {
			return own
		}
	}
	return secrets.Default()
}

//go:embed templates/*.html
var templateFiles embed.FS

//go:embed static
var staticFiles embed.FS

var templates sync.Map // *template.Template by the two arguments of templateOf

// templateOf is the layout with the page of a name in it, whose times are written in a zone.
func templateOf(name string, zone *time.Location) (*template.Template, error) {
	key := [2]any{name, zone}
	if t, ok := templates.Load(key); ok {
		return t.(*template.Template), nil
	}
	t, err := template.New("").Funcs(functions(zone)).ParseFS(templateFiles, "templates/layout.html", "templates/parts.html", "templates/"+name+".html")
	if err == nil {
		templates.Store(key, t)
	}
	return t, err
}

// static serves the files in static/.
func static() http.Handler {
	files, err := fs.Sub(staticFiles, "static")
	if err != nil {
		panic(err) // the directory is embedded
	}
	return http.StripPrefix("/static/", http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		data, err := fs.ReadFile(files, path.Clean(r.URL.Path))
		if err != nil {
			refuse(w, http.StatusNotFound, "There is no such file.")
			return
		}
		kinds := map[string]string{".css": "text/css", ".js": "text/javascript", ".svg": "image/svg+xml", ".txt": "text/plain"}
		w.Header().Set("Content-Type", kinds[path.Ext(r.URL.Path)]+"; charset=utf-8")
		_, _ = w.Write(data)
	}))
}

func nothingHere(s *Server, r *http.Request) (*reply, error) {
	return nil, notFound("there is no page %s", r.URL.Path)
}

// functions are those of templates.
func functions(zone *time.Location) template.FuncMap {
	written := func(layout string) func(time.Time) string {
		return func(t time.Time) string {
			if t.IsZero() {
				return "—"
			}
			return t.In(zone).Format(layout)
		}
	}
	return template.FuncMap{
		"when":    written(app.Minute),
		"day":     written(time.DateOnly),
		"told":    func(stamp string) string { return written(app.Minute)(timestamp.Parse(stamp)) },
		"exactly": exactly,
		"due": func(at, now string) bool {
			return at != "" && !timestamp.Parse(at).After(timestamp.Parse(now))
		},
		"does":      func(action string) string { return cmp.Or(actionWords[action], action) },
		"quantity":  app.Quantity,
		"thousands": app.Thousands,
		"reason":    app.Reason,
		"totals":    app.Totals,
		"join":      strings.Join,
		"trigger":   triggerWords,
		"scheduleName": func(key string) string {
			if name, ok := strings.CutPrefix(key, "schedules."); ok {
				return triggerWords("", name)
			}
			return triggerWords(rules.Weekly, "")
		},
		"moment":   func(event string) string { return cmp.Or(momentWords[event], event) },
		"how":      how,
		"describe": app.DescribeAction,
		"why":      app.ActionReason,
		"shown":    func(s string) string { return text.TruncateWords(shown(s), 500) },
		"name":     named,
		"summary":  summaryOf,
		"percent":  func(x float64) string { return fmt.Sprintf("%.0f %%", 100*x) },
		"add":      func(a, b int) int { return a + b },
		"dict":     dict,
		"states":   func() []string { return []string{"archived", "all", "flagged"} },
		"depths":   func() []int { return []int{1, 2, 3} },
		"segment":  url.PathEscape,
	}
}

// triggerWords says in words what starts a run.
func triggerWords(trigger, name string) string {
	words := map[string]string{
		rules.Manual: "By hand", rules.Weekly: "Every week", rules.SessionEnd: "When a session ends", rules.IndexOverflow: "When an index is long",
	}
	if name != "" {
		return "Schedule " + name
	}
	return cmp.Or(words[trigger], trigger)
}

// actionWords say what is done to a memory, where the name of the action isn't the word.
var actionWords = map[string]string{oplog.Summarize: "summarise"}

// momentWords say at what event of a receipt memories were given.
var momentWords = map[string]string{
	briefing.AtStart: "start of a session", briefing.AtResume: "a session goes on", briefing.AtPrompt: "prompt",
	briefing.AtShow: "request", briefing.IntoFile: "written into a file",
}

// navigation is an entry of the menu.
type navigation struct {
	Path, Name string
	Need
}

var pages = []navigation{
	{"", "Overview", reads}, {"review", "Review", reads}, {"plan", "Plan", reads}, {"memories", "Memories", reads}, {"runs", "Runs", readsAll}, {"forecast", "Forecast", reads},
	{"links", "Links", reads}, {"trends", "Trends", readsAll}, {"receipts", "Receipts", readsAll}, {"schedules", "Schedules", reads},
}

// dict makes a map of names and values, to hand several things to a template.
func dict(pairs ...any) (map[string]any, error) {
	out := map[string]any{}
	for i := 0; i+1 < len(pairs); i += 2 {
		name, ok := pairs[i].(string)
		if !ok {
			return nil, fmt.Errorf("dict: %v is no name", pairs[i])
		}
		out[name] = pairs[i+1]
	}
	return out, nil
}
