package merge

import (
	"bytes"
	"errors"
	"fmt"
	"path"
	"strings"

	"github.com/tidwall/gjson"

	"github.com/memoryd/memoryd/pkg/internal/jsonedit"
	"github.com/memoryd/memoryd/pkg/memory"
	"github.com/memoryd/memoryd/pkg/oplog"
)

// Why a merge was refused; the errors that wrap these say what of.
var (
	ErrNotJSON       = errors.New("not valid JSON")
	ErrDuplicate     = errors.New("found more than once")
	ErrChained       = errors.New("both sides continued a log, whose entries are chained, and one of them in a new file")
	ErrContradiction = errors.New("both sides changed a value, and the document holds no memory that could note it")
)

// Result is what became of a merge.
type Result struct {
	Doc       []byte // nil: the document is gone
	Conflicts int    // noted by this merge
	// Others are further documents by their names, each merged with what is there: of a log that both sides
	// continued the entries that Doc lacks.
	Others map[string][]byte
}

// Documents merges what two sides made of the document with a name: its path in the workspace, or in a tree that the workspace lies in. A nil document is one that isn't
// there. The documents are not changed; the result may share memory with them.
func Documents(name string, base, ours, theirs []byte) (Result, error) {
	switch {
	case equal(ours, theirs), equal(theirs, base):
		return Result{Doc: ours}, nil
	case equal(ours, base):
		return Result{Doc: theirs}, nil
	}
	k := kindOf(name)
	if k.merge == nil {
		k.merge = mergeJSON
	}
	result, err := k.merge(name, base, ours, theirs)
	if err != nil {
		return Result{}, fmt.Errorf("merge %s: %w", name, err)
	}
	return result, nil
}

// equal tells a document that is empty from one that isn't there.
func equal(a, b []byte) bool { return (a == nil) == (b == nil) && bytes.Equal(a, b) }

// kind says how documents of some names are merged.
type kind struct {
	fits  func(name string) bool
	merge func(name string, base, ours, theirs []byte) (Result, error)
}

// kinds by name; the first that fits counts. Whatever else there is, is read as JSON that may hold memories.
var kinds = []kind{
	{func(n string) bool { return strings.HasSuffix(n, ".jsonl") }, mergeLines},
	{func(n string) bool { return within(n, logsDir, "ops/archive") || is(n, memory.LogFile) }, mergeLog},
	{func(n string) bool { return within(n, "ops/reviews") || is(n, memory.ReviewFile) }, mergeReview},
	{func(n string) bool { return within(n, "ops/edges") || path.Base(n) == memory.EdgesFile }, mergeEdges},
	{func(n string) bool { return path.Base(n) == memory.IndexFile }, mergeIndex},
}

func kindOf(name string) kind {
	for _, k := range kinds {
		if k.fits(name) {
			return k
		}
	}
	return kind{}
}

// within reports whether a file stands in one of some directories of a workspace.
func within(name string, dirs ...string) bool {
	for _, dir := range dirs {
		if is(path.Dir(name), dir) {
			return true
		}
	}
	return false
}

// is reports whether a path is one of a workspace, which may lie in a directory of the tree that the path begins at.
func is(name, path string) bool { return name == path || strings.HasSuffix(name, "/"+path) }

// triple is a value as base, ours and theirs have it.
type triple struct{ b, x, y gjson.Result }

// read passes three documents through the gate. One that isn't there gives a value that doesn't exist.
func read(base, ours, theirs []byte) (t triple, err error) {
	for _, side := range []struct {
		name string
		doc  []byte
		into *gjson.Result
	}{{"base", base, &t.b}, {"ours", ours, &t.x}, {"theirs", theirs, &t.y}} {
		if side.doc == nil {
			continue
		}
		if err := jsonedit.Check(side.doc); err != nil {
			return t, fmt.Errorf("%w: %s: %w", ErrNotJSON, side.name, err)
		}
		*side.into, _ = jsonedit.Get(side.doc)
	}
	return t, nil
}

// mergeJSON merges a memory, a collection, or any other JSON.
func mergeJSON(_ string, base, ours, theirs []byte) (Result, error) {
	t, err := read(base, ours, theirs)
	if err != nil {
		return Result{}, err
	}
	m := &merger{}
	var raw []byte
	if memory.IsRecord(t.x) || memory.IsRecord(t.y) {
		raw, err = m.record(t)
	} else {
		raw, err = m.outside(t)
	}
	if err != nil {
		return Result{}, err
	}
	doc, err := framed(t, ours, theirs, raw)
	return Result{Doc: doc, Conflicts: m.noted}, err
}

// framed puts a value into the document that gives the form: what surrounds it stays.
func framed(t triple, ours, theirs, raw []byte) ([]byte, error) {
	doc := ours
	if x, y := string(ours), string(theirs); t.x.Raw == t.y.Raw && x < y || t.x.Raw != t.y.Raw && !t.oursNewer() {
		doc = theirs
	}
	start, end := jsonedit.Span(doc)
	out := make([]byte, 0, len(doc)-(end-start)+len(raw))
	out = append(append(append(out, doc[:start]...), raw...), doc[end:]...)
	if err := jsonedit.Check(out); err != nil {
		return nil, fmt.Errorf("the result: %w", err) // too deep, or too large
	}
	return out, nil
}

// logsDir holds the logs of machines, and those of branches that were merged into them.
const logsDir = "ops/logs"

// mergeLog unites a log that was continued on two branches: one side goes on under its name, the entries of the other one are a log next to
// it. A log whose parts were put away is left to the caller.
func mergeLog(name string, _, ours, theirs []byte) (Result, error) {
	if ours == nil || theirs == nil || within(name, "ops/archive") {
		return Result{}, ErrChained
	}
	united, err := oplog.Unite(ours, theirs)
	if err != nil {
		return Result{}, ErrChained
	}
	r := Result{Doc: united.Doc}
	if united.Branch != nil {
		r.Others = map[string][]byte{branchName(name, united.First): united.Branch}
	}
	return r, nil
}

// branchName is where the entries of a branch stand: next to the log of the machine, under its name and the beginning of the hash of the
// first entry. No machine has a "+" in its name.
func branchName(name, first string) string {
	dir := path.Dir(name)
	if is(name, memory.LogFile) {
		dir = path.Join(dir, path.Base(logsDir))
	}
	machine, _, _ := strings.Cut(strings.TrimSuffix(path.Base(name), ".json"), "+")
	return path.Join(dir, machine+"+"+first[:8]+".json")
}
