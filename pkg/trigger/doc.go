// Package trigger decides when consolidation starts by itself: which triggers
// are due now, and when the next ones will be. It is pure: settings, what a
// workspace holds, what was done before, the time and the time zone come in; what
// is due and what to remember go out.
//
// A cron expression names slots: readings of the wall clock. A slot is due once,
// when the clock of the time zone first shows it, or would have:
//
//   - In spring the clock skips an hour. A slot in that hour is due at the moment of
//     the change.
//   - In autumn it shows an hour twice. A slot in that hour is due the first time.
//   - Slots that passed while nobody looked (sleep, downtime) are made up for by one
//     run, for the last of them.
//
// An index that overflows is due once per crossing: again only when it had fallen
// to the limit, has grown by a step since it was smallest, or a day has passed.
//
// There may be several schedules, all in one time zone; each has its own slots.
//
// A session of another tool has ended when the last word of its files says so, or
// when none of them was written for a while. It is due once, and again only when
// there is something new of it to settle. What goes on is spared: other sessions,
// sessions with a file that doesn't parse, and what an agent, or nobody, has gone on
// writing since.
//
// A workspace, or a schedule, that is seen for the first time owes nothing from
// before. A stored slot more than a day ahead of the clock is of a clock that was
// wrong: it is forgotten. Within a day, where a change of the time zone may have
// put it, it counts, so that no slot is run twice.
//
// Limits: an hourly schedule, too, does not repeat the hour that autumn shows
// twice. A run that is killed before its state is stored is run again; runs are
// made so that this changes nothing. Expressions that are never due within five
// years count as never.
package trigger
