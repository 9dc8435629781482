package schemas

import (
	"cmp"
	"embed"
	"fmt"
	"maps"
	"net/url"
	"slices"
	"strconv"
	"strings"
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

// Severity says how much a finding matters.
type Severity string

// An error keeps memoryd from using or changing something; of a warning it makes
// the best it can.
const (
	Error   Severity = "error"
	Warning Severity = "warning"
)

// A Finding is one thing that is wrong with a document.
type Finding struct {
	Path     string // such as content.timeline[2].at; "" for the whole document
	Severity Severity
	Message  string // names the place and the value, and says what to write
}

// ValidateMemory checks one memory: a JSON object, as a file or as an element of
// a collection. No findings: nil.
func ValidateMemory(raw []byte) []Finding { return (*Extension)(nil).ValidateMemory(raw) }

// ValidateIndex checks an _index.json, in any of the shapes that are read. An
// index that holds no list of memories is accepted.
func ValidateIndex(raw []byte) []Finding { return validate("index", raw) }

// ValidateLog checks a consolidation log. It does not verify the chain of hashes.
func ValidateLog(raw []byte) []Finding { return validate("log", raw) }

// ValidatePlan checks a plan. Its findings are errors.
func ValidatePlan(raw []byte) []Finding { return validate("plan", raw) }

// validate checks a document against one of our schemas, then further.
func validate(name string, raw []byte, further ...func(value, *findings)) []Finding {
	l := ours()
	if l.err != nil {
		return []Finding{{Severity: Error, Message: fmt.Sprintf("the schemas of memoryd are broken: %v", l.err)}}
	}
	doc, problem := decode(raw)
	if problem != "" {
		return []Finding{{Severity: Error, Message: problem}}
	}
	var found findings
	l.checkers[name].check(doc, &found)
	for _, check := range further {
		found.check++
		check(doc, &found)
	}
	return found.list()
}

// maxFindings bounds the findings of one document.
const maxFindings = 100

// findings collects what is wrong, one finding for each place.
type findings struct {
	all   []located
	check int // number of the check at work
}

type located struct {
	at    []string // keys and indexes from the top
	check int
	Finding
}

func (f *findings) add(at []string, finding Finding) {
	f.all = append(f.all, located{slices.Clone(at), f.check, finding})
}

// list returns the findings in the order of their places. Of several for a place
// it takes the worst, then that of the earliest check.
func (f *findings) list() []Finding {
	slices.SortFunc(f.all, func(a, b located) int {
		return cmp.Or(slices.CompareFunc(a.at, b.at, compareKeys),
			cmp.Compare(a.Severity, b.Severity), // "error" before "warning"
			cmp.Compare(a.check, b.check), cmp.Compare(a.Message, b.Message))
	})
	f.all = slices.CompactFunc(f.all, func(a, b located) bool { return slices.Equal(a.at, b.at) })
	var list []Finding
	for i, found := range f.all {
		if i == maxFindings-1 && len(f.all) > maxFindings {
			more := fmt.Sprintf("and %d more findings", len(f.all)-i)
			return append(list, Finding{"", Warning, more})
		}
		list = append(list, found.Finding)
	}
	return list
}

// compareKeys orders indexes by number.
func compareKeys(a, b string) int {
	m, errA := strconv.Atoi(a)
	n, errB := strconv.Atoi(b)
	if errA == nil && errB == nil {
		return cmp.Or(cmp.Compare(m, n), cmp.Compare(a, b))
	}
	return cmp.Compare(a, b)
}

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
// wrong already stands in nobody's way. old is nil for a new record. That an edit gives a
// member that we know a value that it can't have is an error: whoever edits is there to
// write another one. Types are anybody's.
func (x *Extension) ValidateEdit(old, raw []byte) (found []Finding) {
	known, ours := map[Finding]bool{}, map[Finding]bool{}
	if old != nil {
		for _, f := range x.ValidateMemory(old) {
			known[f] = true
		}
		for _, f := range ValidateMemory(raw) {
			ours[f] = true
		}
	}
	for _, f := range x.ValidateMemory(raw) {
		if known[f] {
			continue
		}
		if ours[f] && f.Path != "" && f.Path != "type" && changed(old, raw, f.Path) {
			f.Severity = Error
		}
		found = append(found, f)
	}
	return found
}

// changed reports whether an edit gives another value to the member of the record in which a path begins.
func changed(old, raw []byte, path string) bool {
	name := path
	if end := strings.IndexAny(path, ".["); end >= 0 {
		name = path[:end]
	}
	before, _ := decode(old)
	after, _ := decode(raw)
	now := after.child(name)
	return now.Exists() && before.child(name).Raw != now.Raw
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
