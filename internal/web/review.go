package web

import (
	"cmp"
	"net/http"
	"net/url"
	"slices"
	"strings"

	"github.com/memoryd/memoryd/internal/app"
	"github.com/memoryd/memoryd/internal/op/reviewing"
	"github.com/memoryd/memoryd/pkg/memory"
	"github.com/memoryd/memoryd/pkg/review"
	"github.com/memoryd/memoryd/pkg/rules"
	"github.com/memoryd/memoryd/pkg/workspace"
)

// choice is one way to decide a pair.
type choice struct {
	Verdict, Key, Label, Meaning string
	Changes                      []change // what it would write
	Can                          string   // why it can't be taken; "" if it can
}

// Writes says in a few words what a choice would write.
func (c choice) Writes() string {
	words := []struct{ kind, one string }{{"create", "writes"}, {"put", "changes"}, {"move", "moves"}, {"remove", "takes away"}}
	var parts []string
	for _, w := range words {
		var ids []string
		for _, change := range c.Changes {
			if change.Kind == w.kind {
				ids = append(ids, change.ID)
			}
		}
		if len(ids) > 0 {
			parts = append(parts, w.one+" "+strings.Join(ids, ", "))
		}
	}
	return cmp.Or(strings.Join(parts, "; "), "changes no memory")
}

// choices are the ways to decide about two memories, in the order of their buttons.
var choices = []choice{
	{Verdict: rules.VerdictMerge, Key: "m", Label: "Merge", Meaning: "one memory with what both say"},
	{Verdict: review.KeepBoth, Key: "b", Label: "Keep both", Meaning: "they are about different things"},
	{Verdict: reviewing.KeepOlder, Key: "1", Label: "Keep the older", Meaning: "the newer goes to the archive"},
	{Verdict: reviewing.KeepNewer, Key: "2", Label: "Keep the newer", Meaning: "the older goes to the archive"},
	{Verdict: rules.VerdictSupersede, Key: "s", Label: "Newer replaces older", Meaning: "linked: the older is kept in the archive as superseded"},
	{Verdict: review.Partly, Key: "p", Label: "Newer replaces a part", Meaning: "linked: both stay, and the newer comes first"},
}

// pairKind is what two records that wait are to each other, in words, and how one decides about them.
type pairKind struct {
	Older, Newer string // headings of the two sides
	Why          string // why a person is asked; "" where the differences say it
	Choices      []choice
}

var (
	twoMemories  = pairKind{Older: "Older", Newer: "Newer", Choices: choices}
	conflictCopy = pairKind{
		Older: "Older version", Newer: "Newer version",
		Why: "A program that keeps folders in step has put a copy beside the file: two machines had changed the memory. Until you decide, the rules leave both alone.",
		Choices: []choice{
			{Verdict: rules.VerdictMerge, Key: "m", Label: "Merge", Meaning: "the file gets what both say, and the copy goes to the archive"},
			{Verdict: review.KeepBoth, Key: "b", Label: "Keep both", Meaning: "the copy becomes a memory of its own"},
			{Verdict: reviewing.KeepOlder, Key: "1", Label: "Keep the older", Meaning: "the file has the older version, and the newer goes to the archive"},
			{Verdict: reviewing.KeepNewer, Key: "2", Label: "Keep the newer", Meaning: "the file has the newer version, and the older goes to the archive"},
		},
	}
	mergeConflict = pairKind{
		Older: "The other side had", Newer: "The record now",
		Why: "Two machines had changed the same values before their edits were merged. The record has the newer values; the others are noted in it.",
		Choices: []choice{
			{Verdict: reviewing.KeepOlder, Key: "1", Label: "Take the other side", Meaning: "its values replace those of the record"},
			{Verdict: reviewing.KeepNewer, Key: "2", Label: "Keep the record", Meaning: "the note about the other values goes"},
			{Verdict: review.KeepBoth, Key: "b", Label: "Keep both", Meaning: "what the other side had becomes a memory of its own"},
		},
	}
	mergeRemoved = pairKind{
		Older: "The other side had removed it", Newer: "The record now",
		Why: "One machine had removed the memory while the other changed it. It stays until you decide.",
		Choices: []choice{
			{Verdict: reviewing.KeepOlder, Key: "1", Label: "Remove it", Meaning: "it goes to the archive"},
			{Verdict: reviewing.KeepNewer, Key: "2", Label: "Keep it", Meaning: "the note about the removal goes"},
		},
	}
)

// kindOf tells what the two records of a pair are to each other.
func kindOf(p review.Pair, newer *memory.Memory) pairKind {
	switch {
	case p.Reason == memory.ReasonCopy:
		return conflictCopy
	case !memory.IsMergeConflict(p):
		return twoMemories
	case newer.OtherSide() == nil:
		return mergeRemoved
	}
	return mergeConflict
}

// reviewBody is what the template of the queue is given.
type reviewBody struct {
	Groups []queueGroup
	Pairs  int
	Shown  *pairView // nil where nothing waits
	Place  int       // of the shown pair, counted from 1
	Prev   string    // ids of the pairs beside it; "" for none
	Next   string
	Group  string // only pairs of this group
}

// queueGroup is pairs that differ in the same way.
type queueGroup struct {
	reviewing.Group
	First  [2]string // lines of the first pair
	Reason string
}

// pairView is a pair to decide about.
type pairView struct {
	review.Pair
	Kind         pairKind
	Older, Newer *memory.Memory
	Before       []piece // the older text; likewise After the newer
	After        []piece
	Choices      []choice
	Group        reviewing.Group
}

// groupsShown is how many groups the queue lists beside the pair.
const groupsShown = 50

func reviewPage(s *Server, r *http.Request) (*reply, error) {
	snap, err := s.live.Refresh(r.Context())
	if err != nil {
		return nil, err
	}
	settings, err := s.settings()
	if err != nil {
		return nil, err
	}
	body := reviewBody{Group: r.URL.Query().Get("group")}
	var queue []review.Pair
	groups := reviewing.Groups(snap, snap.Open())
	for _, g := range groups {
		body.Pairs += len(g.Pairs)
		if body.Group == "" || g.ID == body.Group {
			queue = append(queue, g.Pairs...)
		}
		if len(body.Groups) < groupsShown {
			p := g.Pairs[0]
			older, newer := snap.Sides(p)
			body.Groups = append(body.Groups, queueGroup{g, [2]string{summaryOf(older), summaryOf(newer)}, p.Reason})
		}
	}
	if len(queue) == 0 && body.Group != "" { // one of its pairs was decided, so that it has another id
		for _, g := range groups {
			if placeOf(g.Pairs, r.URL.Query().Get("pair")) >= 0 {
				body.Group, queue = g.ID, g.Pairs
			}
		}
	}
	if len(queue) == 0 && body.Group != "" {
		return &reply{location: "/review"}, nil // the last of its group was decided
	}
	if n := max(0, placeOf(queue, r.URL.Query().Get("pair"))); n < len(queue) {
		body.Place = n + 1
		if n > 0 {
			body.Prev = queue[n-1].ID()
		}
		if n+1 < len(queue) {
			body.Next = queue[n+1].ID()
		}
		judged, err := app.ReadJudgements(s.Store)
		if err != nil {
			return nil, err
		}
		body.Shown = newPairView(snap, rules.Request{Settings: settings, LogHead: s.Store.Log().Head()}, queue[n], judged)
		for _, g := range groups {
			if placeOf(g.Pairs, queue[n].ID()) >= 0 {
				body.Shown.Group = g
			}
		}
	}
	return &reply{page: &page{Template: "review", Title: "Review", At: snap.At, Body: body}}, nil
}

// placeOf is where a pair stands; -1 where it doesn't.
func placeOf(pairs []review.Pair, id string) int {
	return slices.IndexFunc(pairs, func(p review.Pair) bool { return p.ID() == id })
}

func newPairView(snap *memory.Snapshot, request rules.Request, p review.Pair, judged app.Judgements) *pairView {
	v := &pairView{Pair: p}
	v.Older, v.Newer = snap.Sides(p)
	left := newRoom()
	words := differingWords(v.Older.Text(), v.Newer.Text())
	if words == nil {
		words = []piece{{"same", shown(v.Older.Text())}}
	}
	v.Before, v.After = sides(words)
	v.Before, v.After = left.words(v.Before), left.words(v.After)
	v.Differences = slices.Compact(slices.Clone(p.Differences))
	v.Kind = kindOf(p, v.Newer)
	for _, c := range offered(v.Kind.Choices, judged.SaysPartly(snap, p)) {
		actions, _, _, err := reviewing.Actions(snap, request.Settings, request.LogHead, []review.Pair{p}, c.Verdict, "")
		if err != nil {
			c.Can = err.Error()
		}
		for i := range actions {
			c.Changes = append(c.Changes, changesOf(snap, &actions[i], left)...)
		}
		v.Choices = append(v.Choices, c)
	}
	return v
}

// offered are choices in the order in which they are offered: that the newer replaces a part comes first where a model has said so.
func offered(choices []choice, partly bool) []choice {
	if !partly {
		return choices
	}
	first := func(c choice) int {
		if c.Verdict == review.Partly {
			return 0
		}
		return 1
	}
	return slices.SortedStableFunc(slices.Values(choices), func(a, b choice) int { return first(a) - first(b) })
}

// decide settles a pair, or all pairs of a group, as the form says.
func decide(s *Server, r *http.Request) (*reply, error) {
	if err := readForm(r); err != nil {
		return nil, err
	}
	d := reviewing.Decision{Verdict: r.PostForm.Get("verdict"), Keep: r.PostForm.Get("keep")}
	if id := r.PostForm.Get("pair"); id != "" {
		d.IDs = []string{id}
	} else if d.Group = r.PostForm.Get("group"); d.Group == "" {
		return nil, badRequest("the form names no pair and no group")
	}
	settings, err := s.settings()
	if err != nil {
		return nil, err
	}
	out, err := reviewing.Decide(r.Context(), s.commit, settings, s.Store.Log().Head, d)
	if err != nil {
		return nil, err
	}
	var last *workspace.Result
	if n := len(out.Results); n > 0 {
		last = out.Results[n-1]
	}
	if strings.HasPrefix(r.URL.Path, "/api/") {
		return &reply{document: out.Document()}, nil
	}
	to := url.URL{Path: "/review"}
	query := url.Values{}
	if next := r.PostForm.Get("next"); next != "" {
		query.Set("pair", next)
	}
	if only := r.PostForm.Get("only"); only != "" {
		query.Set("group", only)
	}
	to.RawQuery = query.Encode()
	return done(to.String(), last), nil
}
