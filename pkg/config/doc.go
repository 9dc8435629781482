// Package config holds the settings of a workspace: what memory.toml may say,
// what holds when it is silent, and where each value came from.
//
// A setting has a key, section.name. The sections schedules and teams hold entries
// under names of their own. Its value is the first of these that names
// it: a flag or an environment variable ([Config.Override], [Config.Environ]),
// memory.toml ([Parse]), the preset, the default. There are three presets: "seed",
// which is the defaults; "careful", which archives nothing that was read or
// written in the last 90 days; "subcog", which scores memories as subcog does.
//
// # Guarantees
//
//   - Nothing is ignored: an unknown key, a wrong type and a value out of range are
//     errors. All of them are reported at once, each with its line, the key, what
//     may stand there and, for a misspelt key, the one that was probably meant.
//   - A [Config] that was returned without an error holds only valid settings, and
//     a failed Override or Environ leaves it as it was.
//   - What [Config.Values] prints, Override takes; what [Template] writes, Parse
//     reads as the preset.
//   - Reading is pure: no file, clock or environment is consulted here, and the same
//     input gives the same output; but for the names of time zones, which are looked
//     up in the machine's database. Nothing panics, whatever the bytes.
//
// # Limits
//
//   - One file, no includes and no merging of several files.
//   - All schedules of a workspace are read in one time zone; time zones in
//     expressions are refused.
package config

//go:generate go test . -run TestReferenceOfSettings -update-reference
