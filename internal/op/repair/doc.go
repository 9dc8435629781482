// Package repair finds what is wrong with a workspace, and fixes what can be rebuilt.
//
// [Check] reads everything and changes no memory; [Problems] is what it finds in the workspace alone, without git and
// the code. [Fix] deletes nothing but derived files, and what it changes in memories and edges can be undone.
package repair
