package journal

import (
	"bytes"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"strings"
	"sync"

	"github.com/memoryd/memoryd/pkg/internal/durable"
)

// ErrDamaged: a record of a run isn't what was written.
var ErrDamaged = errors.New("damaged")

// room is that of the checksum and the end of its line, before what it is of.
const room = 2*sha256.Size + 1

// Seal writes a record with its checksum in the first line.
func Seal(v any) ([]byte, error) {
	doc := bytes.NewBuffer(make([]byte, room, 4<<10))
	if err := json.NewEncoder(doc).Encode(v); err != nil {
		return nil, err
	}
	sealed := bytes.TrimSuffix(doc.Bytes(), []byte("\n"))
	copy(sealed, durable.Sum(sealed[room:])+"\n")
	return sealed, nil
}

// Unseal reads a record and compares its checksum.
func Unseal(name string, doc []byte, v any) error {
	body, err := opened(name, doc)
	if err != nil {
		return err
	}
	return unmarshal(name, body, v)
}

func unmarshal(name string, body []byte, v any) error {
	if err := json.Unmarshal(body, v); err != nil {
		return fmt.Errorf("%s: %w: %w", name, ErrDamaged, err)
	}
	return nil
}

// ReadOf reads the record of a run that may concern a memory; ok is false, and nothing is read
// but its checksum, where the record has no operation on it.
func ReadOf(root durable.FS, name, id string, run *Run) (ok bool, err error) {
	doc, _, err := root.Read(name, durable.MaxSize)
	if err != nil {
		return false, err
	}
	body, err := opened(name, doc)
	if err != nil {
		return false, err
	}
	as, err := json.Marshal(id)
	if err != nil || !bytes.Contains(body, append([]byte(`"id":`), as...)) {
		return false, err
	}
	return true, unmarshal(name, body, run)
}

// opened is what a record holds, if its checksum matches.
func opened(name string, doc []byte) ([]byte, error) {
	sum, body, ok := bytes.Cut(doc, []byte("\n"))
	if !ok || string(sum) != durable.Sum(body) {
		return nil, damaged(name)
	}
	return body, nil
}

func damaged(name string) error {
	return fmt.Errorf("%s: %w: its checksum doesn't match", name, ErrDamaged)
}

// Check is Read for whoever asks only whether a record is what was written: it isn't held whole.
func Check(root durable.FS, name string) error {
	head, sum, err := durable.HashAfter(root, name, room)
	if err == nil && string(head) != sum+"\n" {
		err = damaged(name)
	}
	return err
}

// Read is [Unseal] of a file; an error of the disk is given as it is.
func Read(root durable.FS, name string, v any) error {
	doc, _, err := root.Read(name, durable.MaxSize)
	if err != nil {
		return err
	}
	return Unseal(name, doc, v)
}

// Names of the records of runs, and of what they could not give back.
const (
	RunsDir      = "ops/runs"
	ConflictsDir = "ops/conflicts"
	File         = "journal.json"
	DoneFile     = "done.json"
	DeferredFile = "deferred.json"
	ListedFile   = "listed.json"
	// TrashPrefix begins the names of records that are being removed.
	TrashPrefix = ".trash-"
)

// Dir is the directory of a run's records.
func Dir(run string) string { return RunsDir + "/" + run }

// Runs lists the runs that have records; trash are records that are being removed.
func Runs(root durable.FS) (names, trash []string, err error) {
	entries, err := root.ReadDir(RunsDir)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil, nil
	}
	for _, e := range entries {
		switch {
		case e.Kind != durable.Dir:
		case strings.HasPrefix(e.Name, TrashPrefix):
			trash = append(trash, e.Name)
		case strings.HasPrefix(e.Name, "."):
		default:
			names = append(names, e.Name)
		}
	}
	return names, trash, err
}

// Finished reports whether a run has its last record.
func Finished(root durable.FS, run string) (bool, error) {
	return durable.Exists(root, Dir(run)+"/"+DoneFile)
}

// Committed reports whether a run has its journal.
func Committed(root durable.FS, run string) (bool, error) {
	return durable.Exists(root, Dir(run)+"/"+File)
}

// Ended remembers the runs that a process has found finished: they stay so.
type Ended = sync.Map

// Unfinished lists those of some runs that were committed and not finished. What is remembered to have ended, if anything
// is, isn't looked at again.
func Unfinished(root durable.FS, runs []string, ended *Ended) (open []string, err error) {
	for _, run := range runs {
		if done, err := finished(root, run, ended); err != nil {
			return open, err
		} else if done {
			continue
		}
		if committed, err := Committed(root, run); err != nil {
			return open, err
		} else if committed {
			open = append(open, run)
		}
	}
	return open, nil
}

// Left lists those of some runs that have no last record, committed or not; see [Unfinished].
func Left(root durable.FS, runs []string, ended *Ended) (left []string, err error) {
	for _, run := range runs {
		if done, err := finished(root, run, ended); err != nil {
			return left, err
		} else if !done {
			left = append(left, run)
		}
	}
	return left, nil
}

func finished(root durable.FS, run string, ended *Ended) (bool, error) {
	if ended != nil {
		if _, ok := ended.Load(run); ok {
			return true, nil
		}
	}
	done, err := Finished(root, run)
	if done && ended != nil {
		ended.Store(run, true)
	}
	return done, err
}
