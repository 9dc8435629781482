package random

import (
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
)

// Pick chooses a JSON file outside ops/, and reads it; "" where there is none.
func Pick(dir string, chance *rand.Rand) (file string, text []byte, err error) {
	var files []string
	err = filepath.WalkDir(dir, func(name string, d fs.DirEntry, err error) error {
		if err == nil && !d.IsDir() && strings.HasSuffix(name, ".json") && !strings.Contains(filepath.ToSlash(name), "/ops/") {
			files = append(files, name)
		}
		return err
	})
	if err != nil || len(files) == 0 {
		return "", nil, err
	}
	file = files[chance.IntN(len(files))]
	text, err = os.ReadFile(file)
	return file, text, err
}

// Put writes a file in place; missing directories are made.
func Put(file string, text []byte) error {
	if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
		return err
	}
	return os.WriteFile(file, text, 0o644)
}
