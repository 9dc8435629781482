package cli

import (
	"errors"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"
	"unsafe"

	"github.com/tidwall/gjson"

	"github.com/memoryd/memoryd/pkg/workspace"
)

// walkFloor is the least that anybody must do who wants to know of all memories: list the
// directories and describe the files, or, given how, read them too and look at their values. It
// lists while other cores look, keeps nothing, and reads into one buffer per core.
func walkFloor(dir string, look func(doc []byte) int) error {
	type batch struct {
		in    string
		names []string
	}
	work := make(chan batch, 1024)
	errs := make([]error, runtime.GOMAXPROCS(0))
	var group sync.WaitGroup
	for i := range errs {
		group.Go(func() {
			var buf []byte
			for b := range work {
				if errs[i] == nil {
					buf, errs[i] = floorFiles(b.in, b.names, look, buf)
				}
			}
		})
	}
	total := 0
	err := floorDirs(dir, func(in string, files []string) {
		total += len(files)
		// Few to a batch while few were found: a core that waits for the last one is no floor.
		for names := range slices.Chunk(files, min(max(total/128, 8), 128)) {
			work <- batch{in, names}
		}
	})
	close(work)
	group.Wait()
	return errors.Join(append(errs, err)...)
}

// floorDirs calls found with the files of each directory. What doesn't end as a file of
// memories does is a directory: the workspace is of our making.
func floorDirs(dir string, found func(in string, files []string)) error {
	dirs := []string{dir}
	for len(dirs) > 0 {
		in := dirs[0]
		dirs = dirs[1:]
		names, err := floorNames(in)
		if err != nil {
			return err
		}
		files := names[:0]
		for _, name := range names {
			switch {
			case strings.HasSuffix(name, ".json"):
				files = append(files, name)
			case in != dir || name != workspace.OpsDir:
				dirs = append(dirs, filepath.Join(in, name))
			}
		}
		found(in, files)
	}
	return nil
}

// extract goes over the members of an object, or of each memory of a collection, as gjson
// offers it, and counts them.
func extract(doc []byte) (values int) {
	text := unsafe.String(unsafe.SliceData(doc), len(doc))
	collection := strings.HasPrefix(text, collectionHead)
	gjson.Parse(text).ForEach(func(_, v gjson.Result) bool {
		if values++; collection {
			v.ForEach(func(_, memory gjson.Result) bool {
				memory.ForEach(func(gjson.Result, gjson.Result) bool { values++; return true })
				return true
			})
		}
		return true
	})
	return values
}

// lookOnce goes over the members of an object, or of each memory of a collection, and
// counts them. To find where an array or a memory ends before it is looked at would be
// another look at its bytes, and a copy of them would be garbage that the floor waits for.
func lookOnce(doc []byte) (values int) {
	text, end := unsafe.String(unsafe.SliceData(doc), len(doc)), 0
	look := func(object string) {
		gjson.Parse(object).ForEach(func(_, v gjson.Result) bool {
			values, end = values+1, v.Index+len(v.Raw)
			return true
		})
	}
	rest, ok := strings.CutPrefix(text, collectionHead)
	if !ok {
		look(text)
		return values
	}
	for at := strings.IndexByte(rest, '{'); at >= 0; at = strings.IndexByte(rest, '{') {
		rest, end = rest[at:], 1
		look(rest)
		rest = rest[end:]
	}
	return values
}
