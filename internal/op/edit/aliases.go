package edit

import (
	"cmp"
	"slices"
	"strings"

	"github.com/memoryd/memoryd/internal/document"
	"github.com/memoryd/memoryd/internal/op/find"
	"github.com/memoryd/memoryd/pkg/config"
	"github.com/memoryd/memoryd/pkg/memory"
)

// Unaliased lists the live memories that no alias finds and that may be edited, those that are read most first, then the newest. Working memories are
// left out: they are short-lived. Of more than limit the first are in the list.
func Unaliased(snap *memory.Snapshot, in func(*memory.Memory) bool, limit int) document.Aliases {
	var list []*memory.Memory
	for _, m := range snap.Memories() {
		if m.Type != memory.Working && m.Locked == "" && m.Raw() != nil && in(m) && m.Text() != "" && len(memory.Aliases(m)) == 0 {
			list = append(list, m)
		}
	}
	slices.SortStableFunc(list, func(a, b *memory.Memory) int {
		return cmp.Or(cmp.Compare(b.AccessCount, a.AccessCount), b.Newest().Compare(a.Newest()), cmp.Compare(a.ID, b.ID))
	})
	doc := document.Aliases{Memories: []document.Aliased{}, Page: document.Page{Total: len(list)}}
	for _, m := range list[:min(limit, len(list))] {
		doc.Memories = append(doc.Memories, document.NewAliased(m))
	}
	return doc
}

// AddAliases makes the actions that give memories the aliases of a list. Their times of change stay: what they say is as old as before. left are ids of
// memories that say something else than the list has, or are in the archive by now.
func AddAliases(store Store, settings config.Settings, snap *memory.Snapshot, list []document.Aliased, o Options) (actions []memory.Action, left []string, err error) {
	o.KeepTime = true
	done := map[string]bool{}
	for _, one := range list {
		m, err := find.One(snap, one.ID)
		switch {
		case err != nil:
			return nil, nil, err
		case m.Archived, one.Text != "" && one.Text != document.NewAliased(m).Text:
			left = append(left, one.ID)
			continue
		case done[m.ID]:
			continue
		}
		done[m.ID] = true
		all, n := memory.WithAliases(memory.Aliases(m), one.Aliases)
		o.Detail = "given the aliases " + strings.Join(all[len(all)-n:], ", ")
		e, err := One(store, settings, snap, one.ID, Extras{Aliases: one.Aliases}.Change(func(m *memory.Memory) ([]byte, error) { return m.Raw(), nil }, snap, snap.At), o)
		if err != nil {
			return nil, nil, err
		}
		actions = append(actions, e.Actions...)
	}
	return actions, left, nil
}
