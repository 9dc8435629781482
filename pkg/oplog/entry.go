package oplog

import (
	"bytes"
	"encoding/json"
	"math"
	"strings"
	"time"
)

// Types of actions.
const (
	Merge     = "merge"     // SourceIDs went into ResultID
	Summarize = "summarize" // the details of MemoryID were shortened
	Promote   = "promote"   // MemoryID was copied to a wider scope as ResultID
	Propose   = "propose"   // a copy of MemoryID was proposed for a wider scope as ResultID: people accept it, or don't
	Archive   = "archive"   // MemoryID was moved to the archive
	Restore   = "restore"   // MemoryID was moved back
	Skip      = "skip"      // MemoryID was planned for, and left alone
	Review    = "review"    // MemoryIDs wait for a person's decision
	Decide    = "decide"    // a person settled MemoryIDs, and both stay
	Add       = "add"       // MemoryID was written for the first time
	Edit      = "edit"      // MemoryID was changed by hand
	Judge     = "judge"     // a model judged MemoryIDs, a pair or a cluster; nothing was changed by it
	Sync      = "sync"      // the workspace was brought in step with those of other machines
	Undo      = "undo"      // an action of an earlier run, on MemoryIDs, was taken back
	Cluster   = "cluster"   // a summary of MemoryIDs was written as ResultID
	Link      = "link"      // an edge was stated from the memory From to the memory To
	Tend      = "tend"      // the index of a host's folder of notes was brought up to date
	Unlink    = "unlink"    // an edge was removed, or refused
)

// Status of a run.
const (
	Done   = "done"   // everything in the entry has happened
	Failed = "failed" // nothing has
)

// ReasonRedo is that of an undo of an undo, which does again what was done first.
const ReasonRedo = "redo"

// undoOf stands between the type of an action and its memories in the detail of its undo.
const undoOf = " of "

// UndoDetail is the detail of the undo of an action on memories. [Action.Undid] reads the type from it.
func UndoDetail(kind string, ids []string) string {
	return kind + undoOf + strings.Join(ids, ", ")
}

// Undid is the type of the action that an undo took back, or that a redo did again; "" for other actions.
func (a *Action) Undid() string {
	if a.Type != Undo {
		return ""
	}
	kind, _, _ := strings.Cut(a.Detail, undoOf)
	return kind
}

// An Action is one thing that a run did, or decided not to do. It is one flat
// record: Type says which of the fields mean something, and the others are
// absent in the file.
type Action struct {
	Type string `json:"type"`
	Rule string `json:"rule,omitempty" jsonschema:"merge, summarise, promote, archive, working, manual"`

	Actor string `json:"actor,omitempty" jsonschema:"add, edit, …: who did it, where the entry doesn't say so"`

	MemoryID  string   `json:"memory_id,omitempty" jsonschema:"all but merge and review"`
	MemoryIDs []string `json:"memory_ids,omitempty" jsonschema:"review, undo, cluster, link, unlink; add: MemoryID was flagged with them, and is the last"`

	Of int `json:"of,omitempty" jsonschema:"undo: the number of the action that was taken back, from 1"`

	SourceIDs []string `json:"source_ids,omitempty" jsonschema:"merge: the older memories, merged away; not the survivor"`
	ResultID  string   `json:"result_id,omitempty" jsonschema:"merge: the survivor; promote, propose: the copy"`

	TagOverlap        *float64 `json:"tag_overlap,omitempty" jsonschema:"merge: 0 to 1"`
	ContentSimilarity *float64 `json:"content_similarity,omitempty" jsonschema:"merge: 0 to 1"`
	FactsKept         *int     `json:"facts_kept,omitempty" jsonschema:"merge: facts of the sources that the survivor states"`
	FactsArchived     *int     `json:"facts_archived,omitempty" jsonschema:"merge: facts that stand in the archived sources only"`
	WordingsKept      int      `json:"wordings_kept,omitempty" jsonschema:"merge: variants that the survivor gained"`

	CharsBefore int    `json:"chars_before,omitempty" jsonschema:"summarize: characters of the details"`
	CharsAfter  int    `json:"chars_after,omitempty" jsonschema:"summarize"`
	Original    string `json:"original,omitempty" jsonschema:"summarize, edit: where the record before it is kept"`

	From string `json:"from,omitempty" jsonschema:"promote, propose: 'agent:DEV-001'; archive, restore: a file path; link, unlink: an id"`
	To   string `json:"to,omitempty" jsonschema:"promote, propose: 'team:development'; archive, restore: a file path; link, unlink: an id"`

	AcceptedBy string `json:"accepted_by,omitempty" jsonschema:"promote: whose merge of a branch brought the copy, as git has the name"`

	Relation  string   `json:"relation,omitempty" jsonschema:"link, unlink: the type of the edge"`
	By        string   `json:"by,omitempty" jsonschema:"link, unlink: USER, or the name of a model"`
	Coherence *float64 `json:"coherence,omitempty" jsonschema:"cluster: mean likeness of its memories, 0 to 1"`

	Reason      string   `json:"reason,omitempty" jsonschema:"one word for programs: stale, changed_meanwhile, …"`
	Detail      string   `json:"detail,omitempty" jsonschema:"a sentence for people"`
	Differences []string `json:"differences,omitempty" jsonschema:"review: what differs between the memories"`

	Verdict    string   `json:"verdict,omitempty" jsonschema:"judge: merge, replace, update, keep_separate or skip; full, partial or none; cluster"`
	Confidence *float64 `json:"confidence,omitempty" jsonschema:"judge: the model's own, 0 to 1"`
	Quotes     []string `json:"quotes,omitempty" jsonschema:"judge: sentences of the memories"`
	Sentences  []int    `json:"sentences,omitempty" jsonschema:"judge: the sentences that one memory gains, by number from 1, the older memory's first"`
	Deferred   bool     `json:"deferred,omitempty" jsonschema:"judge: the run was full; the next one applies the verdict first"`
	Key        string   `json:"key,omitempty" jsonschema:"judge: of the request, as in ops/model.jsonl"`
	LeftOut    []string `json:"left_out,omitempty" jsonschema:"judge of a cluster: ids of those that don't belong to it"`

	// Places tells, by memory id, where the memories that the action archived on
	// the way had stood: a file, or file#pointer inside a collection.
	Places map[string]string `json:"places,omitempty"`

	// Archived are, where several machines share the workspace, the digests of the memories that the action archived, but for their counts of
	// reads, by memory id: another digest tells that another machine had edited one meanwhile.
	Archived map[string]string `json:"archived,omitempty"`

	// Digests are the SHA-256 of the memories before the action, by memory id.
	Digests map[string]string `json:"digests,omitempty"`
}

// An Entry is one run. [Append] fills PrevHash and Hash.
type Entry struct {
	RunID     string    `json:"run_id"`
	Timestamp time.Time `json:"timestamp" jsonschema:"written in UTC, whole seconds"`
	Trigger   string    `json:"trigger"`
	Scope     string    `json:"scope"`
	Types     []string  `json:"types,omitempty" jsonschema:"types or subtypes to which the run was limited"`
	Since     time.Time `json:"since,omitzero" jsonschema:"the run was limited to memories that were last changed at this time or later"`
	Until     time.Time `json:"until,omitzero" jsonschema:"likewise: before this time"`
	Actor     string    `json:"actor,omitempty" jsonschema:"who asked for it; '' for a run that started by itself, or where nobody knows"`
	Machine   string    `json:"machine,omitempty" jsonschema:"where it was done, if several share the workspace"`
	UndoOf    string    `json:"undo_of,omitempty" jsonschema:"the run that this one took back"`

	Actions  []Action       `json:"actions"`
	Skipped  map[string]int `json:"skipped_by_reason,omitempty" jsonschema:"memories that the plan left out, by reason"`
	Deferred []string       `json:"deferred,omitempty" jsonschema:"ids over the limit of the run; first in the next one"`
	Stats    Stats          `json:"stats"`
	Model    *ModelUse      `json:"model,omitempty" jsonschema:"what asking language models came to; nil: none was to be asked"`

	DurationMS int64  `json:"duration_ms"`
	Status     string `json:"status"`
	PrevHash   string `json:"prev_hash"`
	Hash       string `json:"hash"`
}

// Stats sums up the actions of a run, in memories.
type Stats struct {
	MemoriesMerged     int `json:"memories_merged" jsonschema:"merged away: the survivors don't count"`
	MemoriesSummarized int `json:"memories_summarized"`
	MemoriesPromoted   int `json:"memories_promoted"`
	MemoriesArchived   int `json:"memories_archived" jsonschema:"as stale or done with; not the merged ones"`
	MemoriesSkipped    int `json:"memories_skipped"`
	MemoriesDeferred   int `json:"memories_deferred"`
	MemoriesFlagged    int `json:"memories_flagged" jsonschema:"waiting for review, each counted once"`
	MemoriesRestored   int `json:"memories_restored,omitempty"`
	MemoriesAdded      int `json:"memories_added,omitempty"`
	MemoriesEdited     int `json:"memories_edited,omitempty"`
	MemoriesDecided    int `json:"memories_decided,omitempty" jsonschema:"flagged ones that a person keeps both"`
	ClustersSummarised int `json:"clusters_summarised,omitempty"`
	MemoriesProposed   int `json:"memories_proposed,omitempty" jsonschema:"for a wider scope, on a branch"`
	EdgesChanged       int `json:"edges_changed,omitempty" jsonschema:"stated, removed or refused"`
	IndexesTended      int `json:"indexes_tended,omitempty" jsonschema:"of hosts' folders of notes"`
}

// ModelUse sums up what a run has asked language models.
type ModelUse struct {
	By        []string `json:"by,omitempty" jsonschema:"who answered: server/model"`
	Requests  int      `json:"requests" jsonschema:"that were sent, failed ones too"`
	Cached    int      `json:"cached,omitempty" jsonschema:"questions that had been answered before"`
	TokensIn  int      `json:"tokens_in" jsonschema:"of the requests that were sent"`
	TokensOut int      `json:"tokens_out" jsonschema:"likewise"`
	Cost      float64  `json:"cost,omitempty" jsonschema:"by the prices of the settings"`
	Deferred  int      `json:"deferred,omitempty" jsonschema:"questions that were not asked, for lack of budget"`
	Degraded  []string `json:"degraded,omitempty" jsonschema:"why the rules decided in place of a model"`
}

// Count sums up actions; deferred is the number of memories left for the next
// run. MemoriesSkipped counts the skip actions: a caller that also wants the
// memories which the plan left out adds them. Unknown types count nowhere.
func Count(actions []Action, deferred int) Stats {
	s := Stats{MemoriesDeferred: deferred}
	flagged := map[string]bool{}
	for _, a := range actions {
		switch a.Type {
		case Merge:
			s.MemoriesMerged += len(a.SourceIDs)
		case Summarize:
			s.MemoriesSummarized++
		case Promote:
			s.MemoriesPromoted++
		case Propose:
			s.MemoriesProposed++
		case Archive:
			s.MemoriesArchived++
		case Skip:
			s.MemoriesSkipped++
		case Restore:
			s.MemoriesRestored++
		case Add:
			s.MemoriesAdded++
			for _, id := range a.MemoryIDs {
				flagged[id] = true
			}
		case Edit:
			s.MemoriesEdited++
		case Undo:
			s.MemoriesRestored += len(a.MemoryIDs)
		case Decide:
			s.MemoriesDecided += len(a.MemoryIDs)
		case Cluster:
			s.ClustersSummarised++
		case Link, Unlink:
			s.EdgesChanged++
		case Tend:
			s.IndexesTended++
		case Review:
			for _, id := range a.MemoryIDs {
				flagged[id] = true
			}
		}
	}
	s.MemoriesFlagged = len(flagged)
	return s
}

// marshal writes e compactly, with <, > and & as they are: people read the log.
func marshal(e *Entry) ([]byte, error) {
	var buf bytes.Buffer
	enc := json.NewEncoder(&buf)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(e); err != nil {
		return nil, err
	}
	return bytes.TrimSuffix(buf.Bytes(), []byte("\n")), nil
}

// Score is a share from 0 to 1 as plans and the log have it: with three decimals.
func Score(share float64) *float64 {
	share = math.Round(share*1000) / 1000
	return &share
}
