package config

import (
	"cmp"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/memoryd/memoryd/pkg/internal/tomledit"
)

// errNotAlone is about a setting that can't be changed without another.
var errNotAlone = errors.New("it is not written as a value of its own: edit the file by hand")

// Set returns the text of a memory.toml with a setting of another value: a literal of TOML, or a text without its quotes.
// Nothing else that the file says changes, and every other byte stays. name is used in messages.
func Set(name string, text []byte, key, value string) ([]byte, error) {
	before, doc, err := parse(name, text)
	if err != nil {
		return nil, err
	}
	literals := []string{tomledit.Quote(value)}
	if literal := strings.TrimSpace(value); tomledit.IsValue(literal) {
		literals = slices.Insert(literals, 0, literal) // a number, a list, a text in its quotes
	}
	var failed error
	for _, literal := range literals {
		after, err := doc.Set(pathOf(doc, key), literal)
		if err != nil {
			return nil, fmt.Errorf("%s: %s: %w", name, plain(key), errNotAlone)
		}
		now, err := Parse(name, after)
		if err == nil {
			return after, before.sameBut(now, name, key)
		}
		failed = cmp.Or(failed, err)
	}
	return nil, failed
}

// Unset returns the text of a memory.toml without a setting; the same text where it isn't set.
func Unset(name string, text []byte, key string) ([]byte, error) {
	before, doc, err := parse(name, text)
	if err != nil {
		return nil, err
	}
	after, err := doc.Unset(pathOf(doc, key))
	if err != nil {
		return nil, fmt.Errorf("%s: %s: %w", name, plain(key), errNotAlone)
	}
	now, err := Parse(name, after)
	if err != nil {
		return nil, err
	}
	return after, before.sameBut(now, name, key)
}

// pathOf returns where a setting is in a file, or where it belongs: a section may be written with its other name.
func pathOf(doc *tomledit.Document, key string) []string {
	section, short, ok := strings.Cut(key, ".")
	if !ok {
		return []string{key}
	}
	path := []string{section, short}
	for _, name := range keysOf(doc.Root) {
		if canonical(name) != section {
			continue
		}
		path[0] = name
		for _, other := range keysOf(doc.Root.Table[name]) {
			if canonicalKey(name+"."+other) == key {
				return []string{name, other}
			}
		}
	}
	return path
}

// sameBut is an error if two files differ in another setting than key.
func (c *Config) sameBut(other *Config, name, key string) error {
	was, is := c.written(), other.written()
	delete(was, key)
	delete(is, key)
	if !maps.Equal(was, is) {
		return fmt.Errorf("%s: %s: %w", name, plain(key), errNotAlone)
	}
	return nil
}

// written returns the values that a file itself sets.
func (c *Config) written() map[string]string {
	all := map[string]string{}
	for _, v := range c.Values() {
		if _, ok := c.set[v.Key]; ok {
			all[v.Key] = v.Value
		}
	}
	return all
}
