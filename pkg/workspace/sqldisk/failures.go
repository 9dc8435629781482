package sqldisk

import (
	"context"
	"errors"
	"fmt"
	"time"
)

// Failure is a run of a slot that came to nothing. It is kept when the slot has been done since.
type Failure struct {
	Slot
	Attempt int // 1 is the first; after [MaxFailures] the slot was given up
	At      time.Time
	Error   string
}

// keptFailures is how many of a workspace are kept, the latest.
const keptFailures = 50

// noteFailure keeps a failure, and forgets those for which there is no room.
func noteFailure(ctx context.Context, db *DB, q querier, f Failure) error {
	_, err := q.ExecContext(ctx, db.dialect(`insert into failure (ws, schedule, slot, attempt, error, failed_at) values (?, ?, ?, ?, ?, ?)
		on conflict (ws, schedule, slot, attempt) do update set error = excluded.error, failed_at = excluded.failed_at`),
		f.Workspace, f.Schedule, f.Slot.Slot, f.Attempt, f.Error, milli(f.At))
	if err != nil {
		return err
	}
	_, err = q.ExecContext(ctx, db.dialect(`delete from failure where ws = ? and (schedule, slot, attempt) not in
		(select schedule, slot, attempt from failure where ws = ? order by failed_at desc, schedule, slot, attempt desc limit ?)`), f.Workspace, f.Workspace, keptFailures)
	return err
}

// Failures lists the last failed runs of a workspace, up to 50, the latest first.
func (db *DB) Failures(ctx context.Context, ws string) (all []Failure, err error) {
	err = db.reading(ctx, worker, ws, func(q querier) (err error) {
		if err := mustExist(ctx, db, q, ws); err != nil {
			return err
		}
		rows, err := q.QueryContext(ctx, db.dialect("select schedule, slot, attempt, error, failed_at from failure where ws = ? order by failed_at desc, schedule, slot, attempt desc"), ws)
		if err != nil {
			return err
		}
		defer func() { err = errors.Join(err, rows.Close()) }()
		for rows.Next() {
			f := Failure{Slot: Slot{Workspace: ws}}
			var at int64
			if err := rows.Scan(&f.Schedule, &f.Slot.Slot, &f.Attempt, &f.Error, &at); err != nil {
				return err
			}
			f.At = ofMilli(at)
			all = append(all, f)
		}
		return rows.Err()
	})
	if err != nil {
		return nil, fmt.Errorf("list the failed runs of %s: %w", ws, err)
	}
	return all, nil
}
