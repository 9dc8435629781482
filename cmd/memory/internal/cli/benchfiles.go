package cli

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
)

// A collection begins and ends with these; between them are its memories.
const (
	collectionHead = "{\n  \"memories\": ["
	collectionTail = "\n  ]\n}\n"
)

// benchFiles writes made-up memories, up to perFile of a directory to a file: one is a file
// of its own, several are a collection.
type benchFiles struct {
	dir     string
	perFile int
	last    map[string]*benchFile // by directory
	names   []string
	bytes   int64 // of all files
}

// benchFile is the last one of a directory.
type benchFile struct {
	name     string
	number   int // in the directory
	memories int // that it has; 0: it is whole
}

// add writes a memory of a directory.
func (w *benchFiles) add(in string, r record) error {
	f := w.last[in]
	dir := filepath.Join(w.dir, filepath.FromSlash(in))
	if f == nil {
		if err := os.MkdirAll(dir, 0o755); err != nil {
			return err
		}
		f = &benchFile{}
		w.last[in] = f
	}
	if w.perFile == 1 {
		text, err := marshalIndent(r)
		if err != nil {
			return err
		}
		f.name = filepath.Join(dir, r.ID+".json")
		w.names = append(w.names, f.name)
		return w.write(f.name, text)
	}
	text := ",\n    "
	if f.memories == 0 {
		f.number++
		f.name = filepath.Join(dir, fmt.Sprintf("memories-%04d.json", f.number))
		w.names = append(w.names, f.name)
		text = collectionHead + "\n    "
	}
	element, err := marshal(r)
	if err != nil {
		return err
	}
	b := bytes.NewBufferString(text)
	if err := json.Indent(b, element, "    ", "  "); err != nil {
		return err
	}
	if f.memories++; f.memories == w.perFile {
		b.WriteString(collectionTail)
		f.memories = 0
	}
	return w.write(f.name, b.Bytes())
}

// end ends the collections that could take more.
func (w *benchFiles) end() error {
	for _, f := range w.last {
		if f.memories > 0 {
			if err := w.write(f.name, []byte(collectionTail)); err != nil {
				return err
			}
		}
	}
	return nil
}

// write puts text at the end of a file: large collections are not held in memory.
func (w *benchFiles) write(name string, text []byte) error {
	f, err := os.OpenFile(name, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o644)
	if err != nil {
		return err
	}
	w.bytes += int64(len(text))
	if _, err = f.Write(text); err != nil {
		f.Close()
		return err
	}
	return f.Close()
}
