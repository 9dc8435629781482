// Package archive plans moving single memories into the archive and back.
//
// Archiving moves a memory's file to archive/, byte for byte; an element of a
// collection becomes a file there. The archive's index keeps where it came from,
// when and why. Restoring puts it back where it was.
//
// Guarantees: nothing is deleted and no byte of a memory's own file changes; an
// archived element of a collection goes back to its position.
//
// Limits: when the place it came from has been taken since, or the collection is
// gone, restoring names the conflict or falls back to a file of its own in the
// memory's scope.
package archive
