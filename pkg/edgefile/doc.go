// Package edgefile is _edges.json as a document: the judged edges between memories, which a person or a model has stated, or refused.
//
// It lies next to the _index.json of the memory that an edge begins at:
//
//	{
//	  "version": "1.0.0",
//	  "edges": [
//	    {"from": "mem_a", "type": "DEPENDS_ON", "to": "mem_b", "confidence": 0.9, "by": "USER", "reason": "…", "quote": "…", "digests": ["…", "…"]}
//	  ]
//	}
//
// Edges stand one a line, sorted by from, type and to, which are the name of an edge: there is one at most of each. "digests" are those of the
// two memories as they were judged; "rejected": true says that the edge was refused, and is not to be proposed again.
//
// Guarantees: [Patch] changes the edges it must and no other byte; unknown members stay, and so does what somebody else put into the list. It
// leaves an edge alone that is not as the change expects it, so that nobody's edit is lost. Applying a change twice is applying it once, and
// the [Change.Inverse] of a change takes it back. Nothing panics on any input. The document is JSON of any layout.
package edgefile
