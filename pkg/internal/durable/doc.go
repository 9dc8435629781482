// Package durable puts bytes on disk so that they stay there: reading below a
// root without following links, staging with fsync, atomic publication by
// rename, directory fsync, and an advisory lock. It knows no JSON.
//
// Guarantees: a name below a [Root] always holds a complete old or a complete
// new file; a published file survives power loss once [Root.SyncDirs] has
// returned for its directory; no operation follows a symbolic link or leaves
// the root. An fsync that fails is an error and is never retried on the same
// descriptor.
//
// Limits: publishing several files is not atomic as a whole; the caller orders
// the steps so that a reader never misses what it is looking for. The check for
// links and the operation that follows it are two system calls.
package durable
