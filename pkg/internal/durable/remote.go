package durable

// Remote names the network file system that dir lies on, such as "nfs", and is ""
// for a local one. There neither the lock excludes writers on other machines nor
// is an exchange atomic for them, so none of this package's guarantees holds. A
// file system in user space (FUSE), which may be either, counts as local; what
// it can do, [Probe] tells.
//
//	linux: statfs, f_type; darwin: statfs, MNT_LOCAL; windows: GetDriveTypeW
func Remote(dir string) (string, error) { return remote(dir) }
