package sqldisk

import (
	"context"
	"crypto/rand"
	"database/sql"
	"errors"
	"fmt"
	"hash/fnv"
	"time"
)

// Slot is one time of one schedule of a workspace. It is done once.
type Slot struct {
	Workspace string
	Schedule  string // the name of the schedule
	Slot      string // which of its times: any text that tells it from the others
}

func (s Slot) String() string { return s.Workspace + " " + s.Schedule + " " + s.Slot }

// Next is a slot to come.
type Next struct {
	Slot string
	At   time.Time // when it is run, at the earliest; zero: there is none, the schedule has ended
}

// Errors of claims, to be told apart with errors.Is.
var (
	// ErrLease: the run took longer than its lease, and somebody else has it by now.
	ErrLease = errors.New("the lease has run out")
	// ErrBusy: documents changed again and again while the run was made.
	ErrBusy = errors.New("the workspace kept changing while the run was made")
)

// Lease is how long a claim without a transaction is held when nobody renews it.
const Lease = time.Minute

// MaxFailures is how often a slot is tried before it is given up.
const MaxFailures = 3

// attempts is how often a run is made again because the documents have changed meanwhile.
const attempts = 5

// Claim is a slot that this process is to run.
type Claim struct {
	Slot
	Failures int // of earlier attempts

	db      *DB
	tx      *sql.Tx // holds the row of due; nil: the lease does
	lease   string
	renewed time.Duration
}

// Plan sets which slot of a schedule comes next, in place of what was set before; a slot that is
// done stays done.
func (db *DB) Plan(ctx context.Context, ws, schedule string, next Next) error {
	err := db.within(ctx, worker, ws, func(q querier) error {
		_, err := q.ExecContext(ctx, db.dialect(`insert into due (ws, schedule, slot, next_at) values (?, ?, ?, ?)
			on conflict (ws, schedule) do update set slot = excluded.slot, next_at = excluded.next_at, failures = 0, error = ''`), ws, schedule, next.Slot, milli(next.At))
		return err
	})
	if err != nil {
		return fmt.Errorf("plan %s of %s: %w", schedule, ws, err)
	}
	return nil
}

// Offer sets which slot of a schedule comes next, if none is set or being run; offered tells whether it was.
func (db *DB) Offer(ctx context.Context, ws, schedule string, next Next) (offered bool, err error) {
	err = db.within(ctx, worker, ws, func(q querier) error {
		result, err := q.ExecContext(ctx, db.dialect("insert into due (ws, schedule, slot, next_at) values (?, ?, ?, ?) on conflict (ws, schedule) do nothing"),
			ws, schedule, next.Slot, milli(next.At))
		if err != nil {
			return err
		}
		n, err := result.RowsAffected()
		offered = n == 1
		return err
	})
	if err != nil {
		return false, fmt.Errorf("offer %s of %s: %w", schedule, ws, err)
	}
	return offered, nil
}

// Claim takes the slot that has been due for longest and that nobody else holds; nil where there
// is none. In PostgreSQL its row is locked until [Claim.Run] ends, and let go at once when this
// process dies. With a lease, which is for runs that wait for something outside, and always in
// SQLite, it is held for [Lease] and renewed while it runs.
func (db *DB) Claim(ctx context.Context, now time.Time, lease bool) (_ *Claim, err error) {
	tx, err := db.begin(context.WithoutCancel(ctx), worker, "")
	if err != nil {
		return nil, fmt.Errorf("look for what is due: %w", err)
	}
	c := &Claim{db: db, renewed: Lease}
	err = tx.QueryRowContext(ctx, db.dialect(`select ws, schedule, slot, failures from due where next_at <= ? and lease_until < ?
		order by next_at, ws, schedule limit 1 for update skip locked`), milli(now), milli(now)).Scan(&c.Workspace, &c.Schedule, &c.Slot.Slot, &c.Failures)
	if errors.Is(err, sql.ErrNoRows) {
		return nil, rollback(tx)
	}
	switch {
	case err != nil:
	case lease || !db.postgres:
		c.lease = rand.Text()
		if _, err = tx.ExecContext(ctx, db.dialect("update due set lease = ?, lease_until = ? where ws = ? and schedule = ?"), c.lease, milli(now.Add(Lease)), c.Workspace, c.Schedule); err == nil {
			err = tx.Commit()
		}
	default:
		c.tx, err = tx, become(ctx, tx, worker, c.Workspace)
	}
	if err != nil {
		return nil, errors.Join(fmt.Errorf("claim what is due: %w", err), rollback(tx))
	}
	return c, nil
}

// Run makes the run and everything that comes of it true in one transaction: what do has changed
// on the disk, the mark that the slot is done, under the run's name, and the slot that comes next.
// Where documents have changed meanwhile it is made again, from what stands now. After an error
// nothing has happened, and [Claim.Fail] says so to the next one who tries.
//
// The disk is one of memory; its writer's lock is held by nobody else.
func (c *Claim) Run(ctx context.Context, do func(context.Context, *Disk) (run string, next Next, err error)) error {
	for range attempts {
		moved, err := c.try(ctx, do)
		if err != nil {
			return fmt.Errorf("run %s: %w", c.Slot, errors.Join(err, c.drop()))
		}
		if !moved {
			return nil
		}
		if c.tx == nil { // it may have changed because the lease has run out, and another one has done the slot
			if err := c.hold(ctx); err != nil {
				return fmt.Errorf("run %s: %w", c.Slot, err)
			}
		}
	}
	return fmt.Errorf("run %s: %w", c.Slot, errors.Join(ErrBusy, c.drop()))
}

// drop lets go of the row of due.
func (c *Claim) drop() error {
	if c.tx == nil {
		return nil
	}
	return rollback(c.tx)
}

func (c *Claim) try(ctx context.Context, do func(context.Context, *Disk) (string, Next, error)) (moved bool, err error) {
	d := newDisk(c.db, c.Workspace)
	d.detached.Add(1)
	if c.tx != nil {
		err = d.pull(ctx, c.tx)
	} else {
		err = d.Refresh(ctx)
	}
	if err != nil {
		return false, err
	}
	working, stop := c.keep(ctx)
	run, next, err := do(working, d)
	if lost := stop(); err == nil {
		err = lost
	}
	if err != nil {
		return false, err
	}
	return c.finish(ctx, d, run, next)
}

// keep holds the claim while the run is made: the transaction must not look idle, and the lease
// is renewed. The context that it returns ends when the claim is lost, and stop tells why.
func (c *Claim) keep(ctx context.Context) (_ context.Context, stop func() error) {
	working, cancel := context.WithCancelCause(ctx)
	every, ended := patience/6, make(chan struct{})
	go func() {
		defer close(ended)
		tick := time.NewTicker(every)
		defer tick.Stop()
		for {
			select {
			case <-working.Done():
				return
			case <-tick.C:
				if err := c.hold(ctx); err != nil {
					cancel(err)
				}
			}
		}
	}()
	return working, func() error {
		lost := context.Cause(working)
		cancel(nil)
		<-ended
		return lost
	}
}

func (c *Claim) hold(ctx context.Context) error {
	if c.tx != nil {
		_, err := c.tx.ExecContext(ctx, "select 1")
		return err
	}
	return c.db.within(ctx, worker, c.Workspace, func(q querier) error {
		return one(q.ExecContext(ctx, c.db.dialect("update due set lease_until = ? where ws = ? and schedule = ? and lease = ?"),
			milli(time.Now().Add(c.renewed)), c.Workspace, c.Schedule, c.lease))
	})
}

// one is the error of a statement that must change one row, and did not: the lease is another's.
func one(result sql.Result, err error) error {
	if err != nil {
		return err
	}
	n, err := result.RowsAffected()
	if err == nil && n != 1 {
		err = ErrLease
	}
	return err
}

// finish checks in; moved tells that the documents have changed, and nothing was written.
func (c *Claim) finish(ctx context.Context, d *Disk, run string, next Next) (moved bool, err error) {
	now, err := d.finished()
	if err != nil {
		return false, err
	}
	tx := c.tx
	if tx == nil {
		if tx, err = c.db.begin(ctx, worker, c.Workspace); err != nil {
			return false, err
		}
		defer func() { err = errors.Join(err, rollback(tx)) }()
	}
	current, err := c.checkIn(ctx, tx, d, difference(d.base, now))
	if err != nil || !current {
		return err == nil, err
	}
	if err := c.move(ctx, tx, run, "", next, ""); err != nil {
		return false, err
	}
	if err := tx.Commit(); err != nil {
		if done, lost := c.done(ctx, run); lost != nil || !done {
			return false, errors.Join(err, lost)
		}
	}
	return false, nil
}

// checkIn locks the workspace and writes documents, if it is at the revision that was checked out.
func (c *Claim) checkIn(ctx context.Context, q querier, d *Disk, all []change) (current bool, err error) {
	if len(all) == 0 {
		revision, err := c.db.lockRow(ctx, q, c.Workspace)
		return revision == d.revision, err
	}
	current, err = advance(ctx, c.db, q, c.Workspace, d.revision)
	if err == nil && current {
		err = writeDocuments(ctx, c.db, q, c.Workspace, d.revision+1, all)
	}
	return current, err
}

// move notes a slot as done, or as given up with an error, and sets the next one.
func (c *Claim) move(ctx context.Context, q querier, run, failed string, next Next, shown string) error {
	if _, err := q.ExecContext(ctx, c.db.dialect("insert into slot (ws, schedule, slot, run, error, done_at) values (?, ?, ?, ?, ?, ?)"),
		c.Workspace, c.Schedule, c.Slot.Slot, run, failed, milli(time.Now())); err != nil {
		return err
	}
	if next.At.IsZero() {
		return one(q.ExecContext(ctx, c.db.dialect("delete from due where ws = ? and schedule = ? and slot = ? and lease = ?"), c.Workspace, c.Schedule, c.Slot.Slot, c.lease))
	}
	return one(q.ExecContext(ctx, c.db.dialect(`update due set slot = ?, next_at = ?, failures = 0, error = ?, lease = '', lease_until = 0
		where ws = ? and schedule = ? and slot = ? and lease = ?`), next.Slot, milli(next.At), shown, c.Workspace, c.Schedule, c.Slot.Slot, c.lease))
}

// done reports whether the slot has been done by a run of that name: what has become of a
// transaction whose answer was lost.
func (c *Claim) done(ctx context.Context, run string) (done bool, err error) {
	err = c.db.reading(context.WithoutCancel(ctx), worker, c.Workspace, func(q querier) error {
		return q.QueryRowContext(ctx, c.db.dialect("select count(*) > 0 from slot where ws = ? and schedule = ? and slot = ? and run = ? and error = ''"),
			c.Workspace, c.Schedule, c.Slot.Slot, run).Scan(&done)
	})
	return done, err
}

// Fail notes why a run came to nothing. It is tried again at a time; after [MaxFailures] attempts
// the slot is given up, and the next slot comes as planned. [DB.Failures] tells of both.
func (c *Claim) Fail(ctx context.Context, cause error, again time.Time, next Next) (givenUp bool, err error) {
	ctx = context.WithoutCancel(ctx)
	err = errors.Join(c.drop(), c.db.within(ctx, worker, c.Workspace, func(q querier) error {
		var failures int
		err := q.QueryRowContext(ctx, c.db.dialect("select failures from due where ws = ? and schedule = ? and slot = ? and lease = ? for update"),
			c.Workspace, c.Schedule, c.Slot.Slot, c.lease).Scan(&failures)
		if errors.Is(err, sql.ErrNoRows) || err == nil && failures != c.Failures {
			return nil // it was done, or somebody else has it
		}
		if err != nil {
			return err
		}
		if err := noteFailure(ctx, c.db, q, Failure{c.Slot, failures + 1, time.Now(), cause.Error()}); err != nil {
			return err
		}
		if failures+1 >= MaxFailures {
			givenUp = true
			return c.move(ctx, q, "", cause.Error(), next, cause.Error())
		}
		return one(q.ExecContext(ctx, c.db.dialect("update due set failures = ?, error = ?, next_at = ?, lease = '', lease_until = 0 where ws = ? and schedule = ? and lease = ?"),
			failures+1, cause.Error(), milli(again), c.Workspace, c.Schedule, c.lease))
	}))
	if err != nil {
		return givenUp, fmt.Errorf("note that %s failed: %w", c.Slot, err)
	}
	return givenUp, nil
}

// FreeLeases ends the leases of processes that are gone: in SQLite, whose file is served by one
// process, all of them, when that one starts.
func (db *DB) FreeLeases(ctx context.Context) error {
	if db.postgres {
		return nil
	}
	_, err := db.sql.ExecContext(ctx, "update due set lease = '', lease_until = 0")
	return err
}

// Planned is a slot to come, with what became of it so far.
type Planned struct {
	Slot
	At       time.Time
	Failures int
	Error    string // of the last attempt
}

// Planned lists what is to come in a workspace, by time; in all with "".
func (db *DB) Planned(ctx context.Context, ws string) (all []Planned, err error) {
	err = db.reading(ctx, worker, ws, func(q querier) (err error) {
		rows, err := q.QueryContext(ctx, db.dialect("select ws, schedule, slot, next_at, failures, error from due where ws = ? or ? = '' order by next_at, ws, schedule"), ws, ws)
		if err != nil {
			return err
		}
		defer func() { err = errors.Join(err, rows.Close()) }()
		for rows.Next() {
			var p Planned
			var at int64
			if err := rows.Scan(&p.Workspace, &p.Schedule, &p.Slot.Slot, &at, &p.Failures, &p.Error); err != nil {
				return err
			}
			p.At = ofMilli(at)
			all = append(all, p)
		}
		return rows.Err()
	})
	if err != nil {
		return nil, fmt.Errorf("list what is planned: %w", err)
	}
	return all, nil
}

// Spread is by how much the slots of a workspace come later than planned, so that not all
// workspaces run at once: the same for the same names, and evenly within a span.
func Spread(ws, schedule string, span time.Duration) time.Duration {
	if span <= 0 {
		return 0
	}
	h := fnv.New64a()
	_, _ = h.Write([]byte(ws + "\x00" + schedule)) // it never fails
	x := h.Sum64()
	x ^= x >> 33 // FNV's upper bits differ little between short names: the finaliser of MurmurHash3
	x *= 0xff51afd7ed558ccd
	x ^= x >> 33
	return time.Duration(x % uint64(span))
}
