// Package tomledit reads TOML with the place of every value, and changes one value of a text.
//
// A text is what a person wrote, and it stays theirs: an edit replaces, inserts or
// removes the bytes of one value, and every byte outside them survives: comments,
// order, blank lines, lists over several lines, line ends and a byte order mark.
//
// The decoder's time grows with the square of the number of keys, so a text with
// more than [MaxKeys] is refused. Nothing panics, whatever the bytes.
package tomledit

import (
	"bytes"
	"errors"
	"fmt"
	"strings"

	"github.com/pelletier/go-toml/v2"
)

// MaxKeys is the most keys that a text may have. That many are read within a second.
const MaxKeys = 10_000

// bom is the byte order mark that some editors put first.
const bom = "\ufeff"

// A SyntaxError is the first thing that is wrong with a text.
type SyntaxError struct {
	Line, Column int // from 1, in bytes; 0: it is about the whole text
	First        int // of a key that is set twice: the line that sets it first
	Message      string
}

func (e *SyntaxError) Error() string {
	if e.Line == 0 {
		return e.Message
	}
	return fmt.Sprintf("line %d, column %d: %s", e.Line, e.Column, e.Message)
}

// Of is what is wrong with a file of this name.
func (e *SyntaxError) Of(name string) error {
	if e.Line == 0 {
		return fmt.Errorf("%s: not valid TOML: %s", name, e.Message)
	}
	return fmt.Errorf("%s:%d:%d: not valid TOML: %s", name, e.Line, e.Column, e.Message)
}

// Decode reads a text into v. The error is a *[SyntaxError].
func Decode(text []byte, v any) error { return decode(text, v, false) }

// UnknownKeys are keys that a text has and its reader doesn't know.
type UnknownKeys []UnknownKey

// An UnknownKey is one of them, with its dots.
type UnknownKey struct {
	Key  string
	Line int
}

func (u UnknownKeys) Error() string {
	return fmt.Sprintf("line %d: %s is unknown", u[0].Line, u[0].Key)
}

// DecodeStrict is Decode, but keys that v has no field for are an error, [UnknownKeys]. All else is read.
func DecodeStrict(text []byte, v any) error { return decode(text, v, true) }

func decode(text []byte, v any, strict bool) error {
	for _, mark := range []string{"=", "[", "{"} { // each makes a key, or may
		if bytes.Count(text, []byte(mark)) > MaxKeys {
			return &SyntaxError{Message: fmt.Sprintf("more than %d settings or lists: split the file", MaxKeys)}
		}
	}
	decoder := toml.NewDecoder(bytes.NewReader(bytes.TrimPrefix(text, []byte(bom))))
	if strict {
		decoder.DisallowUnknownFields()
	}
	err := decoder.Decode(v)
	if missing, ok := errors.AsType[*toml.StrictMissingError](err); ok {
		var all UnknownKeys
		for i := range missing.Errors {
			line, _ := missing.Errors[i].Position()
			all = append(all, UnknownKey{strings.Join(missing.Errors[i].Key(), "."), line})
		}
		return all
	}
	if at, ok := errors.AsType[*toml.DecodeError](err); ok {
		line, column := at.Position()
		return &SyntaxError{Line: line, Column: column, Message: strings.TrimPrefix(at.Error(), "toml: ")}
	}
	if err != nil {
		return &SyntaxError{Message: strings.TrimPrefix(err.Error(), "toml: ")}
	}
	return nil
}
