// Package tokens estimates how many tokens of a language model a text is, without the
// tokenizer's vocabulary of several megabytes.
//
// The text is cut into the pieces that a byte-pair encoder of today (o200k) cuts it into,
// and each piece is priced by a small model that was fitted to that encoder; see package
// model. To the sum come 5 %: an estimate is meant to lie above the truth, by no more than
// a tenth, for texts of a few hundred tokens or more of prose, code, JSON, Chinese,
// Japanese and Korean. What that comes to is in BENCHMARKS.md, and pkg/tokens/calibrate
// measures it anew.
//
// Guarantees: the estimate depends on the text alone; it takes time in proportion to its
// length. It is 0 for the empty text only.
//
// Limits: it is an estimate. Of short texts it may be further off, and of texts made of
// letters at random, or of scripts that were not measured, it may be too low. Other
// models have other tokenizers; Claude's is not public.
package tokens
