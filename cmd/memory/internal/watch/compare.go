package watch

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"io/fs"
	"maps"
	"path"
	"slices"
	"strings"
	"time"

	"github.com/memoryd/memoryd/cmd/memory/internal/metrics"
	"github.com/memoryd/memoryd/pkg/trigger"
	"github.com/memoryd/memoryd/pkg/workspace"
)

const (
	patience = 2 * time.Second // for a file that may be half written
	many     = 100             // changes up to which each is looked at first
	much     = 100_000         // digests that are kept
)

// compare is the work of bringing the indexes into line with the files.
func (l *loop) compare() func(context.Context) func() {
	names, all, full, first := slices.Sorted(maps.Keys(l.dirty)), l.all, l.full, l.first
	l.dirty, l.all, l.full, l.first, l.last = map[string]bool{}, false, false, time.Time{}, time.Time{}
	if slices.Contains(names, workspace.ConfigFile) {
		l.nextLook = time.Time{}
	}
	return func(ctx context.Context) func() {
		begun := time.Now()
		var digests map[string]string
		if !all && len(names) <= many {
			var half bool
			if digests, half = l.sift(names); half {
				return func() { l.postpone(names) }
			}
			if len(digests) == 0 {
				return func() {}
			}
		}
		l.writing.Store(true)
		snap, written, err := l.Store.Reconcile(ctx, begun.UTC().Truncate(time.Second))
		l.writing.Store(false)
		if err == nil {
			l.remember(digests, written)
		}
		ended := time.Now()
		var facts trigger.Facts
		var unsighted error
		var census metrics.Census
		if snap != nil {
			facts, unsighted = l.factsOf(snap)
			census = metrics.Count(snap.Memories)
		}
		return func() {
			now := time.Now()
			if snap != nil {
				l.invalid(snap.Problems, now)
				l.facts, l.nextLook = &facts, time.Time{}
				l.unsighted(unsighted)
			}
			if err != nil {
				l.all, l.full = true, full
				l.mark(now)
				l.failed(&l.comparing, "comparison", err)
				return
			}
			l.comparing = backoff{}
			l.observe(metrics.Comparison{Begun: begun, Ended: ended, First: first, All: all}, full, written, census)
			for _, r := range written {
				l.Log.Info("index updated", "file", r.File, "differences", len(r.Changes), "took", time.Since(begun).Round(time.Millisecond))
			}
			if full && len(written) > 0 {
				l.Log.Warn("the full comparison found what no event had told")
			}
			l.report.Compared, l.news = now.UTC(), true
			if all {
				l.report.Full = now.UTC()
			}
		}
	}
}

// postpone puts a comparison off because of a file that may be half written.
func (l *loop) postpone(names []string) {
	l.mark(time.Now())
	for _, name := range names {
		l.dirty[name] = true
	}
}

// sift leaves out what is as it was when last compared: what we wrote ourselves,
// and files that were only touched. Half reports whether one that is left doesn't
// parse and only just began to.
func (l *loop) sift(names []string) (left map[string]string, half bool) {
	left = map[string]string{}
	for _, name := range names {
		if name == workspace.ConfigFile {
			continue
		}
		if path.Ext(name) != ".json" {
			left[name] = "" // a directory
			continue
		}
		text, digest := l.digest(name)
		if digest != "" && l.known[name] == digest {
			continue
		}
		left[name] = digest
		if text == nil || json.Valid(bytes.TrimPrefix(text, []byte("\xef\xbb\xbf"))) {
			delete(l.broken, name)
			continue
		}
		if l.broken[name].IsZero() {
			l.broken[name] = time.Now()
		}
		half = half || time.Since(l.broken[name]) < patience
	}
	return left, half
}

// digest tells contents apart; "" where that is not to be had.
func (l *loop) digest(name string) (text []byte, digest string) {
	text, err := l.Store.Read(name)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil, "absent"
	case err != nil:
		return nil, ""
	}
	sum := sha256.Sum256(text)
	return text, hex.EncodeToString(sum[:])
}

// remember notes what was compared and what we wrote.
func (l *loop) remember(digests map[string]string, written []workspace.Reindexed) {
	if len(l.known) > much {
		clear(l.known)
	}
	maps.Copy(l.known, digests)
	for _, r := range written {
		_, l.known[r.File] = l.digest(r.File)
	}
}

// invalid says once which files can't be read, and once that they can be again.
func (l *loop) invalid(problems []workspace.Problem, now time.Time) {
	was := map[string]Invalid{}
	for _, i := range l.report.Invalid {
		was[i.File] = i
	}
	list := []Invalid{}
	for _, p := range problems {
		if p.Severity != workspace.Error || strings.HasPrefix(p.File, workspace.OpsDir+"/") {
			continue
		}
		i, before := was[p.File]
		delete(was, p.File)
		if !before || i.Message != p.Message {
			l.Log.Warn("invalid file", "file", p.File, "problem", p.Message)
			i.File, i.Message = p.File, p.Message
			l.news, l.nextRep = true, now
		}
		if !before {
			i.Since = now.UTC()
		}
		list = append(list, i)
	}
	for _, file := range slices.Sorted(maps.Keys(was)) {
		l.Log.Info("mended", "file", file)
		l.news, l.nextRep = true, now
	}
	l.report.Invalid = list
}
