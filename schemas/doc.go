// Package schemas describes memoryd's JSON files as JSON Schema (draft 2020-12), and
// validates files against it.
//
// There are four schemas: memory, index, log and plan. They are embedded in the program
// and lie next to this file, to be read or named in an editor. A workspace may add its
// own demands on memories with schemas that build on ours; see [Extend].
//
// The validator is our own, since libraries word their errors for programmers, and stop
// at the first one or take longer to start than most commands take to run.
//
// Validation is advice. Reading stays as tolerant as it is: a memory with
// findings is read, listed and found like any other.
//
// # Guarantees
//
//   - A document gets at most one [Finding] for each place, in the order of the
//     places, in words that say what to write instead. The same bytes give the
//     same findings.
//   - What memoryd writes has no findings.
//   - Unknown members are never a finding, unless they differ from a known one in
//     case or punctuation only.
//   - No schema reads a file or the network: a $ref leads to one of the four or
//     within its own document.
//   - Nothing panics, whatever the bytes.
//
// # Limits
//
//   - Each document is checked by itself. Whether an id is unique, a superseded memory
//     exists or a time lies in the future is for the check of a workspace.
//   - The keywords are those of draft 2020-12 but for $anchor, $dynamicRef,
//     unevaluatedItems, minContains and maxContains, and an $id within a schema; of
//     older drafts' keywords definitions alone is known. A schema of a
//     workspace that uses one of these is reported and not used.
//   - The formats date-time, date, email, ipv4, ipv6, uri, uuid and regex are checked;
//     others are ignored.
//   - Regular expressions are those of Go's regexp: no look-ahead.
//   - A ttl is checked for its form, not for its size: "200000d" passes, though a
//     duration is at most 100 years, and so does 2026-02-30.
//   - A document has at most 100 findings; the last says how many more there were.
//   - A schema of a workspace has at most 100 levels, and asks at most 100,000
//     questions about one value.
//
// # Keywords of our own
//
// Other validators ignore them.
//
//	x-advice        ends a finding: what to write instead
//	x-severity      "error" or "warning"
//	x-fold          true: an enum compares trimmed and without case
//	x-memoryd-type  the type of memory that a schema of a workspace is for
//
// The format date-time is what memoryd reads: RFC 3339 but for leap seconds and
// lower-case letters.
package schemas
