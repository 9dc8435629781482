package provider

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"sync"
	"time"
)

// Receipt says what was asked of whom, and what it took. It holds no texts.
type Receipt struct {
	ID        string    `json:"id"` // of the request: its reservation and its settlement have the same
	At        time.Time `json:"at"`
	RunID     string    `json:"run_id,omitempty"`
	Task      string    `json:"task"`
	Provider  string    `json:"provider"`
	Model     string    `json:"model"`
	Host      string    `json:"host"`
	Scope     string    `json:"scope,omitempty"`
	IDs       []string  `json:"ids,omitempty"`
	Key       string    `json:"key"`
	TokensIn  int       `json:"tokens_in"`
	TokensOut int       `json:"tokens_out"`
	Cached    int       `json:"tokens_cached,omitempty"` // of TokensIn
	Estimated bool      `json:"estimated,omitempty"`     // the server reported no usage, or there is no answer yet
	Cost      float64   `json:"cost,omitempty"`
	MS        int64     `json:"ms"`
	Tries     int       `json:"tries"` // 1, or 2 for a repetition
	Outcome   Outcome   `json:"outcome"`
}

// Tokens are those that a receipt counts against a budget.
func (r *Receipt) Tokens() int { return r.TokensIn + r.TokensOut }

func (r *Receipt) setUsage(e *Endpoint, u Usage) {
	r.TokensIn, r.TokensOut, r.Cached = u.In, u.Out, u.Cached
	r.Cost, _ = e.cost(u)
}

// Journal keeps receipts, one line of JSON each.
type Journal interface {
	// Update calls add with all that the journal holds of today while nobody else writes to it, and appends the line that add
	// returns. An error of add is returned, and nothing is written.
	Update(ctx context.Context, add func(all []byte) (line []byte, err error)) error
}

// Limits are budgets; 0 is no limit.
type Limits struct {
	RunTokens, DayTokens int
	RunCost, DayCost     float64
}

// Ledger counts what requests take against budgets. A day is one of UTC. It may be used by several goroutines, and its journal by
// several processes: the sum of what is reserved and what was spent never exceeds a limit.
type Ledger struct {
	Journal Journal
	RunID   string
	Limits  Limits
	Now     func() time.Time

	mu       sync.Mutex
	read     int // bytes of the journal
	receipts map[string]Receipt
	order    []string // ids of the requests that this ledger has noted
	own      map[string]Receipt
}

// Own lists the receipts that this ledger has noted, in order: those of a run, where each run has a ledger.
func (l *Ledger) Own() []Receipt {
	l.mu.Lock()
	defer l.mu.Unlock()
	all := make([]Receipt, len(l.order))
	for i, id := range l.order {
		all[i] = l.own[id]
	}
	return all
}

// note keeps a receipt that the journal has taken.
func (l *Ledger) note(r Receipt) {
	if l.own == nil {
		l.own = map[string]Receipt{}
	}
	if _, ok := l.own[r.ID]; !ok {
		l.order = append(l.order, r.ID)
	}
	l.own[r.ID] = r
}

// ReadReceipts reads the lines of a journal: the last of each request, in the order in which they were made. Lines that are none
// are passed over.
func ReadReceipts(journal []byte) []Receipt {
	var all []Receipt
	at := map[string]int{}
	for line := range bytes.Lines(journal) {
		var r Receipt
		if json.Unmarshal(line, &r) != nil || r.ID == "" {
			continue
		}
		if i, ok := at[r.ID]; ok {
			all[i] = r
			continue
		}
		at[r.ID] = len(all)
		all = append(all, r)
	}
	return all
}

// reserve notes a request before it is sent. The error is a [*BudgetError] if a limit leaves no room for it.
func (l *Ledger) reserve(ctx context.Context, r Receipt, costKnown bool) error {
	return l.update(ctx, r, func() error { return l.afford(&r, costKnown) })
}

// settle notes what a request took.
func (l *Ledger) settle(r Receipt) error {
	// The answer is paid for: that is noted even if the caller has lost interest.
	return l.update(context.Background(), r, func() error { return nil })
}

// update appends a receipt to the journal if it may stand there.
func (l *Ledger) update(ctx context.Context, r Receipt, may func() error) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	err := l.Journal.Update(ctx, func(all []byte) ([]byte, error) {
		l.take(all)
		if err := may(); err != nil {
			return nil, err
		}
		line, err := json.Marshal(r)
		return append(line, '\n'), err
	})
	if err == nil {
		l.note(r)
	}
	return err
}

// take reads what the journal has gained.
func (l *Ledger) take(all []byte) {
	if l.receipts == nil || len(all) < l.read {
		l.read, l.receipts = 0, map[string]Receipt{}
	}
	for _, r := range ReadReceipts(all[l.read:]) {
		l.receipts[r.ID] = r
	}
	l.read = len(all)
}

// afford reports the budget that a receipt would exceed.
func (l *Ledger) afford(r *Receipt, costKnown bool) error {
	var run, day struct {
		tokens int
		cost   float64
	}
	for _, other := range l.receipts {
		if other.RunID == l.RunID {
			run.tokens, run.cost = run.tokens+other.Tokens(), run.cost+other.Cost
		}
		if sameDay(other.At, r.At) {
			day.tokens, day.cost = day.tokens+other.Tokens(), day.cost+other.Cost
		}
	}
	for _, b := range []struct {
		name         string
		limit, spent int
	}{{"run_tokens", l.Limits.RunTokens, run.tokens}, {"day_tokens", l.Limits.DayTokens, day.tokens}} {
		if b.limit > 0 && b.spent+r.Tokens() > b.limit {
			return &BudgetError{b.name, fmt.Sprintf("up to %d tokens", r.Tokens()), fmt.Sprint(max(b.limit-b.spent, 0))}
		}
	}
	for _, b := range []struct {
		name         string
		limit, spent float64
	}{{"run_cost", l.Limits.RunCost, run.cost}, {"day_cost", l.Limits.DayCost, day.cost}} {
		switch {
		case b.limit <= 0:
		case !costKnown:
			return &BudgetError{b.name, "an unknown cost (set the price of " + r.Model + " in [model.prices])", fmt.Sprintf("%.4f", max(b.limit-b.spent, 0))}
		case b.spent+r.Cost > b.limit:
			return &BudgetError{b.name, fmt.Sprintf("up to %.4f", r.Cost), fmt.Sprintf("%.4f", max(b.limit-b.spent, 0))}
		}
	}
	return nil
}

func sameDay(a, b time.Time) bool {
	return a.UTC().Format(time.DateOnly) == b.UTC().Format(time.DateOnly)
}
