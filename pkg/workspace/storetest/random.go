package storetest

import (
	"math/rand/v2"

	"pgregory.net/rapid"

	"github.com/memoryd/memoryd/pkg/workspace/storetest/random"
)

// At is [random.At].
var At = random.At

// Workspace is [random.Workspace].
func Workspace(t *rapid.T) map[string]string { return random.Workspace(t) }

// Write is [random.Write].
func Write(dir string, files map[string]string) error { return random.Write(dir, files) }

// Pick is [random.Pick].
func Pick(dir string, chance *rand.Rand) (string, []byte, error) { return random.Pick(dir, chance) }

// Put is [random.Put].
func Put(file string, text []byte) error { return random.Put(file, text) }
