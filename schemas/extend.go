package schemas

import (
	"errors"
	"fmt"
	"maps"
	"net/url"
	"slices"
	"strings"

	"github.com/santhosh-tekuri/jsonschema/v6"
)

// An Extension is what a workspace demands of its memories on top of ours. The
// nil Extension demands nothing.
type Extension struct {
	checks []func(*document, *findings)
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
// workspace. Where both find something, ours is told.
func (x *Extension) ValidateMemory(raw []byte) []Finding {
	further := []func(*document, *findings){checkMemory}
	if x == nil || len(x.checks) == 0 {
		if plainMemory(raw) {
			return nil
		}
	} else {
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
func extension(name string, text []byte) (check func(*document, *findings), problem string) {
	doc, problem := decode(text)
	if problem != "" {
		return nil, problem
	}
	root, _ := doc.checked.(map[string]any)
	only, typed := root["x-memoryd-type"]
	kind, ok := only.(string)
	if typed && (!ok || kind == "") {
		return nil, fmt.Sprintf("x-memoryd-type is %s: write a type of memory such as \"episodic\"", show(only))
	}
	if !typed && !extendsMemory(root) {
		return nil, ""
	}
	if tooDeep(root, maxLevels) {
		return nil, fmt.Sprintf("it has more than %d levels", maxLevels)
	}
	compiler, documents, err := newCompiler()
	if err != nil {
		return nil, err.Error()
	}
	address := base + "workspace/" + url.PathEscape(name)
	if err := compiler.AddResource(address, root); err != nil {
		return nil, err.Error()
	}
	compiled, err := compiler.Compile(address)
	if err != nil {
		return nil, compileProblem(doc, err)
	}
	if problem := tooMuch(compiled); problem != "" {
		return nil, problem
	}
	documents[address] = root
	s := &schema{compiled: compiled, documents: documents, severity: Warning, suffix: " (" + name + ")"}
	return func(memory *document, found *findings) {
		if fields, _ := memory.value.(map[string]any); !typed || fields["type"] == kind {
			s.check(memory, found)
		}
	}, ""
}

// extendsMemory tells whether a schema as a whole builds on ours for memories.
func extendsMemory(root map[string]any) bool {
	parts, _ := root["allOf"].([]any)
	for _, part := range append([]any{root}, parts...) {
		part, _ := part.(map[string]any)
		if ref, _ := part["$ref"].(string); strings.TrimSuffix(ref, "#") == base+"memory.schema.json" {
			return true
		}
	}
	return false
}

// compileProblem words what is wrong with a schema.
func compileProblem(doc *document, err error) string {
	var invalid *jsonschema.SchemaValidationError
	var failed *jsonschema.ValidationError
	if errors.As(err, &invalid) && errors.As(invalid.Err, &failed) {
		var found findings
		(&schema{severity: Warning}).word(doc, failed, &found)
		if list := found.list(); len(list) > 0 {
			return list[0].Message
		}
	}
	return strings.ReplaceAll(err.Error(), "\n", " ")
}
