package rules

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/memoryd/memoryd/pkg/memory"
	"github.com/memoryd/memoryd/pkg/oplog"
)

// RuleTend is the name in plans of what keeps the index of a host's folder of notes up to date.
const RuleTend = "tend"

// ReasonMentioned is why a note stays that the prose of its host's index names.
const ReasonMentioned = "mentioned"

// offInFolder are the rules that do nothing in an adopted folder of Markdown notes: its notes go nowhere else, and their text is not
// shortened.
var offInFolder = []string{RulePromote, RuleLayers, RuleSummarise, RuleWorking}

// mentioned says that the prose of the host's index names a note, "" if it doesn't.
func mentioned(st *state, m *memory.Memory) string {
	if st.Folder == nil || !st.Folder.Mentioned[m.ID] {
		return ""
	}
	return "the index names it in its prose, which is not rewritten"
}

// proposeCopies proposes to merge notes with equal text below their front matter, whatever their types, names and dates. No note
// changes: what the others are called goes into the overlay. The note about the user survives, then one that the index names, then
// the newest.
func proposeCopies(p *proposer) {
	if p.Folder == nil {
		return
	}
	same := map[string][]*subject{}
	for _, m := range p.subjects {
		if m.claimed || !m.IsNote() || m.Locked != "" || len(p.Find(m.ID)) > 1 || m.Conflicted || p.CopyOf(m.ID) != nil {
			continue
		}
		if body := p.Folder.Body(m.Memory); body != "" {
			same[body] = append(same[body], m)
		}
	}
	var all [][]*subject
	for _, copies := range same {
		if len(copies) > 1 {
			all = append(all, copies)
		}
	}
	slices.SortFunc(all, func(a, b []*subject) int { return cmp.Compare(a[0].n, b[0].n) })
	for _, copies := range all {
		slices.SortStableFunc(copies, func(a, b *subject) int {
			return cmp.Or(cmp.Compare(worth(p.state, b), worth(p.state, a)), compareFreshness(b.Memory, a.Memory), strings.Compare(a.File, b.File))
		})
		g := &group{survivor: copies[0]}
		for _, m := range copies[1:] {
			switch why := mentioned(p.state, m.Memory); {
			case why != "":
				p.skip(m.ID, ReasonMentioned, why)
			case m.Pinned():
				p.skip(m.ID, ReasonPinned, m.PinnedBy())
			case p.Review.Pending(g.survivor.Memory, m.Memory), keepBothReason(p.state, g.survivor.Memory, m.Memory) != "":
				p.skip(m.ID, ReasonApart, "a person decides, or has decided, about it and "+g.survivor.ID)
			default:
				g.members = append(g.members, member{subject: m, tags: 1, content: 1})
			}
		}
		if len(g.members) == 0 {
			continue
		}
		considerMerge(p, g, "equal text below the front matter")
	}
}

// NoteSaying finds the note that has the text of a memory that is about to be saved among the notes of a host; nil for none.
func NoteSaying(s *memory.Snapshot, draft *memory.Memory) *memory.Memory {
	if s.Folder == nil {
		return nil
	}
	body := memory.NoteText(draft.Raw())
	for _, m := range s.Memories() {
		if body != "" && m.IsNote() && len(m.SupersededBy) == 0 && s.Folder.Body(m) == body {
			return m
		}
	}
	return nil
}

// moreSaid reports whether a record says what the note that it is made of does not.
func moreSaid(m *memory.Memory, raw []byte) bool {
	now, err := memory.OneRecord(m.ID+".json", raw)
	return err != nil || len(memory.Variants(now)) > len(memory.Variants(m)) || now.Content().Raw != m.Content().Raw
}

// worth orders copies by which of them survives.
func worth(st *state, m *subject) int {
	switch {
	case strings.EqualFold(m.Subtype, "user"):
		return 3
	case st.Folder.Mentioned[m.ID]:
		return 2
	case st.Folder.Listed[m.ID]:
		return 1
	}
	return 0
}

// tend is the action that brings the host's index up to date once other actions have happened; not ok where they leave nothing to do.
func tend(st *state, before []memory.Action) (memory.Action, bool) {
	if st.Folder == nil || st.Folder.Index == nil {
		return memory.Action{}, false
	}
	does := st.Folder.Index(memory.MovedNotes(before))
	return memory.Action{Action: oplog.Action{Type: oplog.Tend, Rule: RuleTend, Detail: fmt.Sprintf("the host's index: %s", does)}}, does != ""
}
