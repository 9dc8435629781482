package schemas

import (
	"embed"
	"fmt"
	"maps"
	"sync"
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

// A checker holds documents against a schema.
type checker struct {
	*schema
	severity Severity // of a finding whose schema names none
	suffix   string   // ends each message
}

// library is what the program comes with: our schemas, and the schema of schemas.
type library struct {
	documents map[string]value // our schemas, by URL
	checkers  map[string]checker
	keywords  checker
	err       error
}

// ours builds the schemas once.
var ours = sync.OnceValue(func() (l library) {
	l = library{documents: map[string]value{}, checkers: map[string]checker{}}
	for _, name := range Names() {
		text, _ := Source(name)
		document, problem := decode(text)
		if problem != "" {
			l.err = fmt.Errorf("read schema %s: %s", name, problem)
			return l
		}
		l.documents[base+name+".schema.json"] = document
	}
	b := &builder{documents: maps.Clone(l.documents), built: map[string]*schema{}}
	for _, name := range Names() {
		address := base + name + ".schema.json"
		s, err := b.build(address, "", l.documents[address])
		if err != nil {
			l.err = fmt.Errorf("compile schema %s: %w", name, err)
			return l
		}
		l.checkers[name] = checker{schema: s, severity: Warning}
	}
	// Nobody writes a plan by hand, and it is acted upon.
	l.checkers["plan"] = checker{schema: l.checkers["plan"].schema, severity: Error}
	document, _ := decode([]byte(keywords))
	b.documents[base] = document
	var s *schema
	s, l.err = b.build(base, "", document)
	l.keywords = checker{schema: s, severity: Warning}
	return l
})
