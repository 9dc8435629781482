package workspace_test

import (
	"context"
	"errors"
	"fmt"
	"log"
	"os"
	"time"

	"github.com/memoryd/memoryd/fixtures"
	"github.com/memoryd/memoryd/pkg/config"
	"github.com/memoryd/memoryd/pkg/rules"
	"github.com/memoryd/memoryd/pkg/workspace"
)

// One run, from the files to the files, and back: open, load, plan, commit, undo.
func Example() {
	dir, err := os.MkdirTemp("", "workspace-")
	if err != nil {
		log.Fatal(err)
	}
	defer os.RemoveAll(dir)
	if err := fixtures.CopyTo(dir, fixtures.Small); err != nil {
		log.Fatal(err)
	}
	if err := consolidate(dir, time.Date(2026, 3, 1, 9, 0, 0, 0, time.UTC)); err != nil {
		log.Fatal(err)
	}
	// Output:
	// 29 memories
	// 12 actions planned, 0 skipped
	// 0 actions could not be taken back
}

func consolidate(dir string, now time.Time) (err error) {
	store, err := workspace.Open(dir)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, store.Close()) }()
	snapshot, err := store.Load(now)
	if err != nil {
		return err
	}
	fmt.Println(len(snapshot.Memories()), "memories")

	plan := rules.Plan(snapshot, rules.Request{Settings: config.Default(), LogHead: store.Log().Head()})
	result, err := store.Commit(context.Background(), &workspace.Tx{Plan: plan, Snapshot: snapshot, Started: now})
	if err != nil {
		return err
	}
	fmt.Println(len(plan.Actions), "actions planned,", len(result.Skipped), "skipped")

	undone, err := store.Undo(context.Background(), result.RunID, nil, now)
	if err != nil {
		return err
	}
	fmt.Println(len(undone.Skipped), "actions could not be taken back")
	return nil
}
