package schemas

import (
	"fmt"
	"strings"
	"sync"

	"github.com/tidwall/gjson"
)

// checkMemory finds what a schema can't: repeated keys, keys that are almost
// known, and a memory that replaces itself.
func checkMemory(doc *document, found *findings) {
	memory, ok := doc.value.(map[string]any)
	if !ok {
		return
	}
	root := gjson.ParseBytes(doc.raw)
	repeated(doc, root, nil, found)
	repeated(doc, root.Get("content"), []string{"content"}, found)
	known := knownKeys()
	for key := range memory {
		if meant := known[bare(key)]; meant != "" && meant != key {
			path := doc.path([]string{key})
			found.add([]string{key}, Finding{path, Warning, fmt.Sprintf("%q is not read: did you mean %q?", key, meant)})
		}
	}
	id, _ := memory["id"].(string)
	for _, key := range []string{"supersedes", "superseded_by"} {
		switch ids := memory[key].(type) {
		case string:
			itself(doc, found, id, ids, key)
		case []any:
			for i, other := range ids {
				if s, ok := other.(string); ok {
					itself(doc, found, id, s, key, fmt.Sprint(i))
				}
			}
		}
	}
}

func itself(doc *document, found *findings, id, other string, at ...string) {
	if id == "" || id != other {
		return
	}
	path := doc.path(at)
	found.add(at, Finding{path, Warning, fmt.Sprintf("%s is %s, the memory itself: remove it", path, show(other))})
}

// repeated reports keys that an object has twice. Readers disagree about which
// one counts, so such a record is never written.
func repeated(doc *document, object gjson.Result, at []string, found *findings) {
	if !object.IsObject() {
		return
	}
	seen := map[string]bool{}
	object.ForEach(func(key, _ gjson.Result) bool {
		if seen[key.Str] {
			place := append(at[:len(at):len(at)], key.Str)
			path := doc.path(place)
			found.add(place, Finding{path, Error, fmt.Sprintf("%s is there twice, so the memory is never changed: remove one", path)})
		}
		seen[key.Str] = true
		return true
	})
}

// knownKeys returns the members of a memory by their bare names.
var knownKeys = sync.OnceValue(func() map[string]string {
	known := map[string]string{}
	if all, err := ours(); err == nil {
		schema, _ := all["memory"].documents[base+"memory.schema.json"].(map[string]any)
		properties, _ := schema["properties"].(map[string]any)
		for key := range properties {
			known[bare(key)] = key
		}
	}
	return known
})

var punctuation = strings.NewReplacer("_", "", "-", "", " ", "")

// bare is a key without case and punctuation: created_at, createdAt and
// Created-At are the same.
func bare(key string) string { return strings.ToLower(punctuation.Replace(key)) }
