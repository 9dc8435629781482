// Package graph tells how memories are linked: by what their records and texts state, and by edges that a person or a model has judged. It is
// pure.
//
// # Concept
//
// A stated edge is computed, and stands nowhere:
//
//	field      an entry of references, supersedes, superseded_by, promoted_to, promoted_from, or a member of a cluster's summary
//	mention    a text that names another memory: by its id, by the path of its file, or by its title
//
// What a mention says of the two is read from words of the sentence before the name ("depends on", "blocked by", "implements", "fixes",
// "contradicts", "supersedes"), unless they are negated; else the two are related (RELATES_TO).
//
// A judged edge stands in _edges.json (package edgefile). It counts while both memories say what they said when it was judged; one that a
// person has stated counts as long as both are there. One that was rejected hides a mention of the same name.
//
// # Guarantees
//
// The same memories and edges give the same graph, sorted by from, type and to, with one edge of each name; what a field states comes before
// what a person says, that before a mention, and that before what a model says. Nothing panics on any input. The cost is linear in the texts.
//
// # Limits
//
// Only titles of three words or more that one memory has are looked for, and ids with a digit or a sign in them. Words that tell the type of a
// mention are English ones.
package graph
