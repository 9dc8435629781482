package access

import (
	"errors"
	"fmt"

	"github.com/tidwall/gjson"

	"github.com/memoryd/memoryd/pkg/memory"
)

// ErrForbidden is in every refusal of [Allows].
var ErrForbidden = errors.New("not granted")

// Principal is whom a store serves. It is asked by several goroutines at a time.
type Principal interface {
	// Name is the author of the memories that the principal writes.
	Name() string
	// Read reports whether memories of a scope are seen.
	Read(memory.Scope) bool
	// Write reports whether memories of a scope may be changed, made and archived.
	Write(memory.Scope) bool
}

// Change is one record that is to be written, moved or removed.
type Change struct {
	// Before is the record as it is; nil for a new one. After is the record as it will be; nil
	// where it is removed.
	Before, After *memory.Memory
	// Files are those that are written. The place of an archived record gives no scope.
	Files []string
	// Command: the principal asked for this change by name. What a rule makes may carry another
	// author and counts of its own.
	Command bool
	// Beside are the other records that the same action changes. A record that is made from them
	// may carry on their authors and their reads.
	Beside []*memory.Memory
}

// Allows reports whether a principal may make a change. The error wraps [ErrForbidden] and names
// the scope that is missing, or the member that the principal may not set:
//
//   - the scopes of Before, of After and of each file must be writable;
//   - a command keeps the author; a new memory is by the principal, or by the author of a record
//     that it is made from;
//   - a command can't claim more reads than the records that it is made from have.
func Allows(p Principal, c Change) error {
	for _, scope := range c.scopes() {
		if !p.Write(scope) {
			return fmt.Errorf("changing memories of %s is %w to %s", scope, ErrForbidden, p.Name())
		}
	}
	if !c.Command || c.After == nil {
		return nil
	}
	from := c.Beside
	if c.Before != nil {
		from = append([]*memory.Memory{c.Before}, from...)
	}
	author, reads := c.Before == nil && c.After.CreatedBy == p.Name(), int64(0)
	for i, m := range from {
		reads += m.AccessCount
		if c.After.CreatedBy == m.CreatedBy && (c.Before == nil || i == 0) {
			author = true
		}
	}
	switch {
	case !author:
		return fmt.Errorf("setting created_by of %s to %q is %w to %s", c.After.ID, c.After.CreatedBy, ErrForbidden, p.Name())
	case c.After.AccessCount > reads:
		return fmt.Errorf("setting access_count of %s to %d is %w to %s", c.After.ID, c.After.AccessCount, ErrForbidden, p.Name())
	}
	return nil
}

// scopes are those that a change touches, each once.
func (c *Change) scopes() (all []memory.Scope) {
	seen := map[memory.Scope]bool{}
	add := func(s memory.Scope) {
		if !seen[s] {
			seen[s] = true
			all = append(all, s)
		}
	}
	for _, m := range []*memory.Memory{c.Before, c.After} {
		// The place of an archived record says nothing about its scope.
		if m != nil && (!memory.InArchive(m.File) || gjson.GetBytes(m.Raw(), "scope").Exists()) {
			add(m.Scope)
		}
	}
	for _, file := range c.Files {
		if file != "" && !memory.InArchive(file) {
			add(memory.ScopeOf(file))
		}
	}
	return all
}
