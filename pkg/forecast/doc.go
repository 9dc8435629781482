// Package forecast tells when the rules will next change each memory if nothing else
// happens: when it will be merged, promoted, summarised or archived.
//
// The rules depend on the time only through ages: of a memory since it was created,
// was last read or given, or came back from the archive. So what they decide changes at few
// moments, which can be computed. Of each memory, and of those that have a say in
// what becomes of it, these are tried in order, with the rules themselves: the first
// at which a plan takes the memory is the forecast.
//
//	what influences it                  which memories
//	similar ones                         of one type and scope, above both thresholds
//	                                     of the merge rule, and theirs in turn; but only
//	                                     where one of them is still too young to be
//	                                     merged, or a person is asked about it
//	those that say the same              of procedures, in any scope
//
// Guarantees: a plan made at that second, from the same files, does with the memory
// what is foretold, and no plan of an earlier second changes it; whether the run has
// room for it is another question (what doesn't fit is deferred). A memory about which
// a person is asked now waits for the answer, so nothing is foretold of it; questions
// about updates that arise later are not foreseen. The answer is a function of
// the snapshot and the settings. Seconds are counted in UTC.
//
// Limits: what comes after that first change is not foretold, since it depends on
// what the change makes of the memory. Working memories are looked at as any run does
// that is not their session's end. Where very many young notes are all alike, each
// pair of them is compared.
package forecast
