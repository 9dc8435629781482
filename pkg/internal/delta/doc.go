// Package delta tells a text by another one, so that the two need the room of one and
// of what is new.
//
// Guarantees: [Apply] of what [Of] gives is the text, byte for byte. Hunks from
// somewhere else that don't fit give nothing and harm nothing.
//
// Limits: a text is not told in the shortest way, only in a short one where the two differ
// in a few places. Hunks don't say of which text they are: compare a digest.
package delta
