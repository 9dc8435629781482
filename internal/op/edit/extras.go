package edit

import (
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/memoryd/memoryd/internal/app"
	"github.com/memoryd/memoryd/internal/document"
	"github.com/memoryd/memoryd/internal/fail"
	"github.com/memoryd/memoryd/internal/op/find"
	"github.com/memoryd/memoryd/pkg/config"
	"github.com/memoryd/memoryd/pkg/memory"
	"github.com/memoryd/memoryd/pkg/rules"
)

// Extras are what can be said of a memory besides its text, when it is saved and later. What is empty is not said.
type Extras struct {
	Aliases    []string // words by which somebody would search for it
	TTL        string   // how long it is of use
	ReviewOn   string   // a day to look at it again: 2027-03-01, a span from now such as 90d, or as people say it
	Supersedes []string // ids of live memories that it replaces
	Pin        bool
}

// Said reports whether anything is said.
func (x *Extras) Said() bool {
	return len(x.Aliases)+len(x.Supersedes) > 0 || x.TTL != "" || x.ReviewOn != "" || x.Pin
}

// check refuses what can't be said, and writes a day to look at it again as a date.
func (x *Extras) check(at time.Time) (err error) {
	if len(x.Aliases) > memory.MaxAliases {
		return fail.New(fail.ErrInvalid, "%d aliases are too many: at most %d", len(x.Aliases), memory.MaxAliases)
	}
	for _, a := range x.Aliases {
		if n := utf8.RuneCountInString(a); n > memory.MaxAlias {
			return fail.New(fail.ErrInvalid, "the alias %q has %d characters: at most %d", document.Short(a, 40), n, memory.MaxAlias)
		}
		if strings.TrimSpace(a) == "" {
			return fail.New(fail.ErrInvalid, "an alias is empty")
		}
	}
	if _, err := rules.ParseTTL(x.TTL, at.Location()); x.TTL != "" && err != nil {
		return fail.New(fail.ErrInvalid, "ttl: %w", err)
	}
	if x.ReviewOn != "" {
		x.ReviewOn, err = reviewDay(x.ReviewOn, at)
	}
	return err
}

// reviewDay is a day to look at a memory again, as a date.
func reviewDay(text string, at time.Time) (string, error) {
	if from, err := config.ParseDuration(strings.TrimSpace(text)); err == nil {
		return from.After(at).Format(time.DateOnly), nil
	}
	span, err := app.ParseSpan(text, at)
	if err != nil {
		return "", fail.New(fail.ErrInvalid, "the day to look at it again: %w", err)
	}
	return span.From.In(at.Location()).Format(time.DateOnly), nil
}

// Draft is a draft of which these are said, too.
func (x Extras) Draft(d memory.Draft, at time.Time) (memory.Draft, error) {
	if err := x.check(at); err != nil {
		return d, err
	}
	d.Aliases, d.TTL, d.ReviewOn, d.Supersedes = x.Aliases, x.TTL, x.ReviewOn, once(x.Supersedes)
	if x.Pin && !slices.Contains(d.Tags, memory.PinTag) {
		d.Tags = append(slices.Clone(d.Tags), memory.PinTag)
	}
	return d, nil
}

// Change makes a change that another one makes, and says these, too. Aliases are added to those that are there. at is now, in the zone in which days are
// counted.
func (x Extras) Change(change Change, snap *memory.Snapshot, at time.Time) Change {
	if !x.Said() {
		return change
	}
	return func(m *memory.Memory) ([]byte, error) {
		if err := x.check(at); err != nil {
			return nil, err
		}
		if err := find.Replaceable(snap, m.ID, x.Supersedes); err != nil {
			return nil, err
		}
		raw, err := change(m)
		if err != nil {
			return nil, err
		}
		now, err := memory.OneRecord(m.File, raw)
		if err != nil {
			return nil, fail.New(fail.ErrInvalid, "%s would no longer be a memory", m.ID)
		}
		if all, _ := memory.WithAliases(memory.Aliases(now), x.Aliases); len(all) > memory.MaxAliases {
			return nil, fail.WithHint(fail.New(fail.ErrInvalid, "%s would have %d aliases: at most %d", m.ID, len(all), memory.MaxAliases), "set all of them: memory edit "+m.ID+` --set 'aliases=["…"]'`)
		}
		if raw, err = memory.AddAliases(raw, memory.Aliases(now), x.Aliases); err != nil {
			return nil, broken(m.ID, err)
		}
		links := now.Supersedes
		for _, id := range once(x.Supersedes) {
			if !slices.Contains(links, id) {
				links = append(slices.Clip(links), id)
			}
		}
		for _, f := range []struct {
			key   string
			value any
			said  bool
		}{{"ttl", x.TTL, x.TTL != ""}, {memory.ReviewOnKey, x.ReviewOn, x.ReviewOn != ""}, {"supersedes", links, len(links) > len(now.Supersedes)}} {
			if !f.said {
				continue
			}
			value, err := document.Marshal(f.value)
			if err != nil {
				return nil, err
			}
			if raw, err = set(m.ID, raw, value, f.key); err != nil {
				return nil, err
			}
		}
		if now, err = memory.OneRecord(m.File, raw); err != nil || !x.Pin || now.Pinned() {
			return raw, err
		}
		raw, _, err = memory.Retag(now, []string{memory.PinTag}, nil, snap.At)
		return raw, err
	}
}

// once are ids without repetitions.
func once(ids []string) (list []string) {
	for _, id := range ids {
		if !slices.Contains(list, id) {
			list = append(list, id)
		}
	}
	return list
}
