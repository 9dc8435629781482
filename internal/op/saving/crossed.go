package saving

import (
	"github.com/memoryd/memoryd/internal/document"
	"github.com/memoryd/memoryd/internal/hook"
	"github.com/memoryd/memoryd/pkg/config"
	"github.com/memoryd/memoryd/pkg/memory"
	"github.com/memoryd/memoryd/pkg/trigger"
)

// Crossed starts a process that consolidates working memories, if the save of a memory crosses a line of the trigger "threshold". The
// snapshot is that before the save. The process ends by itself; where nothing is due, none is started.
func Crossed(dir string, env []string, settings config.Settings, snap *memory.Snapshot, draft memory.Draft, out document.Saved) error {
	if draft.Type != memory.Working || out.Status == Merged || snap.Live(out.ID) != nil {
		return nil
	}
	due, ok := trigger.AtSave(settings, snap, draft.Scope)
	if !ok {
		return nil
	}
	args := []string{"--workspace", dir, "--quiet", "consolidate", "--trigger", due.Trigger, "--until-done", "--wait", "5m"}
	if due.Session != "" {
		args = append(args, "--scope", due.Session)
	}
	return hook.Detach(dir, env, args...)
}
