package main

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"time"

	"github.com/tidwall/gjson"
)

// A floor is work that no implementation can avoid; see the doc of the command.
type floor string

const (
	noFloor   floor = ""
	statFloor floor = "stat" // list the directories and stat each file
	readFloor floor = "read" // read each file, too, and look at its values once
	// Write a small file, fsync it, rename it, and fsync its directory.
	writeFloor floor = "durable write"
)

// measure does the work of a floor once.
func (f floor) measure(dir string) (time.Duration, error) {
	started := time.Now()
	var err error
	switch f {
	case statFloor:
		err = eachFile(dir, func(name string) error { _, err := os.Lstat(name); return err })
	case readFloor:
		err = eachFile(dir, func(name string) error {
			doc, err := os.ReadFile(name)
			lookOnce(string(doc))
			return err
		})
	case writeFloor:
		err = writeDurably(dir)
	}
	if err != nil {
		return 0, fmt.Errorf("measure the floor %q: %w", f, err)
	}
	return time.Since(started), nil
}

// writeDurably writes a small file below ops, as durably as the system does it, and removes it.
func writeDurably(dir string) (err error) {
	name := filepath.Join(dir, "ops", "floor.json")
	f, err := os.Create(name + ".tmp")
	if err != nil {
		return err
	}
	_, err = f.Write(make([]byte, 500))
	if err = errors.Join(err, f.Sync(), f.Close()); err == nil {
		err = os.Rename(name+".tmp", name)
	}
	if err != nil {
		return err
	}
	d, err := os.Open(filepath.Dir(name))
	if err != nil {
		return err
	}
	return errors.Join(d.Sync(), d.Close())
}

// contents is how many files there are below a directory, and their bytes.
func contents(dir string) (files int, bytes int64, err error) {
	err = filepath.WalkDir(dir, func(_ string, e fs.DirEntry, err error) error {
		if err != nil || e.IsDir() {
			return err
		}
		info, err := e.Info()
		if errors.Is(err, fs.ErrNotExist) {
			return nil
		}
		if err == nil {
			files++
			bytes += info.Size()
		}
		return err
	})
	return files, bytes, err
}

// eachFile calls visit for each JSON file below dir but those of ops, on all cores.
func eachFile(dir string, visit func(name string) error) error {
	work := make(chan string, 4096)
	errs := make([]error, runtime.GOMAXPROCS(0))
	var group sync.WaitGroup
	for i := range errs {
		group.Go(func() {
			for name := range work {
				if err := visit(name); err != nil {
					errs[i] = err
				}
			}
		})
	}
	err := filepath.WalkDir(dir, func(name string, e fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case e.IsDir() && name == filepath.Join(dir, "ops"):
			return fs.SkipDir
		case !e.IsDir() && strings.HasSuffix(name, ".json"):
			work <- name
		}
		return nil
	})
	close(work)
	group.Wait()
	return errors.Join(append(errs, err)...)
}

// lookOnce visits the members of a document's object, as gjson finds them, and counts them.
func lookOnce(doc string) (values int) {
	gjson.Parse(doc).ForEach(func(_, _ gjson.Result) bool { values++; return true })
	return values
}
