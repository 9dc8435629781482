package app

import (
	"errors"
	"time"

	"github.com/memoryd/memoryd/pkg/briefing"
	"github.com/memoryd/memoryd/pkg/config"
	"github.com/memoryd/memoryd/pkg/memory"
	"github.com/memoryd/memoryd/pkg/recall"
	"github.com/memoryd/memoryd/pkg/workspace"
	"github.com/memoryd/memoryd/pkg/workspace/ops"
)

// BlockSession is a session of a host that is given memories unasked.
type BlockSession struct {
	ID, Host, Project string
	Agent             string      // "" where nobody says who works in it
	Starts            bool        // it has nothing of ours yet
	Resumes           bool        // it starts once more, with its context as it was
	Prompt            string      // "" at the start of a session
	Late              func() bool // whether the caller has stopped waiting
}

// maxNewTexts is how many texts that are new to the index of words are read while a host
// waits.
const maxNewTexts = 2000

// GiveBlock writes the context block of a session, "" for none, and a receipt of it: at the
// start of the session what matters most, when it goes on what is new or has changed since, beside a prompt what is relevant
// to it. A memory that is in the session's context as it is now is not given again. What is relevant to a
// prompt counts as read in its session, whether it is given now or was before; what a start is given
// counts as given. If the receipt can't be written, the block is returned with the error. If the index of
// words has to be made first, the error is
// [recall.ErrTooMuch] and nothing is given.
func GiveBlock(store *workspace.FileStore, settings config.Settings, at time.Time, to BlockSession) (string, error) {
	if !settings.Context.Inject || !to.Starts && to.Prompt != "" && !topicOf(to.Prompt).asks() {
		return "", nil // not wanted, or a prompt such as "ok" or "run the tests"
	}
	snap, err := store.Load(at.UTC().Truncate(time.Second))
	if err != nil {
		return "", err
	}
	request := briefing.Request{Format: briefing.XML, Tokens: settings.Context.TokenBudget, Chars: settings.Context.MaxChars}
	event := briefing.AtStart
	request.OnlyOrder = to.Starts
	skip := func(*memory.Memory) bool { return false }
	if !to.Starts {
		receipts, err := Receipts(store)
		if err != nil {
			return "", err
		}
		given, last := briefing.GivenTo(to.ID, receipts)
		switch {
		case !to.Resumes:
			event, request.Tokens, request.OnlyRelevant = briefing.AtPrompt, settings.Context.PromptTokens, true
			skip = func(m *memory.Memory) bool {
				at, ok := given[m.ID]
				return ok && !m.UpdatedAt.After(at)
			}
		case !last.IsZero(): // else it has nothing yet: it was begun without us
			event = briefing.AtResume
			skip = func(m *memory.Memory) bool { return !m.UpdatedAt.After(last) && !m.CreatedAt.After(last) }
		}
	}
	words := func(snap *memory.Snapshot) (*recall.Searcher, error) {
		return recall.Open(store.Cache(), snap, maxNewTexts)
	}
	request.Outdated = ReadMarks(store).Of
	block, request, err := MakeBlock(snap, words, settings, Asker{Agent: to.Agent, Project: to.Project, Session: to.ID, Query: to.Prompt}, request, skip)
	if err != nil || to.Late() {
		return "", err
	}
	note, used, use := store.Ops().NoteGiven, block.IDs(), ops.Use{At: snap.At, Session: to.ID, From: event}
	if event == briefing.AtPrompt {
		note, used = store.Ops().NoteRead, append(used, block.Again...)
	}
	noted := note(use, used...)
	if block.Text == "" {
		return "", noted
	}
	receipt := briefing.ReceiptOf(block, request, event)
	receipt.Session, receipt.Host = to.ID, to.Host
	return block.Text, errors.Join(noted, KeepReceipt(store, receipt))
}
