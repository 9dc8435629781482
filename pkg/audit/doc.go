// Package audit checks the files that agents read in a repository: AGENTS.md, CLAUDE.md and their kind, skills, MEMORY.md and the
// notes next to it. It finds what somebody would fix: paths, links and commands that lead nowhere, an index that its host doesn't load to the end,
// notes without an entry, copies, contradictions, secrets, and text that people don't see.
//
// # Concept
//
// Few and right: a finding needs evidence, not only an absence. A path is dead if the repository once had it, as git says, or if it has the directory
// or a file of that name elsewhere. A path that is an example, a pattern, a placeholder, ignored by git, generated, or about to be created is left
// alone, and so is what a sentence calls removed. There is one finding for each cause: a path that is named five times is one, and files of
// one missing directory are one.
//
// # Guarantees
//
// Pure and deterministic: what is known of the repository comes from a [Tree]. Nothing panics on any bytes. A finding never holds a secret.
//
// # Limits
//
// Prose is read by English words. Blocks of code are examples, except for the commands of shells. Symbols are not looked for.
package audit
