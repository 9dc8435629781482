// Package jsonedit reads and edits JSON documents as bytes.
//
// A document is what a person or another program wrote, and it stays theirs:
// an edit replaces, inserts or removes a span, and every byte outside that
// span survives. Key order, indentation, number literals (1e400, 0.10,
// 12345678901234567890), escapes, unknown keys, a byte order mark, CRLF line
// ends and the trailing newline are never touched, because nothing is decoded
// and encoded again.
//
// Three ideas carry the package:
//
//   - The gate. Check accepts exactly one JSON value in valid UTF-8 and says
//     line, column and cause of anything else. Edits run it before and after.
//     An Outline does the same, and tells on the way where the members stand.
//   - Paths. A path is a list of decoded object keys and decimal array
//     indexes, compared exactly. There is no query syntax, so no key is
//     special: "", ":", "#", "*" and "a.b" are keys like any other.
//   - Layout. What is inserted looks like what surrounds it: on its own
//     line with the same indentation and line end, or inline with the same
//     comma.
//
// # Guarantees
//
// Edits never change their input and never return a document that fails
// Check. An edit is refused, with nothing returned, when an object on its path
// has duplicate keys (which one is meant is unknowable), when the path leads
// through a scalar, or when it would have to invent a parent. Removing array
// elements and inserting the same bytes at the same places gives back the same
// document where the elements are laid out alike, one per line or all on one.
//
// Nothing panics, whatever the bytes. Functions that take a document which
// did not pass Check return some answer about it, not a meaningful one.
//
// # Limits
//
// Documents up to MaxSize bytes and MaxDepth levels, held in memory whole.
// Lone surrogate escapes (\ud800) pass and survive, but as keys they all
// decode to U+FFFD and count as equal. Layout is judged by the first 64 KiB
// of the siblings and of the document. The last element taken out of an array
// leaves [], and an array of one shows no comma: how a later insertion is laid
// out is then read from the rest of the document, which may not know it.
package jsonedit
