package merge

import (
	"path"
	"strings"

	"github.com/memoryd/memoryd/pkg/memory"
	"github.com/memoryd/memoryd/pkg/oplog"
)

// logsDir holds the logs of machines, and those of branches that were merged into them.
const logsDir = "ops/logs"

// mergeLog unites a log that was continued on two branches: one side goes on under its name, the entries of the other one are a log beside
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
		r.Beside = map[string][]byte{branchName(name, united.First): united.Branch}
	}
	return r, nil
}

// branchName is where the entries of a branch stand: beside the log of the machine, under its name and the beginning of the hash of the
// first entry. No machine has a "+" in its name.
func branchName(name, first string) string {
	dir := path.Dir(name)
	if is(name, memory.LogFile) {
		dir = path.Join(dir, path.Base(logsDir))
	}
	machine, _, _ := strings.Cut(strings.TrimSuffix(path.Base(name), ".json"), "+")
	return path.Join(dir, machine+"+"+first[:8]+".json")
}
