// Package mdedit reads and edits Markdown notes as bytes, without loss: front matter, sections, list items, links and entries
// between lines "§". An edit changes the span that it must and no other byte: byte order mark, line ends, blanks, comments, order
// and quoting stay. What it can't edit safely it refuses.
//
// Limits: front matter is edited one line at a time, at the top level or one mapping below it. Block scalars, anchors, flow
// mappings, repeated keys and more than [MaxFront] bytes are refused, and so is a text that isn't UTF-8. Links are found outside
// of code; a fence begins at the start of a line only, and a run of backticks that isn't closed on its line is text.
package mdedit
