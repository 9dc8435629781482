package schemas

import (
	"fmt"
	"maps"
	"net/url"
	"slices"
	"strings"
)

// An Extension is what a workspace demands of its memories on top of ours. The
// nil Extension demands nothing.
type Extension struct {
	checks []func(value, *findings)
}

// Extend compiles the schemas of a workspace, file names to texts. Those are used
// that say which memories they are for:
//
//   - a top-level "$ref", alone or within "allOf", to the $id of our memory schema:
//     every memory
//   - "x-memoryd-type": memories of that type, "episodic" say
//
// Other files are ignored: a directory of schemas may hold anything. One that
// can't be read or compiled is left out and reported as a warning, with the file
// name as its path.
func Extend(files map[string][]byte) (*Extension, []Finding) {
	x := &Extension{}
	var reports []Finding
	for _, name := range slices.Sorted(maps.Keys(files)) {
		check, problem := extension(name, files[name])
		switch {
		case problem != "":
			reports = append(reports, Finding{name, Warning, fmt.Sprintf("%s is not used: %s", name, problem)})
		case check != nil:
			x.checks = append(x.checks, check)
		}
	}
	return x, reports
}

// ValidateMemory is the package's ValidateMemory with the demands of the
// workspace. Where both find something, our finding is returned.
func (x *Extension) ValidateMemory(raw []byte) []Finding {
	further := []func(value, *findings){checkMemory}
	if x != nil {
		further = append(further, x.checks...)
	}
	return validate("memory", raw, further...)
}

// ValidateEdit is what an edited record has wrong that it had not before: what was
// wrong already stands in nobody's way. old is nil for a new record.
func (x *Extension) ValidateEdit(old, raw []byte) (found []Finding) {
	known := map[Finding]bool{}
	if old != nil {
		for _, f := range x.ValidateMemory(old) {
			known[f] = true
		}
	}
	for _, f := range x.ValidateMemory(raw) {
		if !known[f] {
			found = append(found, f)
		}
	}
	return found
}

// extension returns the check that a schema asks for; nil if it is none of ours.
func extension(name string, text []byte) (check func(value, *findings), problem string) {
	doc, problem := decode(text)
	if problem != "" {
		return nil, problem
	}
	only := doc.child("x-memoryd-type")
	if only.Exists() && only.Str == "" {
		return nil, fmt.Sprintf("x-memoryd-type is %s: write a type of memory such as \"episodic\"", show(only))
	}
	if !only.Exists() && !extendsMemory(doc) {
		return nil, ""
	}
	if doc.deeper(maxLevels) {
		return nil, fmt.Sprintf("it has more than %d levels", maxLevels)
	}
	if draft := doc.child("$schema").Str; draft != "" && !strings.Contains(draft, "://json-schema.org/") {
		return nil, notLoaded(draft).Error()
	}
	l := ours()
	var found findings
	if l.keywords.check(doc, &found); len(found.all) > 0 {
		return nil, found.list()[0].Message
	}
	address := base + "workspace/" + url.PathEscape(name)
	b := &builder{documents: maps.Clone(l.documents), built: map[string]*schema{}}
	b.documents[address] = doc
	if id := strings.TrimSuffix(doc.child("$id").Str, "#"); id != "" && !b.documents[id].Exists() {
		b.documents[id] = doc
	}
	s, err := b.build(address, "", doc)
	if err != nil {
		return nil, strings.ReplaceAll(err.Error(), "\n", " ")
	}
	if problem := tooMuch(s); problem != "" {
		return nil, problem
	}
	c := checker{schema: s, severity: Warning, suffix: " (" + name + ")"}
	return func(memory value, found *findings) {
		if !only.Exists() || memory.child("type").Str == only.Str {
			c.check(memory, found)
		}
	}, ""
}

// extendsMemory tells whether a schema as a whole builds on ours for memories.
func extendsMemory(root value) bool {
	return slices.ContainsFunc(append([]value{root}, root.child("allOf").children...), func(part value) bool {
		return strings.TrimSuffix(part.child("$ref").Str, "#") == base+"memory.schema.json"
	})
}
