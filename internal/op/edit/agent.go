package edit

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/tidwall/gjson"

	"github.com/memoryd/memoryd/internal/document"
	"github.com/memoryd/memoryd/internal/fail"
	"github.com/memoryd/memoryd/pkg/config"
	"github.com/memoryd/memoryd/pkg/memory"
)

// What an agent says over MCP isn't a person's word, whatever it claims. These are the only places that decide what follows.

// critical is the priority that only a person gives.
const critical = "critical"

// AgentDraft is a draft as an agent may save it, who writes under a name through a client: it is the agent's word, not critical, and no tag forbids the rules to
// change it. What the person dictated is noted in origin. The notes say what was left out. What it may not replace, because a person
// wrote it, is taken out of what it supersedes: a person decides about that.
func AgentDraft(snap *memory.Snapshot, settings config.Settings, d memory.Draft, writer, client string) (_ memory.Draft, asks []string, notes []string, err error) {
	origin := struct {
		Kind   string `json:"kind"`
		Client string `json:"client,omitempty"`
		For    string `json:"for,omitempty"`
	}{Kind: memory.OriginAgent, Client: document.Short(strings.TrimSpace(client), 64)}
	if isUser(d.CreatedBy) {
		origin.For, d.CreatedBy = memory.User, writer
		notes = append(notes, "what an agent saves is its own word: saved as "+writer+"'s, dictated by USER")
	}
	if d.Origin, err = json.Marshal(origin); err != nil {
		return d, nil, nil, err
	}
	if strings.EqualFold(d.Priority, critical) {
		d.Priority = "high"
		notes = append(notes, "only a person makes a memory critical: saved with priority high")
	}
	var tags []string
	for _, tag := range d.Tags {
		if excludes(settings, tag) {
			notes = append(notes, fmt.Sprintf("only a person tags a memory %q: saved without it", strings.TrimSpace(tag)))
		} else {
			tags = append(tags, tag)
		}
	}
	d.Tags = tags
	var replaces []string
	for _, id := range d.Supersedes {
		if m := snap.Live(id); m != nil && OfPerson(m) {
			asks = append(asks, id)
		} else {
			replaces = append(replaces, id)
		}
	}
	d.Supersedes = replaces
	return d, asks, notes, nil
}

// OfPerson reports whether a person wrote a memory.
func OfPerson(m *memory.Memory) bool { return isUser(m.CreatedBy) || m.Origin == memory.OriginUser }

func isUser(author string) bool { return strings.EqualFold(strings.TrimSpace(author), memory.User) }

func excludes(settings config.Settings, tag string) bool {
	m := memory.Memory{Tags: []string{tag}}
	return slices.ContainsFunc(settings.Exclude.Tags, m.HasTag)
}

// ByAgent makes a change that another one makes, and refuses one that no agent may make: of a person's text, of who said it, and of what forbids the
// rules to change a memory.
func ByAgent(settings config.Settings, change Change) Change {
	return func(m *memory.Memory) ([]byte, error) {
		raw, err := change(m)
		if err != nil {
			return nil, err
		}
		now, err := memory.OneRecord(m.File, raw)
		if err != nil {
			return raw, nil // the store refuses it, and says why
		}
		why := ""
		member := func(name string) bool { return gjson.GetBytes(m.Raw(), name).Raw != gjson.GetBytes(raw, name).Raw }
		switch {
		case isUser(now.CreatedBy) != isUser(m.CreatedBy), member("origin"):
			why = "who said it"
		case strings.EqualFold(now.Priority, critical) && !strings.EqualFold(m.Priority, critical):
			why = "that it is critical"
		case now.Protected && !m.Protected:
			why = "that it is protected"
		case now.Consent && !m.Consent && OfPerson(m):
			why = "that the rules may change what a person wrote"
		}
		for _, tag := range now.Tags {
			if excludes(settings, tag) && !m.HasTag(tag) {
				why = fmt.Sprintf("that it is %q", strings.TrimSpace(tag))
			}
		}
		if why != "" {
			return nil, fail.WithHint(fail.New(fail.ErrInvalid, "%s: only a person says %s", m.ID, why), "leave that out, or ask the person: memory edit "+m.ID)
		}
		if OfPerson(m) && len(memory.Lost(m, now)) > 0 {
			return nil, fail.WithHint(fail.New(fail.ErrInvalid, "%s: a person wrote this text", m.ID), "save the new text with supersedes "+m.ID+": the person decides in memory review")
		}
		return raw, nil
	}
}
