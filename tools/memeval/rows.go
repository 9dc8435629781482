package main

import (
	"bufio"
	"bytes"
	"compress/gzip"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"
	"unicode"
)

// maxRow is the longest row. A longer one is an error, so that memory use is bounded.
const maxRow = 64 << 20

// eachRow calls do for every line of a file that is not blank, "-" being stdin.
// Errors name the file and the line.
func eachRow(name string, stdin io.Reader, do func(line []byte) error) (err error) {
	in := stdin
	if name == "-" {
		name = "standard input"
	} else {
		f, err := os.Open(name)
		if err != nil {
			return err // says "open", the name and the cause
		}
		defer f.Close()
		in = f
	}
	r, err := unzip(in)
	if err != nil {
		return fmt.Errorf("read %s: %w", name, err)
	}
	lines := bufio.NewScanner(r)
	lines.Buffer(make([]byte, 0, 64<<10), maxRow)
	n := 0
	for lines.Scan() {
		n++
		line := lines.Bytes()
		if n == 1 {
			line = bytes.TrimPrefix(line, []byte("\ufeff"))
		}
		if line = bytes.TrimSpace(line); len(line) == 0 {
			continue
		}
		if err := do(line); err != nil {
			return fmt.Errorf("%s:%d: %w", name, n, err)
		}
	}
	switch err := lines.Err(); {
	case errors.Is(err, bufio.ErrTooLong):
		return fmt.Errorf("%s:%d: the row is longer than %d MiB", name, n+1, maxRow>>20)
	case err != nil:
		return fmt.Errorf("read %s behind line %d: %w", name, n, err)
	}
	return nil
}

// unzip recognises compressed input by its first two bytes (RFC 1952). The name of the
// file doesn't matter, and the standard input may be compressed too.
func unzip(in io.Reader) (io.Reader, error) {
	r := bufio.NewReaderSize(in, 64<<10)
	if magic, err := r.Peek(2); err != nil || magic[0] != 0x1f || magic[1] != 0x8b {
		return r, nil //nolint:nilerr // reading on meets the same error again
	}
	return gzip.NewReader(r)
}

// decode reads a row and ignores unknown fields.
func decode(line []byte, row any) error {
	err := json.Unmarshal(line, row)
	var wrong *json.UnmarshalTypeError
	if errors.As(err, &wrong) && wrong.Field != "" {
		return fmt.Errorf("the field %q is of the wrong type: %s", wrong.Field, wrong.Value)
	} else if errors.As(err, &wrong) {
		return fmt.Errorf("a row is a JSON object: found %s", wrong.Value)
	}
	return err
}

// field is a required field of a row.
type field struct {
	name  string
	value *string
}

// need reports the first required field that is missing.
func need(fields ...field) error {
	for _, f := range fields {
		if f.value == nil {
			return fmt.Errorf("the field %q is missing", f.name)
		}
	}
	return nil
}

// rowID reports an id that can't be a column of the answer.
func rowID(id *string) error {
	if err := need(field{"id", id}); err != nil {
		return err
	}
	if *id == "" || strings.ContainsFunc(*id, unicode.IsControl) {
		return fmt.Errorf("the field \"id\" is %q: it must be text without tabs and line breaks", *id)
	}
	return nil
}

// cell makes text fit into a column.
func cell(text string) string {
	return strings.Map(func(r rune) rune {
		if unicode.IsControl(r) {
			return ' '
		}
		return r
	}, text)
}
