// Package merge brings together what two machines made of one document of a workspace, given the bytes that both began from.
//
// A merge is a pure function of base, ours and theirs, and gives the same bytes whichever side is called ours. What only one
// side changed is taken byte for byte. Where both changed a document, the newer one (by updated_at or last_updated, then created_at,
// then bytes) gives the form, and only what comes from the other side is edited in. Then:
//
//	objects             by key: what either side added stands, what either took out is gone
//	lists               as multisets, likewise, in the order of the newer side; within a content they are values
//	variants            by path or text and from: what either side dropped is gone, also if the other changed it
//	access_count        both increments
//	times               the latest: created_at, updated_at, last_accessed
//	priority            the highest
//	confidence          the lowest
//	links               united: supersedes, superseded_by, promoted_to, promoted_from
//	other values        the newer side's stands; the other is noted as a conflict
//	removed / changed   the change stands; the removal is noted as a conflict
//	collections         records by id, sorted by id
//	_index.json         entries by id, sorted by id; counts and maps again
//	edges               by from, type and to, sorted so; a person's before a model's
//	review queues       pairs by id; a decision settles its pair
//	*.jsonl             multisets of lines
//	logs                one side goes on, the entries of the other are a log of their own next to it
//
// A conflict is data: "merge_conflicts" in the record keeps the path (a JSON Pointer into the record), the base, the value that was kept and the other
// one. So the file stays valid, and nothing that a side added is lost. Derived documents (indexes, queues, edges) have no
// place for that: of two values the newer stands.
//
// Refused, for the caller to leave as they are: what is not JSON, objects with duplicate keys that both sides changed, a record
// id twice in a collection, logs of which one side was continued in a new file (their entries are chained by hashes), and documents that
// hold no memory and contradict each other.
//
// Limits: those of jsonedit. Values are compared as bytes without insignificant white space: 1.0 is not 1.
package merge
