// Package supersession tells whether a newer text updates an older one: makes it
// untrue, repeats it, or has nothing to do with it.
package supersession
