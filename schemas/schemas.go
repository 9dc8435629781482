package schemas

import (
	"bytes"
	"embed"
	"errors"
	"fmt"
	"sync"
	"time"

	"github.com/santhosh-tekuri/jsonschema/v6"
)

//go:embed *.schema.json
var files embed.FS

// base is what the $id of each of our schemas begins with.
const base = "https://github.com/memoryd/memoryd/schemas/"

// Names returns the names of the schemas: index, log, memory, plan.
func Names() []string { return []string{"index", "log", "memory", "plan"} }

// Source returns the text of a schema, to be shown or saved.
func Source(name string) ([]byte, bool) {
	text, err := files.ReadFile(name + ".schema.json")
	return text, err == nil
}

// A schema is a compiled schema with the documents that its errors point into,
// by URL.
type schema struct {
	compiled  *jsonschema.Schema
	documents map[string]any
	severity  Severity // of a finding whose schema names none
	suffix    string   // ends each message
}

// ours compiles the four schemas once.
var ours = sync.OnceValues(func() (map[string]*schema, error) {
	compiler, documents, err := newCompiler()
	if err != nil {
		return nil, err
	}
	all := map[string]*schema{}
	for _, name := range Names() {
		compiled, err := compiler.Compile(base + name + ".schema.json")
		if err != nil {
			return nil, fmt.Errorf("compile schema %s: %w", name, err)
		}
		all[name] = &schema{compiled: compiled, documents: documents, severity: Warning}
	}
	all["plan"].severity = Error // nobody writes a plan by hand, and it is acted upon
	return all, nil
})

// newCompiler returns a compiler that knows our schemas and formats and loads
// nothing, with the schemas as documents by URL.
func newCompiler() (*jsonschema.Compiler, map[string]any, error) {
	compiler := jsonschema.NewCompiler()
	compiler.DefaultDraft(jsonschema.Draft2020)
	compiler.UseLoader(closed{})
	compiler.AssertFormat()
	compiler.RegisterFormat(&jsonschema.Format{Name: "date-time", Validate: checkTime})
	documents := map[string]any{}
	for _, name := range Names() {
		text, _ := Source(name)
		document, err := jsonschema.UnmarshalJSON(bytes.NewReader(text))
		if err != nil {
			return nil, nil, fmt.Errorf("read schema %s: %w", name, err)
		}
		url := base + name + ".schema.json"
		if err := compiler.AddResource(url, document); err != nil {
			return nil, nil, fmt.Errorf("add schema %s: %w", name, err)
		}
		documents[url] = document
	}
	return compiler, documents, nil
}

// closed loads nothing. Without it the compiler would read file:// references.
type closed struct{}

func (closed) Load(url string) (any, error) {
	return nil, errors.New("only memoryd's own schemas can be referred to")
}

func checkTime(v any) error {
	s, ok := v.(string)
	if !ok {
		return nil
	}
	_, err := time.Parse(time.RFC3339Nano, s)
	return err
}
