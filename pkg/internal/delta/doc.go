// Package delta encodes a text as its difference from another one, so that both together take little more space
// than one.
//
// Guarantees: [Apply] of what [Of] gives is the text, byte for byte. Hunks from
// somewhere else that don't fit give nothing and harm nothing.
//
// Limits: a text is not told in the shortest way, only in a short one where the two differ
// in a few places. Hunks don't say of which text they are: compare a digest.
package delta
