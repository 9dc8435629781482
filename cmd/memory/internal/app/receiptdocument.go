package app

import (
	"slices"

	"github.com/memoryd/memoryd/pkg/briefing"
	"github.com/memoryd/memoryd/pkg/memory"
	"github.com/memoryd/memoryd/pkg/workspace"
)

// ReceiptDocument is a receipt and what became of it.
type ReceiptDocument struct {
	briefing.Receipt
	As   string   `json:"counts_as"` // read, given
	Read []string `json:"read_since"`
	Gone []string `json:"archived_since"`
}

// ReceiptDocuments are the receipts of a session, or with "" of all, the oldest first.
func ReceiptDocuments(store *workspace.FileStore, snap *memory.Snapshot, session string) ([]ReceiptDocument, error) {
	kept, err := Receipts(store)
	if err != nil {
		return nil, err
	}
	all := []ReceiptDocument{}
	for _, r := range kept {
		if session != "" && r.Session != session {
			continue
		}
		told := ReceiptDocument{Receipt: r, As: "given", Read: []string{}, Gone: []string{}}
		if r.CountsAsRead() {
			told.As = "read"
		}
		for _, id := range r.Given {
			found := snap.Find(id)
			if slices.ContainsFunc(found, func(m *memory.Memory) bool { return m.LastAccessed.After(r.At) }) {
				told.Read = append(told.Read, id)
			}
			if !slices.ContainsFunc(found, func(m *memory.Memory) bool { return !m.Archived }) {
				told.Gone = append(told.Gone, id)
			}
		}
		all = append(all, told)
	}
	slices.SortStableFunc(all, func(a, b ReceiptDocument) int { return a.At.Compare(b.At) })
	return all, nil
}
