package workspace

import (
	"bytes"
	"slices"
	"strings"
	"sync"
)

// parses remembers what collections hold as they were last read or are about to be
// written: a run looks at each of them several times, before it and after it too. It is
// safe for concurrent use. A nil one remembers nothing.
type parses struct {
	mu    sync.Mutex
	files map[string][]parsedFile // the last two contents of each
	size  int
}

// parsedFile is a content of a file and the records in it.
type parsedFile struct {
	data    []byte
	records []*Memory
	arrays  []string
}

// maxParsed is how many bytes of files are remembered from one run to the next.
const maxParsed = 8 << 20

// file is [readFile]. Nobody may write to what it gives.
func (p *parses) file(name string, data []byte) ([]*Memory, []string, error) {
	if p == nil {
		return readFile(name, data)
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	for _, known := range p.files[name] {
		if bytes.Equal(known.data, data) {
			return known.records, known.arrays, nil
		}
	}
	name = strings.Clone(name) // it may be a part of all that was read with it
	records, arrays, err := readFile(name, data)
	if err == nil && len(records) > 1 {
		p.keep(name, parsedFile{data, records, arrays})
	}
	return records, arrays, err
}

// records is [readRecords]. Nobody may write to what it gives.
func (p *parses) records(name string, data []byte) ([]*Memory, error) {
	records, _, err := p.file(name, data)
	return records, err
}

func (p *parses) keep(name string, f parsedFile) {
	if p.files == nil {
		p.files = map[string][]parsedFile{}
	}
	known := p.files[name]
	if p.size += len(f.data); len(known) == 2 {
		p.size -= len(known[0].data)
		known = known[1:]
	}
	p.files[name] = append(slices.Clip(known), f)
}

// trim forgets all when that is too much to be kept for the next run.
func (p *parses) trim() {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.size > maxParsed {
		p.files, p.size = nil, 0
	}
}
