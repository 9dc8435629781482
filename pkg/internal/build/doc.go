// Package build identifies the build of the running program.
package build
