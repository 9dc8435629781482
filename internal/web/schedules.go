package web

import (
	"net/http"
	"slices"
	"strings"
	"time"

	"github.com/memoryd/memoryd/internal/document"
	"github.com/memoryd/memoryd/pkg/config"
	"github.com/memoryd/memoryd/pkg/trigger"
)

// schedulesBody is what the template of the schedules is given.
type schedulesBody struct {
	*document.Schedule
	Schedules []scheduleView
	Presets   []preset
	Change    *settingChange // shown before it is written
}

// scheduleView is one schedule of the settings and its next times.
type scheduleView struct {
	Key   string // of the setting
	When  string
	Next  []time.Time
	Scope string
	All   bool
}

// preset is a schedule that a person can pick.
type preset struct{ Label, When string }

// presets are offered in this order. "" is off.
var presets = []preset{
	{"off", ""}, {"every hour", "1h"}, {"every 6 hours", "6h"}, {"daily at 02:00", "daily 02:00"}, {"on weekdays at 18:30", "mon-fri 18:30"},
	{"on Sundays at 03:00", "sun 03:00"}, {"monthly, on the 1st at 03:00", "0 3 1 * *"},
}

// settingChange is a change of memory.toml that was asked for.
type settingChange struct {
	Key, Value string
	Diff       string
	Error      string
	Next       []time.Time
}

// timesShown is how many of the next times of a schedule are shown.
const timesShown = 5

func schedulesPage(s *Server, r *http.Request) (*reply, error) {
	body, zone, at, err := schedulesOf(s, r)
	if err != nil {
		return nil, err
	}
	if key := r.URL.Query().Get("key"); key != "" {
		if body.Change, err = changeSetting(s, key, r.URL.Query()["when"], at, zone); err != nil {
			return nil, err
		}
	}
	return &reply{page: &page{Template: "schedules", Title: "Schedules", At: at, Body: body}}, nil
}

func schedulesOf(s *Server, r *http.Request) (*schedulesBody, *time.Location, time.Time, error) {
	snap, err := s.live.Refresh(r.Context())
	if err != nil {
		return nil, nil, time.Time{}, err
	}
	doc, err := s.Schedule(r.Context(), snap, false)
	if err != nil {
		return nil, nil, snap.At, err
	}
	settings, err := s.settings()
	if err != nil {
		return nil, nil, snap.At, err
	}
	zone, err := settings.Triggers.Zone(time.Local)
	if err != nil {
		return nil, nil, snap.At, err
	}
	body := &schedulesBody{Schedule: doc, Presets: presets}
	add := func(key, when string, due trigger.Due) {
		body.Schedules = append(body.Schedules, scheduleView{key, when, following(due, snap.At, zone), due.Scope, due.All})
	}
	add("triggers.weekly", settings.Triggers.Weekly, trigger.Due{Schedule: settings.Triggers.WeeklyCron(), All: true})
	for name, schedule := range settings.Schedules {
		add("schedules."+name, schedule.When, trigger.Named(settings, name, schedule))
	}
	slices.SortFunc(body.Schedules[1:], func(a, b scheduleView) int { return strings.Compare(a.Key, b.Key) })
	return body, zone, snap.At, nil
}

// following are the next times at which something is due; none where its expression is no schedule.
func following(due trigger.Due, at time.Time, zone *time.Location) []time.Time {
	all := due.Following(at, zone, timesShown)
	for i := range all {
		all[i] = all[i].In(zone)
	}
	return all
}

// changeSetting is what a schedule would change in memory.toml. The last of the values that isn't empty counts: a field for an expression
// stands behind the list of presets.
func changeSetting(s *Server, key string, values []string, at time.Time, zone *time.Location) (*settingChange, error) {
	name, ok := strings.CutPrefix(key, "schedules.")
	if key != "triggers.weekly" && (!ok || !plainName(name)) {
		return nil, badRequest("%s is no schedule: a name has letters, digits, - and _", shown(key))
	}
	change := &settingChange{Key: key}
	for _, v := range values {
		if v = strings.TrimSpace(v); v != "" {
			change.Value = v
		}
	}
	if change.Value == "off" {
		change.Value = ""
	}
	before, after, err := s.SetSetting(key, change.Value, false)
	if err != nil {
		change.Error = err.Error()
		return change, nil
	}
	change.Diff = shown(document.RecordDiff(before, after))
	settings, err := s.settings()
	if err != nil {
		return nil, err
	}
	change.Next = following(trigger.Named(settings, name, config.Schedule{When: change.Value}), at, zone)
	return change, nil
}

func plainName(name string) bool {
	return name != "" && len(name) <= 64 && !strings.ContainsFunc(name, func(r rune) bool {
		return !(r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' || r == '-' || r == '_')
	})
}

// setSchedule writes the change of memory.toml that the page has shown.
func setSchedule(s *Server, r *http.Request) (*reply, error) {
	if err := readForm(r); err != nil {
		return nil, err
	}
	key, value := r.PostForm.Get("key"), r.PostForm.Get("when")
	settings, err := s.settings()
	if err != nil {
		return nil, err
	}
	zone, err := settings.Triggers.Zone(time.Local)
	if err != nil {
		return nil, err
	}
	change, err := changeSetting(s, key, []string{value}, s.Now(), zone)
	if err != nil {
		return nil, err
	}
	if change.Error != "" {
		return nil, badRequest("%s", change.Error)
	}
	if diff := r.PostForm.Get("diff"); strings.ReplaceAll(diff, "\r\n", "\n") != change.Diff {
		return nil, &problem{status: http.StatusConflict, what: "memory.toml has been changed since this page was loaded", todo: "Nothing was written. Look at the change again."}
	}
	if _, _, err := s.SetSetting(key, value, true); err != nil {
		return nil, err
	}
	return &reply{location: "/schedules"}, nil
}
