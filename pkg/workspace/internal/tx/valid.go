package tx

import (
	"errors"
	"fmt"
	"io/fs"
	"strings"

	"github.com/tidwall/gjson"

	"github.com/memoryd/memoryd/pkg/memory"
)

// Check says what is wrong with a transaction whatever is on the disk. Whoever makes plans by hand is told before anything is locked.
func (t *Tx) Check() error {
	if t == nil || t.Plan == nil {
		return errors.New("the transaction has no plan: rules.Plan or memory.Command makes one")
	}
	plan := t.Plan
	switch {
	case !fs.ValidPath(plan.RunID) || plan.RunID == "." || strings.ContainsAny(plan.RunID, `/\"`):
		return fmt.Errorf("the run id %q can't name a directory", plan.RunID)
	case plan.At.IsZero(): // its entry could not be logged
		return fmt.Errorf("apply %s: the plan has no time", plan.RunID)
	}
	for i := range plan.Actions {
		a := &plan.Actions[i]
		for j := range a.Ops {
			if err := checkOp(&a.Ops[j]); err != nil {
				return fmt.Errorf("apply %s: action %d, %s: %q of %q: %w", plan.RunID, i+1, a.Type, a.Ops[j].Kind, a.Ops[j].ID, err)
			}
		}
		for _, o := range a.Originals {
			if !fs.ValidPath(o.File) || !strings.HasPrefix(o.File, memory.OriginalDir+"/") {
				return fmt.Errorf("apply %s: action %d, %s: original: %q isn't the name of a file below %s", plan.RunID, i+1, a.Type, o.File, memory.OriginalDir)
			}
		}
	}
	return nil
}

func checkOp(op *memory.Op) error {
	var places []memory.Ref
	needsRecord := true
	switch op.Kind {
	case memory.Put:
		places = []memory.Ref{op.Ref}
	case memory.Create:
		places = []memory.Ref{op.To}
		if !op.To.Whole() {
			return errors.New("a new memory needs a file of its own")
		}
	case memory.Move:
		places, needsRecord = []memory.Ref{op.Ref, op.To}, op.Raw != nil
	case memory.Remove:
		places, needsRecord = []memory.Ref{op.Ref}, false
	default:
		return errors.New("unknown kind of change")
	}
	for _, at := range places {
		if !fs.ValidPath(at.File) || at.File == "." || strings.HasPrefix(at.File, memory.OpsDir+"/") {
			return fmt.Errorf("%q isn't the name of a file for memories in the workspace", at.File)
		}
		if at.Index < 0 {
			return fmt.Errorf("%d isn't a place in %s", at.Index, at.File)
		}
	}
	if len(op.Raw) == 0 && op.Base == "" && op.Kind != memory.Create {
		return nil // the file had changed when the plan was made: the commit skips the action
	}
	if needsRecord && !(gjson.ValidBytes(op.Raw) && gjson.ParseBytes(op.Raw).IsObject()) {
		return errors.New("the record isn't a JSON object")
	}
	return nil
}
