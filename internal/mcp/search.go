package mcp

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/google/jsonschema-go/jsonschema"
	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/memoryd/memoryd/internal/app"
	"github.com/memoryd/memoryd/internal/document"
	"github.com/memoryd/memoryd/internal/live"
	"github.com/memoryd/memoryd/pkg/config"
	"github.com/memoryd/memoryd/pkg/memory"
	"github.com/memoryd/memoryd/pkg/recall"
	"github.com/memoryd/memoryd/pkg/temporal"
)

type searchArgs struct {
	Query   string   `json:"query" jsonschema:"words or a question; a time in it (last week, in March) counts. Empty lists what matters most"`
	Also    []string `json:"also,omitempty" jsonschema:"up to 3 other phrasings: synonyms, another language"`
	Mode    string   `json:"mode,omitempty" jsonschema:"how far back: reflexive (what matters most now), standard, deep (older and rarely read ones too), exhaustive (the archive too). A memory called by its title is found in all but reflexive"`
	Type    string   `json:"type,omitempty"`
	Scope   string   `json:"scope,omitempty" jsonschema:"a scope such as project:shop, or a kind of scopes: project"`
	Agent   string   `json:"agent,omitempty" jsonschema:"who wrote it, or whose scope it is in"`
	Tags    []string `json:"tags,omitempty" jsonschema:"all of them"`
	Since   string   `json:"since,omitempty" jsonschema:"written or changed since then: 2026-03-01, or last week"`
	Until   string   `json:"until,omitempty" jsonschema:"written or changed up to then, that day included"`
	Limit   int      `json:"limit,omitempty"`
	Explain bool     `json:"explain,omitempty" jsonschema:"what each score is made of"`
	Cursor  string   `json:"cursor,omitempty" jsonschema:"next_cursor of the page before"`

	AllProjects bool `json:"all_projects,omitempty" jsonschema:"mix other projects' memories with this one's, which else come first"`
}

// How much a search finds.
const (
	maxQuery = 2000 // bytes of a query
	maxHits  = 200  // on all pages
	passage  = 300  // characters of a hit's content

	defaultHits = 10
)

func addSearch(s *sdk.Server, r *room) {
	add(s, tool{
		name: "search", title: "Search memories", reads: true,
		purpose: "Find memories, the best first, by their words, people and times, and by how much they matter now. A hit shows the passage that fits: get reads the whole. What a newer memory supersedes stands behind that one. Where little fits, colder and archived memories follow.",
		arguments: func(a map[string]*jsonschema.Schema) {
			chars(a["query"], 0, maxQuery)
			oneOf(a["mode"], recall.Standard.String(), recall.Reflexive.String(), recall.Deep.String(), recall.Exhaustive.String())
			between(a["limit"], 1, 50, defaultHits)
			items(a["tags"], 0, 20)
			items(a["also"], 0, recall.MaxPhrasings-1)
			chars(a["also"].Items, 0, maxQuery)
		},
	}, r.search)
}

// asked is what a question is answered from: the settings, the memories, and the present in the time zone in which days are counted.
func (r *room) asked(ctx context.Context) (settings config.Settings, snap *memory.Snapshot, at time.Time, err error) {
	if settings, err = r.config(); err != nil {
		return settings, nil, at, err
	}
	if snap, err = r.view(ctx); err != nil {
		return settings, nil, at, err
	}
	at, err = app.InZone(snap.At, settings)
	return settings, snap, at, err
}

func (r *room) search(ctx context.Context, args searchArgs) (document.Recall, string, error) {
	result := document.Recall{Hits: []document.Hit{}}
	settings, snap, at, err := r.asked(ctx)
	if err != nil {
		return result, "", err
	}
	query, err := args.recall(at)
	if err != nil {
		return result, "", err
	}
	start, limit := 0, args.Limit
	if limit == 0 {
		limit = defaultHits
	}
	if args.Cursor != "" {
		c, err := readCursor(args.Cursor)
		if err != nil {
			return result, "", err
		}
		start = c.At
	}
	cursor := args.Cursor
	args.Cursor, query.Limit = "", min(start+limit+1, maxHits)
	scope, note := app.FilterScope(snap, query.Filter.Scope)
	query.Filter.Scope, result.Hint = scope, note
	if err := r.compare(ctx, settings, snap, &query); err != nil {
		return result, "", err
	}
	found, err := search(&r.words, snap, settings, query, r.elsewhere(snap, args.Scope, args.AllProjects))
	for try := 1; err == nil && try < 3 && found.torn(start); try++ {
		if snap, err = r.loaded(ctx); err == nil {
			found, err = search(&r.words, snap, settings, query, r.elsewhere(snap, args.Scope, args.AllProjects))
		}
	}
	if err != nil {
		return result, "", err
	}
	p, err := paged(found.hits, hash(args), cursor, limit, func(h recall.Hit) int { return passage + 300 })
	if err != nil {
		return result, "", err
	}
	var text strings.Builder
	beyond, elsewhere := false, false
	var shown []string // with a passage of their text
	for _, h := range p.items {
		one := hit(found.of[h.ID], h, at, settings, args.Explain)
		if one.Beyond && !beyond {
			beyond = true
			text.WriteString("Colder and archived memories, because little else fits:\n")
		}
		if one.Project != "" && !elsewhere && !one.Beyond {
			elsewhere = true
			text.WriteString("Of other projects:\n")
		}
		result.Hits = append(result.Hits, one)
		if one.Content != "" && h.Evident() {
			shown = append(shown, one.ID)
		}
		fmt.Fprintf(&text, "%s\n", head(&one.Memory))
		for _, n := range h.Newer {
			text.WriteString(oneLine("%s", n))
		}
		if len(one.Copies) > 0 {
			text.WriteString(oneLine("also %s", strings.Join(one.Copies, ", ")))
		}
		fmt.Fprintf(&text, "%s\n", quoted(one.Content))
		for i := range one.Variants {
			text.WriteString(oneLine("also: %s", one.Variants[i].Line()))
		}
		if args.Explain {
			fmt.Fprintf(&text, "score %.2f: %s\n", one.Score, partsText(partsOf(one.Parts)))
		}
		text.WriteString("\n")
	}
	r.read("search", shown...)
	result.Query, result.Mode, result.LeftOut, result.NextCursor = query.Text, query.Mode.String(), found.leftOut, p.next
	switch {
	case len(result.Hits) == 0 && start == 0:
		if query.Mode == recall.Reflexive {
			text.WriteString("No hot memory fits: mode standard looks further back.\n")
		} else {
			text.WriteString("No memory fits.\n")
		}
		asked := []app.Asked{app.AskedScope("scope", args.Scope), app.AskedType("type", args.Type), app.AskedAgent("agent", args.Agent)}
		for _, tag := range args.Tags {
			asked = append(asked, app.AskedTag("tag", tag))
		}
		result.Hint = cmp.Or(result.Hint, unknown(snap, asked...))
	case p.next != "":
		fmt.Fprintf(&text, "For more, call again with cursor %s.\n", p.next)
	}
	text.WriteString(hinted(result.Hint))
	if found.leftOut > 0 {
		fmt.Fprintf(&text, "Of those that matter less now, %s would fit: mode deep or exhaustive finds them.\n", app.Quantity(found.leftOut, "memory"))
	}
	return result, text.String(), nil
}

// unknown says what no memory has of what was asked for, and what may be meant; "" where memories have all of it.
func unknown(snap *memory.Snapshot, asked ...app.Asked) string {
	if unknown := app.Unknown(snap, asked...); unknown != nil {
		return unknown.Error() + ": " + unknown.Hint
	}
	return ""
}

// hinted is a hint as a line; nothing for none.
func hinted(hint string) string {
	if hint == "" {
		return ""
	}
	return oneLine("%s", hint)
}

// recall is the query that the arguments ask for.
func (a *searchArgs) recall(at time.Time) (q recall.Query, err error) {
	q = recall.Query{Text: a.Query, Also: a.Also, At: at, Filter: recall.Filter{Type: a.Type, Scope: a.Scope, Agent: a.Agent, Tags: a.Tags}}
	if a.Mode != "" {
		if q.Mode, err = recall.ParseMode(a.Mode); err != nil {
			return q, err
		}
	}
	since, err := span("since", a.Since, at)
	if err != nil {
		return q, err
	}
	until, err := span("until", a.Until, at)
	q.Filter.Since, q.Filter.Until = since.From, until.To
	return q, err
}

// span reads a time, as a moment or as people say it; the zero span for none.
func span(name, text string, at time.Time) (temporal.Span, error) {
	if strings.TrimSpace(text) == "" {
		return temporal.Span{}, nil
	}
	span, err := app.ParseSpan(document.Short(text, 80), at)
	if err != nil {
		return span, refuse("Write one such as 2026-03-01 or last week.", "%s: %v", name, err)
	}
	return span, nil
}

// hit describes a hit with the passage that fits best.
func hit(m *memory.Memory, h recall.Hit, at time.Time, settings config.Settings, explain bool) document.Hit {
	one := document.NewHit(m, h, at, settings, explain)
	one.Shorten(maxList)
	one.Words, one.Like, one.Copies = one.Words[:min(len(one.Words), 20)], one.Like[:min(len(one.Like), 20)], one.Copies[:min(len(one.Copies), maxList)]
	text := strings.TrimSpace(m.Text())
	one.Variants = slices.DeleteFunc(one.Variants, func(v document.Variant) bool { // what the content says too, it tells better
		line := v.Line()
		return !slices.ContainsFunc(h.Words, func(w string) bool { return strings.Contains(line, w) && !strings.Contains(text, w) })
	})
	one.Fill(m, text, 0, passage)
	one.Content = h.Excerpt(text, passage)
	one.Offset, one.NextOffset = 0, 0 // the offset of get counts another text
	return one
}

// partsOf lists the parts of a score that count.
func partsOf(p *recall.Parts) map[string]float64 {
	parts := map[string]float64{}
	text, err := document.Marshal(p)
	if err != nil || json.Unmarshal(text, &parts) != nil {
		return nil
	}
	maps.DeleteFunc(parts, func(_ string, v float64) bool { return v == 0 })
	return parts
}

func partsText(parts map[string]float64) string {
	var all []string
	for _, name := range slices.Sorted(maps.Keys(parts)) {
		all = append(all, fmt.Sprintf("%s %.2f", name, parts[name]))
	}
	return strings.Join(all, ", ")
}

// found is what a search found, the memories by the ids of the hits.
type found struct {
	hits    []recall.Hit
	of      map[string]*memory.Memory
	leftOut int  // memories that fit as well, but for the mode
	gaps    bool // some memories could not be read when they were searched
}

// torn reports whether memories that were searched, or one of the hits from some on,
// have changed since the snapshot.
func (f found) torn(from int) bool {
	return f.gaps || slices.ContainsFunc(f.hits[min(from, len(f.hits)):], func(h recall.Hit) bool { return f.of[h.ID].Raw() == nil })
}

// compare lets a query compare meanings too, where the settings say so.
func (r *room) compare(ctx context.Context, settings config.Settings, snap *memory.Snapshot, q *recall.Query) error {
	why, err := r.meanings.Compare(ctx, r.store, settings, snap, q)
	if why != "" {
		r.log.Warn("searching by words alone", "why", why)
	}
	return err
}

// elsewhere tells which memories are of another project than the one that the host works in; nil where that doesn't matter.
func (r *room) elsewhere(snap *memory.Snapshot, scope string, all bool) func(*memory.Memory) bool {
	if all || strings.Contains(scope, ":") {
		return nil
	}
	return app.Elsewhere(snap, r.project)
}

func search(words *live.Words, snap *memory.Snapshot, settings config.Settings, q recall.Query, elsewhere func(*memory.Memory) bool) (found, error) {
	few := recall.Few
	if q.Mode == recall.Reflexive {
		few = 0
	}
	result, err := words.Search(snap, settings, q, few, nil, elsewhere)
	f := found{make([]recall.Hit, len(result.Hits)), make(map[string]*memory.Memory, len(result.Hits)), result.LeftOut, result.Unread}
	for i, h := range result.Hits {
		f.hits[i], f.of[h.ID] = h.Hit, h.Memory
	}
	return f, err
}
