// Package model is what package tokens computes with: how a text is cut into pieces, what
// is looked at in a piece, and how many tokens that makes.
//
// Byte-pair encoders cut a text into pieces first, by rules that are public, and merge
// only within these. The pieces here are those of o200k, exactly. What remains to be told
// is into how many tokens a piece falls. Digits and white space are one; of the rest the
// model, three tables of 25 KB in all, says what it is on average:
//
//   - A word of Latin letters: e to the sum of weights, one for each pair of neighbouring
//     letters, one for its length, one for capitals and what stands before it, plus one:
//     a Poisson regression.
//   - Chinese, Japanese and Korean: the tokens of several characters are known by a Bloom
//     filter of their hashes, and the longest that fits is taken each time; which
//     characters are one token alone is a set of bits.
//   - Runs of marks: by their length, and whether it is one mark over and over.
//
// Guarantees: pieces are never empty, together they are the text, whatever the bytes.
package model
