package app

import (
	"context"
	"encoding/json"
	"fmt"
	"path/filepath"
	"strings"

	"github.com/memoryd/memoryd/internal/document"
	"github.com/memoryd/memoryd/internal/repository"
	"github.com/memoryd/memoryd/pkg/memory"
	"github.com/memoryd/memoryd/pkg/text"
	"github.com/memoryd/memoryd/pkg/workspace"
)

// CheckCode holds the live memories against a repository, and keeps what it finds for [Marks]. Memories of another project than this one are left
// out, if this one has any.
func CheckCode(ctx context.Context, store *workspace.FileStore, snap *memory.Snapshot, dir string) (*document.Code, error) {
	repo, err := repository.Open(ctx, dir, store.Dir())
	if err != nil {
		return nil, err
	}
	ours := ofProject(snap, filepath.Base(repo.Dir))
	var notes []repository.Note
	for _, m := range snap.Memories() {
		if ours(m) && !memory.IsClusterSummary(m) {
			notes = append(notes, repository.Note{ID: m.ID, Text: m.Text()})
		}
	}
	doc := &document.Code{Dir: repo.Dir, Gone: []repository.Gone{}}
	gone, unasked, err := repo.Check(ctx, notes)
	if err != nil {
		return nil, err
	}
	doc.Gone, doc.Unasked = append(doc.Gone, gone...), unasked
	return doc, saveMarks(store, snap, doc)
}

// ofProject chooses the memories that may be about a project: all but those of other projects, if there are any of this one.
func ofProject(snap *memory.Snapshot, project string) func(*memory.Memory) bool {
	known := false
	for _, m := range snap.Memories() {
		known = known || m.Scope.Kind == "project" && text.SameName(m.Scope.ID, project)
	}
	return func(m *memory.Memory) bool {
		return !known || m.Scope.Kind != "project" || text.SameName(m.Scope.ID, project)
	}
}

// codeCache is the derived file that keeps the names in memories that are no longer in the code.
const codeCache = "code"

// mark is what is said of a memory as long as it says what it said.
type mark struct {
	Fingerprint string `json:"fingerprint"`
	Gone        string `json:"gone"`
}

// Marks are what is to be said of memories, by their ids.
type Marks map[string]mark

// maxMark bounds what a mark says, in characters.
const maxMark = 200

func saveMarks(store *workspace.FileStore, snap *memory.Snapshot, doc *document.Code) error {
	marks := Marks{}
	for _, g := range doc.Gone {
		m := snap.Live(g.MemoryID)
		if m == nil {
			continue
		}
		says := g.String()
		if before := marks[m.ID].Gone; before != "" {
			says = before + "; " + says
		}
		marks[m.ID] = mark{m.Fingerprint(), says}
	}
	for id, k := range marks {
		k.Gone = text.Truncate(k.Gone, maxMark)
		marks[id] = k
	}
	data, err := json.Marshal(marks)
	if err != nil {
		return fmt.Errorf("keep what the code no longer has: %w", err)
	}
	_ = store.Cache().Write(codeCache, data) // a workspace that can't be written shows no marks
	return nil
}

// ReadMarks reads what the last check against the code has found. Losing it loses the marks until the next check.
func ReadMarks(store *workspace.FileStore) Marks {
	marks := Marks{}
	if data, err := store.Cache().Read(codeCache); err != nil || json.Unmarshal(data, &marks) != nil {
		return nil
	}
	return marks
}

// Of is what is to be said of a memory; "" for nothing, or if it says something else by now.
func (k Marks) Of(m *memory.Memory) string {
	said, ok := k[m.ID]
	if !ok || said.Fingerprint != m.Fingerprint() {
		return ""
	}
	return strings.TrimSpace(said.Gone)
}
