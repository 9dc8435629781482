package exporting

import (
	"bytes"
	"encoding/json"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/tidwall/gjson"

	"github.com/memoryd/memoryd/pkg/coderef"
	"github.com/memoryd/memoryd/pkg/config"
	"github.com/memoryd/memoryd/pkg/foreign"
	"github.com/memoryd/memoryd/pkg/graph"
	"github.com/memoryd/memoryd/pkg/memory"
	"github.com/memoryd/memoryd/pkg/oplog"
	"github.com/memoryd/memoryd/pkg/retention"
	"github.com/memoryd/memoryd/pkg/secrets"
)

// The kinds of notes on commits, after the schema of the git-notes memory (source 002). A note is JSON Lines.
const (
	NoteMeta      = "mem-meta"      // where a memory stands, and how much it matters
	NoteSummaries = "mem-summaries" // what it says
	NoteEdges     = "mem-edges"     // how it is linked
	NoteRuns      = "mem-runs"      // what was done with it
)

// Commits are the hashes of commits that a memory names, as it writes them: in its members commit, commit_sha, git_commit and commits, beside
// the content or in it, and in its texts behind a word such as "commit".
func Commits(m *memory.Memory) (hashes []string) {
	take := func(v gjson.Result) {
		if v.Type == gjson.String && isHash(v.Str) {
			hashes = append(hashes, strings.ToLower(v.Str))
		}
	}
	record := gjson.ParseBytes(m.Raw())
	for _, object := range []gjson.Result{record, m.Content()} {
		if !object.IsObject() {
			continue
		}
		for _, name := range []string{"commit", "commit_sha", "git_commit", "commits"} {
			if v := object.Get(name); v.IsArray() {
				v.ForEach(func(_, one gjson.Result) bool { take(one); return true })
			} else {
				take(v)
			}
		}
	}
	for _, ref := range coderef.Find(m.Text()) {
		if ref.Kind == coderef.Commit {
			hashes = append(hashes, strings.ToLower(ref.Text))
		}
	}
	slices.Sort(hashes)
	return slices.Compact(hashes)
}

// isHash reports whether a text can be the hash of a commit, or its beginning: 7 to 64 hexadecimal digits.
func isHash(text string) bool {
	return len(text) >= 7 && len(text) <= 64 && strings.Trim(text, "0123456789abcdefABCDEF") == ""
}

// CommitNotes is what notes on commits say of memories.
type CommitNotes struct {
	Notes    map[string]map[string][]byte // by kind, which all are there, and by commit
	Memories int                          // that name a commit, and are written
	LeftOut  []foreign.Misfit             // what holds secrets

	secrets *secrets.Rules
	lines   map[string]map[string]map[string]bool // by kind, by commit
}

// NoteSource is what notes are made of.
type NoteSource struct {
	Snapshot *memory.Snapshot
	Log      *oplog.Log
	Settings *config.Settings
	Secrets  *secrets.Rules
	Memories []*memory.Memory    // those that are written; what they are linked to is named only if it is one of them
	Commits  map[string][]string // by id, the commits that a memory names, in full
}

// The lines of the four kinds of notes.
type (
	metaLine struct {
		ID          string    `json:"id"`
		Type        string    `json:"type,omitempty"`
		Subtype     string    `json:"subtype,omitempty"`
		Scope       string    `json:"scope"`
		Title       string    `json:"title,omitempty"`
		Tags        []string  `json:"tags,omitempty"`
		Tier        string    `json:"tier"`
		AccessCount int64     `json:"access_count"`
		Importance  *float64  `json:"importance,omitempty"`
		Confidence  *float64  `json:"confidence,omitempty"`
		CreatedAt   time.Time `json:"created_at,omitzero"`
		UpdatedAt   time.Time `json:"updated_at,omitzero"`
	}
	summaryLine struct {
		ID      string   `json:"id"`
		Summary string   `json:"summary"`
		Members []string `json:"members,omitempty"` // of the cluster that it summarises
	}
	edgeLine struct {
		From   string `json:"from"`
		Type   string `json:"type"`
		To     string `json:"to"`
		Origin string `json:"origin"`
		By     string `json:"by,omitempty"`
		Reason string `json:"reason,omitempty"`
	}
	runLine struct {
		Timestamp time.Time   `json:"timestamp"`
		RunID     string      `json:"run_id"`
		Trigger   string      `json:"trigger"`
		Actor     string      `json:"actor,omitempty"`
		Machine   string      `json:"machine,omitempty"`
		Actions   []runAction `json:"actions"`
	}
	runAction struct {
		Type      string   `json:"type"`
		Rule      string   `json:"rule,omitempty"`
		MemoryIDs []string `json:"memory_ids"`
		Reason    string   `json:"reason,omitempty"`
	}
)

// NewCommitNotes writes the notes. The same memories, log and settings give the same bytes as long as no tier changes with time: the score
// itself, which changes every day, is not written. A memory that holds a secret is left out of all notes.
func NewCommitNotes(s NoteSource) (*CommitNotes, error) {
	n := &CommitNotes{Notes: map[string]map[string][]byte{}, secrets: s.Secrets, lines: map[string]map[string]map[string]bool{}}
	written := map[string]*memory.Memory{}
	for _, m := range s.Memories {
		if len(s.Secrets.FindRecord(m.Raw())) == 0 {
			written[m.ID] = m
		} else if len(s.Commits[m.ID]) > 0 {
			n.LeftOut = append(n.LeftOut, foreign.Misfit{Place: m.ID, What: "a memory that holds a secret", LeftOut: true})
		}
	}
	for _, m := range s.Memories {
		if written[m.ID] != m {
			continue
		}
		if err := n.describe(s, m, written); err != nil {
			return nil, err
		}
	}
	for _, e := range graph.Of(s.Snapshot).Edges {
		if written[e.From] == nil || written[e.To] == nil {
			continue
		}
		line := edgeLine{From: e.From, Type: e.Type, To: e.To, Origin: e.Origin, By: e.By, Reason: e.Reason}
		if err := n.add(NoteEdges, append(slices.Clone(s.Commits[e.From]), s.Commits[e.To]...), e.From+" "+e.Type+" "+e.To, line); err != nil {
			return nil, err
		}
	}
	for i := range s.Log.Entries {
		if err := n.run(s, &s.Log.Entries[i], written); err != nil {
			return nil, err
		}
	}
	n.join()
	return n, nil
}

// describe writes what a memory is and says. The summary of a cluster belongs to the commits of its members too.
func (n *CommitNotes) describe(s NoteSource, m *memory.Memory, written map[string]*memory.Memory) error {
	at := s.Commits[m.ID]
	if len(at) > 0 {
		n.Memories++
	}
	meta := metaLine{
		ID: m.ID, Type: m.Type, Subtype: m.Subtype, Scope: m.Scope.String(), Title: noteTitle(m), Tags: m.Tags,
		Tier: retention.Of(m, s.Snapshot.At, *s.Settings).Tier.String(), AccessCount: m.AccessCount,
		Importance: m.Importance, Confidence: m.Confidence, CreatedAt: m.CreatedAt.UTC(), UpdatedAt: m.UpdatedAt.UTC(),
	}
	summary := summaryLine{ID: m.ID}
	summary.Summary, _ = m.Summary()
	if memory.IsClusterSummary(m) {
		at = slices.Clone(at)
		for _, member := range memory.ClusterOf(m).Members {
			if written[member.ID] != nil {
				summary.Members = append(summary.Members, member.ID)
				at = append(at, s.Commits[member.ID]...)
			}
		}
	}
	if err := n.add(NoteMeta, at, m.ID, meta); err != nil {
		return err
	}
	return n.add(NoteSummaries, at, m.ID, summary)
}

// noteTitle is the title in the content of a memory, or beside it.
func noteTitle(m *memory.Memory) string {
	if title := m.Content().Get("title"); title.Type == gjson.String {
		return title.Str
	}
	return m.Title()
}

// run writes what a run has done with memories that name commits, on each commit what concerns it.
func (n *CommitNotes) run(s NoteSource, e *oplog.Entry, written map[string]*memory.Memory) error {
	lines := map[string]*runLine{}
	for i := range e.Actions {
		a := &e.Actions[i]
		ids := slices.Concat([]string{a.MemoryID, a.ResultID}, a.MemoryIDs, a.SourceIDs)
		slices.Sort(ids)
		ids = slices.DeleteFunc(slices.Compact(ids), func(id string) bool { return written[id] == nil })
		var at []string
		for _, id := range ids {
			at = append(at, s.Commits[id]...)
		}
		slices.Sort(at)
		for _, commit := range slices.Compact(at) {
			if lines[commit] == nil {
				lines[commit] = &runLine{Timestamp: e.Timestamp.UTC(), RunID: e.RunID, Trigger: e.Trigger, Actor: e.Actor, Machine: e.Machine}
			}
			lines[commit].Actions = append(lines[commit].Actions, runAction{Type: a.Type, Rule: a.Rule, MemoryIDs: ids, Reason: a.Reason})
		}
	}
	for commit, line := range lines {
		if err := n.add(NoteRuns, []string{commit}, e.RunID, line); err != nil {
			return err
		}
	}
	return nil
}

// add writes a line into the notes of commits, unless it holds a secret.
func (n *CommitNotes) add(kind string, commits []string, place string, line any) error {
	if len(commits) == 0 {
		return nil
	}
	text, err := json.Marshal(line)
	if err != nil {
		return err
	}
	if len(n.secrets.FindRecord(text)) > 0 {
		n.LeftOut = append(n.LeftOut, foreign.Misfit{Place: place, What: "a line of " + kind + " that holds a secret", LeftOut: true})
		return nil
	}
	if n.lines[kind] == nil {
		n.lines[kind] = map[string]map[string]bool{}
	}
	for _, commit := range commits {
		if n.lines[kind][commit] == nil {
			n.lines[kind][commit] = map[string]bool{}
		}
		n.lines[kind][commit][string(text)] = true
	}
	return nil
}

// join makes notes of the lines: sorted, each once.
func (n *CommitNotes) join() {
	for _, kind := range []string{NoteMeta, NoteSummaries, NoteEdges, NoteRuns} {
		n.Notes[kind] = map[string][]byte{}
		for commit, set := range n.lines[kind] {
			var note bytes.Buffer
			for _, line := range slices.Sorted(maps.Keys(set)) {
				note.WriteString(line + "\n")
			}
			n.Notes[kind][commit] = note.Bytes()
		}
	}
}
