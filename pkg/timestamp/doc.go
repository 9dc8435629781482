// Package timestamp reads the times in records and documents, and writes ours.
//
// Guarantees: nothing that [Parse] reads is an error, and what it takes for a time
// can be written again and means the same moment, to the second. A time doesn't know
// what its zone is called, so that equal texts give equal times on every machine.
//
// Limits: seconds are whole when written; a leap second is the one after it.
package timestamp
