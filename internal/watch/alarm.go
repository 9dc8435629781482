package watch

import (
	"errors"
	"fmt"
	"time"

	"github.com/go-co-op/gocron/v2"

	"github.com/memoryd/memoryd/pkg/config"
	"github.com/memoryd/memoryd/pkg/trigger"
)

// alarm rings at the slots of the schedules. What is due is not its affair: it
// counts on monotonic time, which stands still while the machine sleeps, and knows
// nothing of what was missed. The loop looks every half a minute besides.
type alarm struct {
	ring  chan struct{}
	set   string
	clock gocron.Scheduler
}

func newAlarm() *alarm { return &alarm{ring: make(chan struct{}, 1)} }

// setTo makes it ring by the schedules of the settings.
func (a *alarm) setTo(c config.Settings, loc *time.Location) error {
	schedules := trigger.Schedules(c)
	set := fmt.Sprint(loc, schedules)
	if a.set == set {
		return nil
	}
	if err := a.stop(); err != nil {
		return err
	}
	clock, err := gocron.NewScheduler(gocron.WithLocation(loc), gocron.WithStopTimeout(100*time.Millisecond))
	if err != nil {
		return fmt.Errorf("set the alarm: %w", err)
	}
	a.set, a.clock = set, clock
	for i, schedule := range schedules {
		if _, err := clock.NewJob(gocron.CronJob(schedule, false), gocron.NewTask(a.rings), gocron.WithName(fmt.Sprintf("schedule %d", i))); err != nil {
			return fmt.Errorf("set the alarm to %q: %w", schedule, err)
		}
	}
	clock.Start()
	return nil
}

func (a *alarm) rings() {
	select {
	case a.ring <- struct{}{}:
	default: // it has not been heard yet
	}
}

func (a *alarm) stop() error {
	if a.clock == nil {
		return nil
	}
	err := a.clock.Shutdown()
	a.set, a.clock = "", nil
	// It rings, at most, once more, and nobody hears it.
	if errors.Is(err, gocron.ErrStopSchedulerTimedOut) || errors.Is(err, gocron.ErrStopExecutorTimedOut) || errors.Is(err, gocron.ErrStopJobsTimedOut) {
		return nil
	}
	return err
}
