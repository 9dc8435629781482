// Package exporting writes the memories of a workspace in the formats of other tools.
//
// [Files] writes files, or the one text that goes to the standard output. [Notes] writes notes on the commits of a
// repository of git. Neither changes the workspace. What a format has no place for is reported as [foreign.Misfit].
package exporting
