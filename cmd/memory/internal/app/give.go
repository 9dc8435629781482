package app

import (
	"time"

	"github.com/memoryd/memoryd/pkg/briefing"
	"github.com/memoryd/memoryd/pkg/config"
	"github.com/memoryd/memoryd/pkg/memory"
	"github.com/memoryd/memoryd/pkg/recall"
	"github.com/memoryd/memoryd/pkg/workspace"
)

// BlockSession is a session of a host that is given memories unasked.
type BlockSession struct {
	ID, Host, Project string
	Prompt            string      // "" at the start
	Resumes           bool        // it starts once more, with its context as it was
	Late              func() bool // whether nobody waits for it any more
}

// maxNewTexts is how many texts that are new to the index of words are read while a host
// waits.
const maxNewTexts = 2000

// GiveBlock writes the context block of a session, "" for none, and a receipt of it: at the
// start of the session what matters most, beside a prompt what is relevant to it. A memory that
// is in the session's context already is not given again. If the receipt can't be written, the
// block is returned with the error. If the index of words has to be made first, the error is
// [recall.ErrTooMuch] and nothing is given.
func GiveBlock(store *workspace.FileStore, settings config.Settings, at time.Time, to BlockSession) (string, error) {
	if !settings.Context.Inject || to.Prompt != "" && len(longWords(to.Prompt)) == 0 {
		return "", nil // not wanted, or a prompt such as "ok", which asks for nothing
	}
	snap, err := store.Load(at.UTC().Truncate(time.Second))
	if err != nil {
		return "", err
	}
	request := briefing.Request{Format: briefing.XML, Tokens: settings.Context.TokenBudget, Chars: settings.Context.MaxChars}
	event := briefing.AtStart
	var without map[string]bool
	if to.Prompt != "" || to.Resumes {
		receipts, err := Receipts(store)
		if err != nil {
			return "", err
		}
		without = briefing.GivenTo(to.ID, receipts)
		event = briefing.AtResume
	}
	if to.Prompt != "" {
		request.Tokens, request.OnlyRelevant, event = settings.Context.PromptTokens, true, briefing.AtPrompt
	}
	words := func(snap *memory.Snapshot) (*recall.Searcher, error) { return recall.Open(store, snap, maxNewTexts) }
	block, request, err := MakeBlock(snap, words, settings, Asker{Project: to.Project, Session: to.ID, Query: to.Prompt}, request, without)
	if err != nil || block.Text == "" || to.Late() {
		return "", err
	}
	receipt := briefing.ReceiptOf(block, request, event)
	receipt.Session, receipt.Host = to.ID, to.Host
	return block.Text, KeepReceipt(store, receipt)
}
