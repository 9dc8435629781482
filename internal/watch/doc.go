// Package watch keeps a workspace fresh while nobody looks: it follows the files,
// brings the indexes into line with what somebody changed by hand, and starts the
// consolidations that are due.
//
// One goroutine, the loop, owns what is known: what has changed, since when, what
// is due. It touches no disk. Work (comparing, running, storing) is done by one
// other goroutine at a time, whose outcome the loop takes in. A third follows the
// files and may stop at any moment: what it missed is found by the next comparison.
//
// Guarantees:
//
//   - It writes indexes, the files of its own in ops/, and what a consolidation
//     writes; all of it through the store, so that it may be killed at any point.
//   - Events only say that something is to be looked at. What is true is read from
//     the files, so an event that comes twice, late, or for a change of our own
//     leads to nothing, and one that is lost is made up for: by the walk of a new
//     directory, by a comparison after an overflow, and by one every few minutes.
//   - What changed is read, and the indexes concerned are patched, as
//     [workspace.Inventory] does it: the work grows with the changes and with those
//     indexes, not with the workspace. The result is that of a full reindex.
//   - A file that doesn't parse is reported once, after a moment in which it may be
//     only half written, and once more when it is fixed. Meanwhile, and next to a
//     file that can't be read, the other indexes are updated.
//   - The end of the context ends it at once, but never within a transaction.
//
// Limits: where the system can't tell of changes (network file systems, no more
// watches), it looks. Every second at the directories, at all that is in those that
// changed, and at what was written in the last ten minutes: so that what is created,
// removed, renamed or saved by renaming is in the indexes a second later, and what
// somebody works on too. At the sizes and times of all files, which finds what is
// written into a file that had long been left alone, as often as a 300th of a core
// allows: every second at 2,000 files, every five at 10,000, every minute at 100,000.
// A network file system may know of what others write only later. Links are not
// followed.
//
// Memory: some 240 bytes for each memory; while an index is patched, about six times
// its size; while all is compared, some 500 bytes for each memory.
package watch
