// Package bpe counts the tokens that byte-pair encoding makes of a text.
//
// The text is cut into pieces first, by the pattern of o200k, and each piece is merged
// by itself: of all neighbours that together are a token, those of the lowest rank
// become one, again and again, until none are left. What is one token in full is
// looked up and done.
//
// All that has to be known for this is which byte strings are tokens, and in which order
// they are merged. A Vocabulary says so without holding them: a cuckoo table (Pagh and
// Rodler, 2004) of 40 bits for each, 18 of its rank and 22 of its hash, read from its
// bytes as they are. A megabyte, ready at once.
//
// Guarantees: pieces are never empty, together they are the text, whatever the bytes.
// Time grows with the length of a piece times its logarithm, also where it is one letter
// over and over.
//
// Limits: of a million strings that are no token about two are taken for one. Then the
// count may be off by one or two. Invalid bytes are pieces of their own.
package bpe
