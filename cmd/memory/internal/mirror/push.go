package mirror

import (
	"context"
	"crypto/rand"
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/memoryd/memoryd/pkg/workspace"
)

// Limits of one push: a first sync takes several.
const (
	pushDocuments = 500
	pushBytes     = 4 << 20
)

// push sends what was changed here. More tells that there is more to do: it was sent, and the hub's answer to it comes in by the
// next pull; or documents had changed there, or were refused.
func (m *Mirror) push(ctx context.Context) (more bool, err error) {
	changed, err := m.changed(ctx)
	if err != nil {
		return false, err
	}
	if m.DryRun {
		for _, a := range changed {
			m.out.Sent = append(m.out.Sent, a.Path)
		}
		return false, nil
	}
	for len(changed) > 0 {
		n, size := 0, 0
		for n < len(changed) && n < pushDocuments && (n == 0 || size+len(changed[n].Bytes) <= pushBytes) {
			size += len(changed[n].Bytes)
			n++
		}
		id := rand.Text()
		err := m.state.within(ctx, func(tx *sql.Tx) error {
			p, err := m.progressIn(ctx, tx)
			if err != nil {
				return err
			}
			p.Push = id
			for _, a := range changed[:n] {
				if _, err := tx.ExecContext(ctx, "insert into pushing (path, bytes, sum) values (?, ?, ?)", a.Path, a.Bytes, a.Sum); err != nil {
					return err
				}
			}
			return setProgress(ctx, tx, p)
		})
		if err == nil {
			err = m.dies("push")
		}
		if err != nil {
			return false, err
		}
		sent, err := m.send(ctx, id, changed[:n])
		if err != nil || !sent {
			return err == nil, err
		}
		more, changed = true, changed[n:]
	}
	return more, nil
}

func (m *Mirror) progressIn(ctx context.Context, tx *sql.Tx) (p progress, err error) {
	var text string
	if err = tx.QueryRowContext(ctx, "select state from progress").Scan(&text); err == nil {
		err = json.Unmarshal([]byte(text), &p)
	}
	return p, err
}

// changed lists what differs here from what was agreed on and is to be sent, what is removed last.
func (m *Mirror) changed(ctx context.Context) (all []agreed, err error) {
	sums, err := m.state.sums(ctx)
	if err != nil {
		return nil, err
	}
	m.out.Withheld = []string{}
	var removed []agreed
	gone := maps.Clone(sums)
	err = m.Store.Documents().Each(Shared, func(name string, data []byte) {
		delete(gone, name)
		before, known := sums[name]
		now := sum(data)
		if now == before || !m.sends(name) || known && kept(name) || !logged(name, m.local) || !known && m.fresh(name, data) {
			return
		}
		if !workspace.ValidDocument(name, data) {
			m.out.Refused[name] = "it is not valid JSON"
			return
		}
		if len(m.Secrets(name, data)) > 0 {
			m.out.Withheld = append(m.out.Withheld, name)
			return
		}
		all = append(all, agreed{name, data, now})
	})
	for _, name := range slices.Sorted(maps.Keys(gone)) {
		if m.sends(name) && !kept(name) {
			removed = append(removed, agreed{Path: name})
		}
	}
	slices.SortFunc(all, func(a, b agreed) int { return strings.Compare(a.Path, b.Path) })
	return append(all, removed...), err
}

// local is a document as it is here, nil where there is none.
func (m *Mirror) local(name string) []byte {
	data, err := m.Store.Read(name)
	if err != nil {
		return nil
	}
	return data
}

// sends reports whether this mirror writes a document at the hub.
func (m *Mirror) sends(name string) bool {
	if of, own := OwnFile(name); own && of != m.Store.Machine() {
		return false
	}
	_, refused := m.out.Refused[name]
	return !refused
}

// send sends a push, or sends it again, until the hub has answered; after an error it awaits to be sent again. It reports whether the hub has taken it.
func (m *Mirror) send(ctx context.Context, id string, changed []agreed) (sent bool, err error) {
	p := Push{ID: id, Machine: m.Store.Machine()}
	for _, a := range changed {
		base, err := m.state.base(ctx, a.Path)
		if err != nil {
			return false, err
		}
		p.Changes = append(p.Changes, Change{Path: a.Path, Base: base.Sum, Bytes: a.Bytes, Removed: a.Bytes == nil})
	}
	answer, sent, err := m.Hub.push(ctx, p)
	if err != nil && !errors.Is(err, ErrRefused) {
		return false, err
	}
	failed := err
	if err := m.dies("pushed"); err != nil {
		return false, err
	}
	maps.Copy(m.out.Refused, answer.Refused)
	err = m.state.within(ctx, func(tx *sql.Tx) error {
		p, err := m.progressIn(ctx, tx)
		if err != nil {
			return err
		}
		p.Push = ""
		for _, a := range changed {
			if !sent {
				break
			}
			if err := agree(ctx, tx, a); err != nil {
				return err
			}
			m.out.Sent = append(m.out.Sent, a.Path)
		}
		if _, err := tx.ExecContext(ctx, "delete from pushing"); err != nil {
			return err
		}
		return setProgress(ctx, tx, p)
	})
	if failed != nil {
		err = errors.Join(fmt.Errorf("send what was changed here: %w", failed), err)
	}
	return sent, err
}
