package web

import (
	"cmp"
	"context"
	"maps"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"sync"

	"github.com/memoryd/memoryd/internal/document"
	"github.com/memoryd/memoryd/internal/live"
	"github.com/memoryd/memoryd/pkg/config"
	"github.com/memoryd/memoryd/pkg/memory"
	"github.com/memoryd/memoryd/pkg/recall"
	"github.com/memoryd/memoryd/pkg/retention"
)

// filter chooses memories by the parameters of a request; "" chooses all.
type filter struct {
	Query    string // words; ranked by recall
	Type     string
	Scope    string // "agent:DEV-001", or a kind alone
	Tag      string
	Author   string
	Priority string
	Tier     string
	State    string // live [""], archived, all, flagged
	Sort     string
}

func filterOf(q url.Values) filter {
	return filter{
		q.Get("q"), q.Get("type"), q.Get("scope"), strings.TrimSpace(q.Get("tag")), q.Get("author"), q.Get("priority"), q.Get("tier"), q.Get("state"), cmp.Or(q.Get("sort"), "updated"),
	}
}

// Values are the parameters of the filter, without the page.
func (f filter) Values() url.Values {
	q := url.Values{}
	for name, value := range map[string]string{"q": f.Query, "type": f.Type, "scope": f.Scope, "tag": f.Tag, "author": f.Author, "priority": f.Priority, "tier": f.Tier, "state": f.State, "sort": f.Sort} {
		if value != "" {
			q.Set(name, value)
		}
	}
	return q
}

// At is the address of the page that begins with a row.
func (f filter) At(from int) string {
	q := f.Values()
	if from > 0 {
		q.Set("from", strconv.Itoa(from))
	}
	return "/memories?" + q.Encode()
}

// orders are the values of "sort".
var orders = map[string]func(a, b *memory.Memory) int{
	"updated": func(a, b *memory.Memory) int { return b.Newest().Compare(a.Newest()) },
	"created": func(a, b *memory.Memory) int { return b.Born().Compare(a.Born()) },
	"oldest":  func(a, b *memory.Memory) int { return a.Born().Compare(b.Born()) },
	"read":    func(a, b *memory.Memory) int { return b.LastAccessed.Compare(a.LastAccessed) },
	"reads":   func(a, b *memory.Memory) int { return cmp.Compare(b.AccessCount, a.AccessCount) },
	"id":      func(a, b *memory.Memory) int { return 0 },
}

func (f filter) wants(m *memory.Memory, tier func(*memory.Memory) string, flagged map[string]bool) bool {
	kind, owner, owned := strings.Cut(f.Scope, ":")
	return (f.Type == "" || memory.OfType(m, f.Type)) &&
		(f.Scope == "" || m.Scope.Kind == kind && (!owned || strings.EqualFold(owner, m.Scope.ID))) &&
		(f.Tag == "" || m.HasTag(f.Tag)) && (f.Author == "" || strings.EqualFold(f.Author, m.CreatedBy)) &&
		(f.Priority == "" || strings.EqualFold(f.Priority, m.Priority)) && (f.Tier == "" || tier(m) == f.Tier) &&
		(f.State != "flagged" || flagged[m.ID])
}

// beyondSearch reports whether the filter asks for more than a search can be asked for.
func (f filter) beyondSearch() bool {
	return f.Author != "" || f.Priority != "" || f.Tier != "" || f.State == "archived" || f.State == "flagged"
}

// lists keeps the lists that were asked for last, so that turning a page costs nothing.
type lists struct {
	mu  sync.Mutex
	all []keptList // the latest last

	knownIn signs // the memories of which known tells
	known   *knownValues
}

type keptList struct {
	of     []*memory.Memory // the live memories that it was made of: a snapshot's slices stay as they are
	gone   []*memory.Memory
	filter filter
	found  []*memory.Memory
}

const listsKept = 8

func (l *lists) get(snap *memory.Snapshot, f filter, make func() []*memory.Memory) []*memory.Memory {
	l.mu.Lock()
	for _, k := range l.all {
		if k.filter == f && slices.Equal(k.of, snap.Memories()) && slices.Equal(k.gone, snap.Archived()) {
			l.mu.Unlock()
			return k.found
		}
	}
	l.mu.Unlock()
	found := make()
	l.mu.Lock()
	defer l.mu.Unlock()
	l.all = slices.DeleteFunc(l.all, func(k keptList) bool { return !slices.Equal(k.of, snap.Memories()) })
	l.all = append(l.all[max(0, len(l.all)+1-listsKept):], keptList{snap.Memories(), snap.Archived(), f, found})
	return found
}

// listed are the memories that fit a filter, in its order.
func listed(s *Server, snap *memory.Snapshot, settings config.Settings, f filter) ([]*memory.Memory, error) {
	order, ok := orders[f.Sort]
	if !ok && f.Sort != "score" {
		return nil, badRequest("sort: there is no order %q", shown(f.Sort))
	}
	return s.lists.get(snap, f, func() []*memory.Memory {
		flagged, score := flaggedIn(snap), map[*memory.Memory]retention.Score{}
		scored := func(m *memory.Memory) retention.Score {
			v, ok := score[m]
			if !ok {
				v = retention.Of(m, snap.At, settings)
				score[m] = v
			}
			return v
		}
		if f.Sort == "score" {
			order = func(a, b *memory.Memory) int { return cmp.Compare(scored(b).Score, scored(a).Score) }
		}
		var found []*memory.Memory
		for _, m := range chosenState(snap, f.State) {
			if f.wants(m, func(m *memory.Memory) string { return scored(m).Tier.String() }, flagged) {
				found = append(found, m)
			}
		}
		slices.SortStableFunc(found, func(a, b *memory.Memory) int { return cmp.Or(order(a, b), cmp.Compare(a.ID, b.ID)) })
		return found
	}), nil
}

func chosenState(snap *memory.Snapshot, state string) []*memory.Memory {
	switch state {
	case "archived":
		return snap.Archived()
	case "all":
		return slices.Concat(snap.Memories(), snap.Archived())
	}
	return snap.Memories()
}

// listBody is what the template of the list is given.
type listBody struct {
	Filter filter
	Rows   []row
	paging
	Empty bool // there are no memories at all
	More  bool // a search has found more than it tells: how many would take a ranking of all
	Known knownValues
}

// row is a memory in a list.
type row struct {
	*memory.Memory
	Line     string
	Tier     string
	Score    float64 // of a search
	Words    []string
	Loose    bool
	Replaced []string // superseded by
	Newer    []recall.Newer
	Beyond   bool // colder, or archived: found because little else fits
	Divides  bool // the first of these
}

// knownValues are what the filters offer.
type knownValues struct{ Types, Scopes, Authors, Priorities, Tiers, Sorts []string }

// searchLimit is how many hits a search has at most: the best of them.
const searchLimit = 500

func memoriesPage(s *Server, r *http.Request) (*reply, error) {
	snap, err := s.live.Refresh(r.Context())
	if err != nil {
		return nil, err
	}
	settings, err := s.settings()
	if err != nil {
		return nil, err
	}
	body := listBody{Filter: filterOf(r.URL.Query()), Known: s.lists.valuesIn(snap), Empty: len(snap.Memories())+len(snap.Archived()) == 0}
	var found []*memory.Memory
	var hits []row
	if body.Filter.Query != "" {
		var from int
		if from, err = place(r, searchLimit); err == nil {
			hits, err = searched(s, r.Context(), snap, settings, body.Filter, from+rowsShown+1)
			body.More = len(hits) > from+rowsShown
		}
	} else {
		found, err = listed(s, snap, settings, body.Filter)
	}
	if err != nil {
		return nil, err
	}
	var end int
	if body.paging, end, err = pageOf(r, max(len(hits), len(found))); err != nil {
		return nil, err
	}
	if hits == nil {
		for _, m := range found[body.From:end] {
			body.Rows = append(body.Rows, row{Memory: m, Line: summaryOf(m)})
		}
	} else {
		body.Rows = hits[body.From:end]
	}
	for i := range body.Rows {
		body.Rows[i].Tier = document.TierOf(body.Rows[i].Memory, snap.At, settings)
	}
	return &reply{page: &page{Template: "memories", Title: "Memories", At: snap.At, Body: body}}, nil
}

// searched ranks the memories that fit a filter, with its words, and gives so many of the best; never more than [searchLimit].
func searched(s *Server, ctx context.Context, snap *memory.Snapshot, settings config.Settings, f filter, most int) ([]row, error) {
	_, found, err := findMemories(s, ctx, snap, settings, f, most)
	if err != nil {
		return nil, err
	}
	rows := make([]row, len(found.Hits))
	for i := range found.Hits {
		h := &found.Hits[i]
		rows[i] = row{Memory: h.Memory, Line: shown(h.Line()), Score: h.Score, Words: h.Words, Loose: h.Loose(), Replaced: h.SupersededBy, Newer: h.Newer, Beyond: h.Beyond}
		rows[i].Divides = h.Beyond && (i == 0 || !found.Hits[i-1].Beyond)
	}
	return rows, nil
}

// findMemories asks for the memories that fit a filter.
func findMemories(s *Server, ctx context.Context, snap *memory.Snapshot, settings config.Settings, f filter, most int) (recall.Query, live.Found, error) {
	q := recall.Query{Text: f.Query, At: snap.At, Limit: min(most, searchLimit), Mode: recall.Deep, Filter: recall.Filter{Type: f.Type, Scope: f.Scope}}
	if f.Tag != "" {
		q.Filter.Tags = []string{f.Tag}
	}
	if f.State == "archived" || f.State == "all" {
		q.Mode = recall.Exhaustive
	}
	var allow func(*memory.Memory) bool
	if f.beyondSearch() {
		flagged := flaggedIn(snap)
		tier := func(m *memory.Memory) string { return retention.Of(m, snap.At, settings).Tier.String() }
		allow = func(m *memory.Memory) bool { return (f.State != "archived" || m.Archived) && f.wants(m, tier, flagged) }
	}
	why, err := s.Meanings.Compare(ctx, s.Store, settings, snap, &q)
	if err != nil {
		return q, live.Found{}, badRequest("search: %v", err)
	}
	if why != "" {
		s.Log.Warn("searching by words alone", "why", why)
	}
	few := 0
	if f.State == "" { // of the live ones, and of the others where few of these fit
		few = recall.Few
	}
	found, err := s.words.Search(snap, settings, q, few, allow, nil)
	if err != nil {
		return q, live.Found{}, badRequest("search: %v", err)
	}
	return q, found, nil
}

// flaggedIn are the memories that stand in a pair that waits.
func flaggedIn(snap *memory.Snapshot) map[string]bool {
	flagged := map[string]bool{}
	for _, p := range snap.Open() {
		flagged[p.A], flagged[p.B] = true, true
	}
	return flagged
}

// valuesIn are the values that memories have, made once for each state of them.
func (l *lists) valuesIn(snap *memory.Snapshot) knownValues {
	l.mu.Lock()
	defer l.mu.Unlock()
	now := signs{live: snap.Memories(), archived: snap.Archived()}
	if l.known == nil || len(l.knownIn.differing(now)) > 0 {
		values := knownOf(snap)
		l.knownIn, l.known = now, &values
	}
	return *l.known
}

// knownOf lists the values that memories have, as far as a menu can hold them.
func knownOf(snap *memory.Snapshot) knownValues {
	const few, most = 30, 100 // each is an element of the page
	types, scopes, authors, priorities := map[string]bool{}, map[string]bool{}, map[string]bool{}, map[string]bool{}
	for _, ms := range [][]*memory.Memory{snap.Memories(), snap.Archived()} {
		for _, m := range ms {
			for _, v := range []struct {
				all  map[string]bool
				name string
				most int
			}{{types, m.Type, few}, {priorities, m.Priority, few}, {scopes, m.Scope.String(), most}, {authors, m.CreatedBy, most}} {
				if len(v.all) < v.most {
					v.all[v.name] = true
				}
			}
		}
	}
	list := func(all map[string]bool) []string {
		maps.DeleteFunc(all, func(value string, _ bool) bool { return value == "" || named(value) != value }) // one with a secret in it, or too long for a menu, can't be asked for
		return slices.Sorted(maps.Keys(all))
	}
	return knownValues{list(types), list(scopes), list(authors), list(priorities), retention.TierNames(), []string{"updated", "created", "oldest", "read", "reads", "score", "id"}}
}
