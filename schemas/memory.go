package schemas

import (
	"fmt"
	"strings"
	"sync"

	"github.com/tidwall/gjson"
)

// checkMemory finds what a schema can't: repeated keys, keys that are almost
// known, and a memory that replaces itself.
func checkMemory(doc value, found *findings) {
	if !doc.IsObject() {
		return
	}
	repeated(doc, doc, nil, found)
	repeated(doc, doc.child("content"), []string{"content"}, found)
	known := knownKeys()
	for _, key := range doc.keys {
		if meant := known[bare(key)]; meant != "" && meant != key {
			found.add([]string{key}, Finding{doc.path([]string{key}), Warning, fmt.Sprintf("%q is not read: did you mean %q?", key, meant)})
		}
	}
	id := doc.child("id").Str
	for _, key := range []string{"supersedes", "superseded_by"} {
		ids := doc.child(key)
		itself(doc, found, id, ids, key)
		for i, other := range ids.children {
			if ids.IsArray() {
				itself(doc, found, id, other, key, fmt.Sprint(i))
			}
		}
	}
}

func itself(doc value, found *findings, id string, other value, at ...string) {
	if id == "" || other.Type != gjson.String || id != other.Str {
		return
	}
	path := doc.path(at)
	found.add(at, Finding{path, Warning, fmt.Sprintf("%s is %s, the memory itself: remove it", path, show(other))})
}

// repeated reports keys that an object has twice. Readers disagree about which
// one counts, so such a record is never written.
func repeated(doc, object value, at []string, found *findings) {
	for _, key := range object.repeated {
		place := append(at[:len(at):len(at)], key)
		path := doc.path(place)
		found.add(place, Finding{path, Error, fmt.Sprintf("%s is there twice, so the memory is never changed: remove one", path)})
	}
}

// knownKeys returns the members of a memory by their bare names.
var knownKeys = sync.OnceValue(func() map[string]string {
	known := map[string]string{}
	for _, key := range ours().documents[base+"memory.schema.json"].child("properties").keys {
		known[bare(key)] = key
	}
	return known
})

var punctuation = strings.NewReplacer("_", "", "-", "", " ", "")

// bare is a key without case and punctuation: created_at, createdAt and
// Created-At are the same.
func bare(key string) string { return strings.ToLower(punctuation.Replace(key)) }
