package ops

import (
	"errors"
	"fmt"
	"io/fs"
	"time"

	"github.com/memoryd/memoryd/pkg/internal/durable"
	"github.com/memoryd/memoryd/pkg/internal/jsonedit"
	"github.com/memoryd/memoryd/pkg/memory"
	"github.com/memoryd/memoryd/pkg/workspace/internal/accesslog"
)

// AccessFile is the access log: reads of memories that their records don't count yet, one
// JSON object a line. Reading a memory appends to it and writes no memory file; a plan to
// fold brings the counts into the records.
const AccessFile = accesslog.File

// Accessed appends reads of memories at a moment to the access log; from says
// through what they were read. It takes no lock and waits for nobody.
func (o *Ops) Accessed(at time.Time, from string, ids ...string) error {
	text := []byte("\n") // ends a line that an interrupted writer left
	for _, id := range ids {
		text = accesslog.Append(text, accesslog.Reads{ID: id, At: at.UTC(), From: from})
	}
	err := o.mayWrite()
	if err == nil {
		err = o.root.Append(AccessFile, text)
	}
	if errors.Is(err, fs.ErrNotExist) {
		if _, err = durable.MkdirAll(o.root, memory.OpsDir); err == nil {
			err = o.root.Append(AccessFile, text)
		}
	}
	if err != nil {
		return fmt.Errorf("count reads: %w", err)
	}
	return nil
}

// ReadAccess reads the access log; nothing where there is none.
func ReadAccess(root durable.FS) (accesslog.Log, error) {
	doc, _, err := root.Read(AccessFile, jsonedit.MaxSize)
	if errors.Is(err, fs.ErrNotExist) {
		return accesslog.Log{}, nil
	}
	return accesslog.Parse(doc), err
}
