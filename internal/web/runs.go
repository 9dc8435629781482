package web

import (
	"cmp"
	"errors"
	"io/fs"
	"net/http"
	"slices"
	"strconv"

	"github.com/memoryd/memoryd/internal/app"
	"github.com/memoryd/memoryd/internal/document"
	"github.com/memoryd/memoryd/pkg/memory"
	"github.com/memoryd/memoryd/pkg/oplog"
	"github.com/memoryd/memoryd/pkg/workspace"
)

// rowsShown is how many rows a page of a list has.
const rowsShown = 100

// namedAtMost is how many problems, links and changes a page lists besides its rows.
const namedAtMost = 50

// runsBody is what the template of the log is given.
type runsBody struct {
	Entries []oplog.Entry // the latest first
	paging
	Chain        document.LogCheck
	MoreProblems int // that aren't listed
}

func runsPage(s *Server, r *http.Request) (*reply, error) {
	log, err := s.Store.Log().Read()
	if err != nil {
		return nil, err
	}
	var body runsBody
	var end int
	if body.paging, end, err = pageOf(r, len(log.Entries)); err != nil {
		return nil, err
	}
	for i := body.From; i < end; i++ {
		body.Entries = append(body.Entries, log.Entries[body.All-1-i])
	}
	problems, n, head, err := s.Store.Log().Verify()
	if err != nil {
		return nil, err
	}
	body.Chain = document.NewLogCheck(problems, n, head)
	if body.MoreProblems = max(0, len(body.Chain.Problems)-namedAtMost); body.MoreProblems > 0 {
		body.Chain.Problems = body.Chain.Problems[:namedAtMost]
	}
	return &reply{page: &page{Template: "runs", Title: "Runs", At: s.Now(), Body: body}}, nil
}

// paging is which rows of a list a page shows.
type paging struct {
	From int // place of the first one, from 0
	Next int // of the first one of the next page; 0 for none
	Prev int // -1 for none
	All  int
}

// pageOf is the page of a list that a request asks for, and the end of its rows.
func pageOf(r *http.Request, all int) (p paging, end int, err error) {
	from, err := place(r, all)
	if err != nil {
		return p, 0, err
	}
	p, end = pageFrom(from, all, rowsShown)
	return p, end, nil
}

// pageFrom is the page of so many rows that begins with one.
func pageFrom(from, all, rows int) (p paging, end int) {
	p = paging{From: from, All: all, Prev: -1}
	if end = min(all, from+rows); end < all {
		p.Next = end
	}
	if from > 0 {
		p.Prev = max(0, from-rows)
	}
	return p, end
}

// place reads the parameter "from": the first row that a page shows.
func place(r *http.Request, all int) (int, error) {
	text := r.URL.Query().Get("from")
	if text == "" {
		return 0, nil
	}
	n, err := strconv.Atoi(text)
	if err != nil || n < 0 {
		return 0, badRequest("from: %q is no row of the list", shown(text))
	}
	return max(0, min(n, all-1)), nil
}

// runBody is what the template of one run is given.
type runBody struct {
	*oplog.Entry
	Shown []doneAction // those of this page
	paging
	Undoable bool // its record is kept
	UndoneBy []string
}

// doneAction is an action of a run, with the first of its memories.
type doneAction struct {
	oplog.Action
	IDs  []string
	More int // memories that aren't listed
}

func newDoneAction(a oplog.Action) doneAction {
	ids := slices.Concat([]string{a.MemoryID, a.ResultID}, a.SourceIDs, a.MemoryIDs)
	ids = slices.DeleteFunc(ids, func(id string) bool { return id == "" })
	return doneAction{a, rowsIn(ids, 0, memoriesShown), max(0, len(ids)-memoriesShown)}
}

// entryOf is the log's entry that the path of a request names, and the log.
func entryOf(s *Server, r *http.Request) (*oplog.Entry, *oplog.Log, error) {
	log, err := s.Store.Log().Read()
	if err != nil {
		return nil, nil, err
	}
	entry, _ := app.FindRun(log, r.PathValue("run"))
	if entry == nil {
		return nil, nil, notFound("there is no run %s", shown(r.PathValue("run")))
	}
	return entry, log, nil
}

func runPage(s *Server, r *http.Request) (*reply, error) {
	entry, log, err := entryOf(s, r)
	if err != nil {
		return nil, err
	}
	body := runBody{Entry: entry}
	var end int
	if body.paging, end, err = pageOf(r, len(entry.Actions)); err != nil {
		return nil, err
	}
	for _, a := range entry.Actions[body.From:end] {
		body.Shown = append(body.Shown, newDoneAction(a))
	}
	for _, e := range log.Entries {
		if e.UndoOf == entry.RunID {
			body.UndoneBy = append(body.UndoneBy, e.RunID)
		}
	}
	if body.Undoable, err = undoable(s, entry.RunID); err != nil {
		return nil, err
	}
	return &reply{page: &page{Template: "run", Title: "Run", At: s.Now(), Body: body}}, nil
}

// undoable reports whether the record of a run is kept.
func undoable(s *Server, run string) (bool, error) {
	_, err := s.Store.Read(workspace.RunsDir + "/" + memory.FileName(run) + "/journal.json")
	if errors.Is(err, fs.ErrNotExist) {
		return false, nil
	}
	return err == nil, err
}

// undoBody is what the template of an undo is given.
type undoBody struct {
	Entry   *oplog.Entry
	Action  int // counted from 1; 0 for the whole run
	Records []undoneRecord
	More    int // records that aren't listed
}

// undoneRecord is a memory that an undo gives back.
type undoneRecord struct {
	ID      string
	From    string // place; "" where the run has created it
	Words   []piece
	Diff    string
	Changed bool // since the run: its action stays as it is
}

// recordsShown is how many memories an undo shows in detail.
const recordsShown = 20

// undone is which actions of a run a request is about; nil for all of them.
func undone(r *http.Request, entry *oplog.Entry) (n int, only func(int, oplog.Action) bool, err error) {
	text := r.FormValue("action")
	if text == "" || text == "0" {
		return 0, nil, nil
	}
	n, err = strconv.Atoi(text)
	if err != nil || n < 1 || n > len(entry.Actions) {
		return 0, nil, badRequest("%s has no action %q", entry.RunID, shown(text))
	}
	return n, func(i int, _ oplog.Action) bool { return i == n-1 }, nil
}

// undoPage shows what an undo would give back, as the differences that it makes.
func undoPage(s *Server, r *http.Request) (*reply, error) {
	entry, _, err := entryOf(s, r)
	if err != nil {
		return nil, err
	}
	n, only, err := undone(r, entry)
	if err != nil {
		return nil, err
	}
	if ok, err := undoable(s, entry.RunID); err != nil || !ok {
		return nil, cmp.Or(err, error(&problem{status: http.StatusNotFound, what: "the record of " + entry.RunID + " is gone: it can't be undone", todo: "The last runs can be; the setting history.keep says how many.", cause: workspace.ErrNoRun}))
	}
	snap, err := s.live.Refresh(r.Context())
	if err != nil {
		return nil, err
	}
	body, told, left := undoBody{Entry: entry, Action: n}, map[string]bool{}, newRoom()
	for i := range entry.Actions {
		if only != nil && !only(i, entry.Actions[i]) {
			continue
		}
		for _, id := range (&memory.Action{Action: entry.Actions[i]}).Members() {
			switch {
			case told[id]:
				continue
			case len(body.Records) >= recordsShown:
				body.More++
				continue
			}
			told[id] = true
			versions, err := s.Store.History(id)
			if err != nil {
				return nil, err
			}
			for _, v := range versions {
				if v.RunID == entry.RunID {
					body.Records = append(body.Records, newUndoneRecord(snap, id, v, left))
				}
			}
		}
	}
	return &reply{page: &page{Template: "undo", Title: "Undo", At: snap.At, Body: body}}, nil
}

func newUndoneRecord(snap *memory.Snapshot, id string, v workspace.Version, left *room) undoneRecord {
	rec := undoneRecord{ID: id, From: v.From.String(), Changed: true}
	if v.Before == nil {
		rec.From = ""
	} else if v.After != nil {
		rec.Words = left.words(differingWords(memory.ParseRecord(v.After, v.To).Text(), memory.ParseRecord(v.Before, v.From).Text()))
	}
	rec.Diff = left.text(document.RecordDiff(v.After, v.Before))
	for _, m := range snap.Find(id) {
		rec.Changed = rec.Changed && string(m.Raw()) != string(v.After)
	}
	if v.After == nil {
		rec.Changed = len(snap.Find(id)) > 0
	}
	return rec
}

func undoRun(s *Server, r *http.Request) (*reply, error) {
	entry, log, err := entryOf(s, r)
	if err != nil {
		return nil, err
	}
	_, only, err := undone(r, entry)
	if err != nil {
		return nil, err
	}
	if err := s.live.Lock(r.Context()); err != nil {
		return nil, err
	}
	result, err := app.Undo(r.Context(), s.Store, cmp.Or(s.Store.Actor, "USER"), log, entry, only, s.Now(), false)
	s.live.Unlock()
	if undone := (*app.UndoneError)(nil); errors.As(err, &undone) {
		return nil, &problem{status: http.StatusConflict, what: err.Error(), todo: "Nothing was changed. To redo it, take back " + undone.By[len(undone.By)-1] + "."}
	}
	if blocked := (*app.BlockedError)(nil); errors.As(err, &blocked) {
		return nil, &problem{status: http.StatusConflict, what: err.Error(), todo: blocked.Todo()}
	}
	if err != nil {
		return nil, err
	}
	back := r.PostForm.Get("back")
	if back == "" || back[0] != '/' || len(back) > 1 && (back[1] == '/' || back[1] == '\\') {
		back = "/runs/" + result.RunID
	}
	if result.RunID == "" {
		back = "/runs/" + entry.RunID
	}
	return done(back, result), nil
}
