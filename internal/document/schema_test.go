package document

import (
	"bytes"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/google/jsonschema-go/jsonschema"
)

var update = flag.Bool("update", false, "rewrite the golden schemas, and the generated part of docs/json.md")

// The schemas are as they were: a difference is a change of the interface.
func TestSchemas(t *testing.T) {
	for _, name := range Names() {
		s, _ := Schema(name)
		if _, err := s.Resolve(nil); err != nil {
			t.Errorf("%s: %v", name, err)
		}
		text, err := MarshalIndent(s)
		if err != nil {
			t.Fatal(err)
		}
		golden(t, filepath.Join("testdata", "schemas", name+".json"), append(text, '\n'))
	}
	files, err := os.ReadDir(filepath.Join("testdata", "schemas"))
	if err != nil || len(files) != len(Names()) {
		t.Errorf("%d golden schemas of %d documents: %v", len(files), len(Names()), err)
	}
}

// Names agree: the file of a thing, the id of a memory and a time are called the same everywhere, and every list has a key.
func TestNames(t *testing.T) {
	for _, name := range Names() {
		s, _ := Schema(name)
		if s.Type != "object" {
			t.Errorf("%s: a document is an object, not %s", name, s.Type)
		}
		walk(s, "", func(path string, p *jsonschema.Schema) {
			last := path[strings.LastIndexByte(path, '.')+1:]
			switch {
			case !regexp.MustCompile(`^[a-z][a-z0-9_]*$`).MatchString(last):
				t.Errorf("%s: %s is not in lower case, with _ between words", name, path)
			case asInLog.MatchString(path):
			case slices.Contains([]string{"memory_id", "file_path", "when", "timestamp", "created", "updated", "filename"}, last):
				t.Errorf("%s: %s has another name elsewhere", name, path)
			}
		})
	}
}

// asInLog are members that are called as in the log.
var asInLog = regexp.MustCompile(`(^|\.)(actions|stale|skipped|model)\.`)

// The page of the documentation lists what there is.
func TestPage(t *testing.T) {
	file := filepath.Join("..", "..", "docs", "json.md")
	page, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	const mark = "<!-- The rest is generated from internal/document. -->\n"
	written, _, ok := bytes.Cut(page, []byte(mark))
	if !ok {
		t.Fatalf("%s has no mark %q", file, mark)
	}
	if !bytes.Contains(written, fmt.Appendf(nil, "revision %d", Revision)) {
		t.Errorf("%s doesn't name revision %d", file, Revision)
	}
	golden(t, file, slices.Concat(written, []byte(mark), listed()))
}

// listed are the documents and their members.
func listed() []byte {
	var b bytes.Buffer
	dash := func(text string) string {
		if text == "" {
			return "–"
		}
		return text
	}
	b.WriteString("\n## Documents\n\n| document | what | commands | MCP tools | `/api/v1/` |\n|---|---|---|---|---|\n")
	for _, k := range kinds {
		fmt.Fprintf(&b, "| [%s](#%s) | %s | %s | %s | %s |\n", k.name, k.name, k.what, dash(k.commands), dash(k.tools), dash(k.address))
	}
	shared := map[string]string{} // where members of an object were listed, by what they are
	for _, k := range kinds {
		s, _ := Schema(k.name)
		fmt.Fprintf(&b, "\n## %s\n\n| member | type | |\n|---|---|---|\n", k.name)
		list(&b, s, "", k.name, shared)
	}
	return b.Bytes()
}

// list writes a row for each member. The members of an object that was listed before are not listed again.
func list(b *bytes.Buffer, s *jsonschema.Schema, path, document string, shared map[string]string) {
	for _, name := range s.PropertyOrder {
		p := s.Properties[name]
		inner, kind := p, typeOf(p)
		if p.Items != nil {
			inner = p.Items
		} else if len(p.Properties) == 0 && p.AdditionalProperties != nil {
			inner = p.AdditionalProperties
		}
		text := p.Description
		if !slices.Contains(s.Required, name) {
			kind += ", optional"
		}
		at := path + name
		again := ""
		if len(inner.Properties) > 0 {
			all := strings.Join(inner.PropertyOrder, " ")
			if first, ok := shared[all]; ok {
				again = "as in " + first
			} else {
				shared[all] = fmt.Sprintf("[%s](#%s) `%s`", document, document, at)
			}
		}
		if again != "" && text != "" {
			text += "; "
		}
		fmt.Fprintf(b, "| `%s` | %s | %s |\n", at, kind, strings.ReplaceAll(text+again, "|", "\\|"))
		if len(inner.Properties) > 0 && again == "" {
			list(b, inner, at+".", document, shared)
		}
	}
}

func typeOf(s *jsonschema.Schema) string {
	switch {
	case s.Items != nil:
		return "list of " + typeOf(s.Items)
	case len(s.Properties) == 0 && s.AdditionalProperties != nil:
		return "table of " + typeOf(s.AdditionalProperties)
	case s.Format == "date-time":
		return "time"
	case len(s.Types) > 0:
		return strings.Join(slices.DeleteFunc(slices.Clone(s.Types), func(one string) bool { return one == "null" }), " or ") + " or null"
	}
	return s.Type
}

// walk calls a function for each member of a schema.
func walk(s *jsonschema.Schema, path string, each func(string, *jsonschema.Schema)) {
	if s == nil {
		return
	}
	for name, p := range s.Properties {
		each(path+name, p)
		walk(p, path+name+".", each)
		walk(p.Items, path+name+".", each)
		walk(p.AdditionalProperties, path+name+".", each)
	}
}

func golden(t *testing.T, file string, got []byte) {
	t.Helper()
	if *update {
		if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(file, got, 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	want, err := os.ReadFile(file)
	if err != nil || !bytes.Equal(want, got) {
		t.Errorf("%s is not as the types say (-update rewrites it): %v", file, err)
	}
}
