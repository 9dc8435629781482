package memory

import (
	"crypto/sha256"
	"encoding/hex"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/zeebo/xxh3"

	"github.com/memoryd/memoryd/pkg/indexfile"
	"github.com/memoryd/memoryd/pkg/text"
)

// Names with a meaning of their own in a workspace.
const (
	ConfigFile  = "memory.toml"
	IndexFile   = "_index.json"
	EdgesFile   = "_edges.json"
	ProfileFile = "_memory.json"
	ArchiveDir  = "archive"
	OpsDir      = "ops"
	SchemasDir  = "schemas"
	LogFile     = "ops/consolidation-log.json"
	SavesFile   = "ops/saves.jsonl" // the end of the log: saves that the next run moves into it
	ReviewFile  = "ops/review.json"
	SeenFile    = "ops/seen.json"
	LockFile    = "ops/.lock"
	OriginalDir = "ops/originals"
)

// Ref is the place of a record: a file of the workspace and, inside a
// collection, the array and the position in it.
type Ref struct {
	File  string   // slash-separated, relative to the workspace
	Array []string // keys leading to the array; nil when the file is the record
	Index int      // position in the array
}

// Whole reports whether the record is the whole file.
func (r Ref) Whole() bool { return r.Array == nil }

// Pointer is the place inside the file as a JSON Pointer (RFC 6901), "" for a
// whole file.
func (r Ref) Pointer() string {
	if r.Whole() {
		return ""
	}
	return Pointer(r.Array) + "/" + strconv.Itoa(r.Index)
}

// String is the file and, behind a #, the pointer as a URI fragment (RFC 6901,
// section 6), as far as that keeps it apart from the file.
func (r Ref) String() string {
	if r.Whole() {
		return r.File
	}
	return r.File + "#" + fragmentEscape.Replace(r.Pointer())
}

var (
	fragmentEscape   = strings.NewReplacer("%", "%25", "#", "%23")
	fragmentUnescape = strings.NewReplacer("%25", "%", "%23", "#")
)

var pointerEscape = strings.NewReplacer("~", "~0", "/", "~1")

// Pointer is the JSON Pointer of an array that keys lead to.
func Pointer(keys []string) string {
	var b strings.Builder
	for _, k := range keys {
		b.WriteByte('/')
		pointerEscape.WriteString(&b, k)
	}
	return b.String()
}

// parsePointer undoes Ref.Pointer: the array's keys and the position.
func parsePointer(p string) (array []string, index int, ok bool) {
	if !strings.HasPrefix(p, "/") {
		return nil, 0, false
	}
	keys := strings.Split(p[1:], "/")
	index, err := strconv.Atoi(keys[len(keys)-1])
	if err != nil || index < 0 {
		return nil, 0, false
	}
	array = []string{}
	for _, k := range keys[:len(keys)-1] {
		array = append(array, strings.ReplaceAll(strings.ReplaceAll(k, "~1", "/"), "~0", "~"))
	}
	return array, index, true
}

// ParseRef undoes Ref.String.
func ParseRef(text string) (Ref, bool) {
	file, place := text, ""
	if i := strings.LastIndex(text, "#/"); i >= 0 {
		file, place = text[:i], fragmentUnescape.Replace(text[i+1:])
	}
	array, index, inside := parsePointer(place)
	if !inside {
		file = text
	}
	if indexfile.Resolve(".", file) == "" {
		return Ref{}, false
	}
	return Ref{File: file, Array: array, Index: index}, true
}

// FoldName is a name as a file system compares it that ignores case and Unicode form.
func FoldName(name string) string { return text.FoldName(name) }

// Digest identifies the bytes of a record or file: SHA-256 in hex.
type Digest string

// DigestOf hashes data.
func DigestOf(data []byte) Digest {
	sum := sha256.Sum256(data)
	return Digest(hex.EncodeToString(sum[:]))
}

// Checksum tells the bytes of a record from others at a tenth of the cost of their digest: XXH3
// of 128 bits (Y. Collet, xxHash). It does so by chance, not against somebody who makes two
// records of one checksum on purpose: what is acted upon goes by the digest.
type Checksum [16]byte

// ChecksumOf computes the checksum of data.
func ChecksumOf(data []byte) Checksum { return xxh3.Hash128(data).Bytes() }

// maxName is how long a file or directory name of ours may be in bytes, so that every file system takes it with what is put to it.
const maxName = 100

// FileName turns an id into a file or directory name that every file system
// takes: letters, marks and digits of any script, dot, dash and underscore stay, composed (NFC); an id with anything
// else, or too long, or reserved, becomes a cleaned form plus a part of its hash.
func FileName(id string) string {
	id = text.Composed(id)
	clean := strings.Map(func(r rune) rune {
		if inFileName(r) {
			return r
		}
		return '_'
	}, id)
	if clean == id && len(id) <= maxName && id != "" && id[0] != '.' && id[0] != '_' && id[len(id)-1] != '.' && !reservedName(id) {
		return id
	}
	clean = strings.Trim(clean, "._")
	if end := 60; len(clean) > end {
		for !utf8.RuneStart(clean[end]) {
			end--
		}
		clean = clean[:end]
	}
	return "x-" + clean + "-" + string(DigestOf([]byte(id))[:12])
}

// inFileName reports whether a character stays in a file name: one that is seen, in every script, and means nothing to a shell.
func inFileName(r rune) bool {
	switch {
	case r < utf8.RuneSelf:
		return r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' || r == '-' || r == '_' || r == '.'
	case unicode.In(r, unicode.Other_Default_Ignorable_Code_Point, unicode.Variation_Selector):
		return false
	}
	return unicode.In(r, unicode.L, unicode.M, unicode.N)
}

// reservedName reports device names that Windows refuses as file names.
func reservedName(id string) bool {
	stem, _, _ := strings.Cut(strings.ToUpper(id), ".")
	switch stem {
	case "CON", "PRN", "AUX", "NUL":
		return true
	}
	return len(stem) == 4 && (strings.HasPrefix(stem, "COM") || strings.HasPrefix(stem, "LPT")) && stem[3] >= '0' && stem[3] <= '9'
}

// InArchive reports whether a file is in the archive.
func InArchive(file string) bool {
	return strings.HasPrefix(file, ArchiveDir+"/") && !strings.HasSuffix(file, ".md") // a directory of a host's notes may have that name
}
