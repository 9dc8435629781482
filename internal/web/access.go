package web

import "context"

// Need is what a request takes, where not everybody may do everything: an access, such as "read", in some scope or in all of them.
type Need struct {
	Access     string
	Everywhere bool
}

// Guest is who is served, where not everybody may do everything. It is asked by several goroutines at a time.
type Guest interface {
	// May reports whether something is granted.
	May(Need) bool
	// Begin is called before a request is answered, and what it returns afterwards. Its error is why the request is not to be answered.
	Begin(ctx context.Context, need Need, writes bool) (end func(), err error)
	// Refresh brings along what others have written.
	Refresh(context.Context) error
}

// What requests need. The log, versions, receipts and figures of runs tell of all memories; so does an undo.
var (
	reads    = Need{"read", false}
	readsAll = Need{"read", true}
	writes   = Need{"write", false}
	reviews  = Need{"review", false}
	runs     = Need{"run", false}
	undoes   = Need{"run", true}
	sets     = Need{"admin", true}
)

// documentsOfAll tell of all memories.
var documentsOfAll = map[string]bool{"log": true, "receipts": true, "trends": true, "check": true, "history": true}
