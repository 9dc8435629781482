// Package retention computes how much a memory still matters: a score from 0 to 1 and
// the tier that follows from it. Tiers steer what is recalled and what an agent is
// given; they move no file, the rules do.
//
//	score      = f · (wr·recency + wa·activation + wi·importance − ws·p), within 0 and 1
//	recency    = ½ ^ (age / half-life)
//	activation = log(1 + reads) / log(1 + activation_full), at most 1
//	importance = as the memory states it, and at least the least of its kind
//	f, p       = 1 and 0; of a superseded memory, superseded_factor and .7; of one whose
//	             superseded_kind is "partial", partial_factor and .7
//
// The weights wr, wa, wi and ws are each within 0 and 1 and add up to 1; package config
// refuses others.
//
// The defaults: half-life 30 days, hot ≥ .6 and warm ≥ .3 are those of the git-notes
// memory's consolidation requirements (source 002). They give no weights; wr .4, wa .2,
// wi .4, ws 0, f .2 and cold ≥ .1 are ours. partial_factor .7 is subcog's.
//
// The preset "subcog" is the formula of subcog's consolidation pipeline (source 004): .3
// each and ws .1, half-life 14 days from the day of creation, activation (ln n + 1) / 5,
// importance the mean of the stated one and a weight of the subtype, f .3 and .7 in part,
// tiers .7, .4 and .2. There, ln of no reads at all is minus infinity; here it is an
// activation of 0.
//
// What the sources leave open:
//
//   - A memory's age counts from when somebody last wrote or read it, so that what is
//     used stays. Where only a run has touched it since (its tags say summarized or
//     promoted), updated_at doesn't count: consolidation alone changes no tier.
//   - Importance that isn't stated follows the priority: high .8, medium .5, low .2.
//   - The least importance is 1 for critical, permanent and protected memories, .9 for semantic
//     decisions, .8 for priority high. It keeps founding facts from sinking: with the
//     defaults the first two stay warm however old they are and whether or not they
//     are ever read.
//   - A time that lies ahead counts as now. Without any date, recency is 0.
//
// Guarantees: a score is a function of the memory, the settings and the time, within
// 0 and 1, and is never stored: computing it again gives the same. It doesn't grow
// with time alone, doesn't fall with another read or with more importance, and of a
// memory that nothing supersedes it is never less than wi·importance.
//
// Limits: that a memory was given to an agent unasked is not a read, else what is hot
// would stay so by itself. What was relevant to a prompt is one.
package retention
