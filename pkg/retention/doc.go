// Package retention computes how much a memory still matters: a score from 0 to 1 and
// the tier that follows from it. Tiers steer what is recalled and what an agent is
// given; they move no file, the rules do.
//
//	score      = f · (wr·recency + wa·activation + wi·importance) − p, within 0 and 1
//	recency    = ½ ^ (age / half-life)
//	activation = log(1 + reads) / log(1 + activation_full), at most 1
//	importance = as the memory states it, and at least the least of its kind
//	f, p       = 1 and 0; of a superseded memory, superseded_factor and superseded_penalty
//
// With the defaults (wr .4, wa .2, wi .4, half-life 30 days, f .2, p 0) and the tiers
// hot ≥ .6, warm ≥ .3, cold ≥ .1 these are the weights of the git-notes memory's
// consolidation requirements. The preset "subcog" gives the formula of subcog's
// consolidation pipeline: .3 each, half-life 14 days from the day of creation,
// activation (ln n + 1) / 5, importance the mean of the stated one and a weight of
// the subtype, 0.1 · 0.7 off for superseded ones, tiers .7, .4 and .2. There, ln of no
// reads at all is minus infinity; here it is an activation of 0.
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
// Limits: that a memory was given to an agent unasked is no read, else what is hot
// would stay so by itself. What was relevant to a prompt is one.
package retention
