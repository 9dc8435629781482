// Package note makes a memory of a Markdown note, and writes what changed of the memory back into the note. The bytes of the file
// are the truth for everything that the file says; what has no place in it (an id, counts, links between memories) is a line of the
// overlay. [Folder.Record] gives the record as JSON, [Folder.Write] the bytes of a changed record, or it refuses.
//
// Guarantees: a record that only the overlay changes leaves the note's bytes alone. No byte is changed outside of values of front
// matter that the layout knows and of the text below it. No key of ours is written into a note. The package is pure.
package note
