package schemas

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"math/big"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode"

	"github.com/santhosh-tekuri/jsonschema/v6"
	"github.com/santhosh-tekuri/jsonschema/v6/kind"
	"golang.org/x/text/language"
	"golang.org/x/text/message"
)

// check validates a document and words what is wrong.
func (s *schema) check(doc *document, found *findings) {
	var failed *jsonschema.ValidationError
	if err := s.compiled.Validate(doc.checked); errors.As(err, &failed) {
		s.word(doc, failed, found)
	}
}

// word turns a tree of validation errors into findings: one for each leaf, and
// one for a choice of which no branch fits.
func (s *schema) word(doc *document, e *jsonschema.ValidationError, found *findings) {
	node := s.node(e.SchemaURL)
	add := func(at []string, what, advice string) {
		severity := s.severity
		if own, ok := node["x-severity"].(string); ok && (own == string(Error) || own == string(Warning)) {
			severity = Severity(own)
		}
		path := doc.path(at)
		text := cmp.Or(path, "this") + " " + what
		if advice != "" {
			text += ": " + advice
		}
		found.add(at, Finding{path, severity, text + s.suffix})
	}
	missing := func(names []string) {
		properties, _ := node["properties"].(map[string]any)
		for _, name := range names {
			property, _ := properties[name].(map[string]any)
			add(append(slices.Clone(e.InstanceLocation), name), "is missing", cmp.Or(advice(property), advice(node)))
		}
	}
	switch k := e.ErrorKind.(type) {
	case *kind.Schema, *kind.Group, *kind.AllOf, *kind.Reference:
		for _, cause := range e.Causes {
			s.word(doc, cause, found)
		}
	case *kind.Required:
		missing(k.Missing)
	case *kind.Dependency:
		missing(k.Missing)
	case *kind.DependentRequired:
		missing(k.Missing)
	case *kind.AdditionalProperties:
		for _, name := range k.Properties {
			add(append(slices.Clone(e.InstanceLocation), name), "is not allowed", advice(node))
		}
	default:
		value := doc.at(e.InstanceLocation)
		if enum, ok := k.(*kind.Enum); ok {
			if word := foldIn(value, enum.Want); word != "" && node["x-fold"] == true {
				return
			} else if word != "" {
				add(e.InstanceLocation, "is "+show(value), fmt.Sprintf("did you mean %q?", word))
				return
			}
		}
		if zoned := withZone(k, value); zoned != "" {
			add(e.InstanceLocation, "is "+show(value), "it has no time zone and is read as UTC; write "+zoned)
			return
		}
		add(e.InstanceLocation, "is "+show(value), cmp.Or(advice(node), generic(e)))
	}
}

func advice(node map[string]any) string {
	text, _ := node["x-advice"].(string)
	return text
}

// node returns the schema that an error points to; nil if it is no object.
func (s *schema) node(location string) map[string]any {
	address, fragment, _ := strings.Cut(location, "#")
	value := s.documents[address]
	pointer, err := url.PathUnescape(fragment)
	if err != nil {
		return nil
	}
	for _, token := range strings.Split(pointer, "/")[1:] {
		token = strings.NewReplacer("~1", "/", "~0", "~").Replace(token)
		value = child(value, token)
	}
	node, _ := value.(map[string]any)
	return node
}

// child returns a member or an element; nil if there is none.
func child(value any, key string) any {
	switch value := value.(type) {
	case map[string]any:
		return value[key]
	case []any:
		if i, err := strconv.Atoi(key); err == nil && i >= 0 && i < len(value) {
			return value[i]
		}
	}
	return nil
}

func (d *document) at(place []string) any {
	value := d.value
	for _, key := range place {
		value = child(value, key)
	}
	return value
}

// path writes a place as people do: content.timeline[2].at, content["two words"].
func (d *document) path(place []string) string {
	var b strings.Builder
	value := d.value
	for _, key := range place {
		_, inList := value.([]any)
		switch value = child(value, key); {
		case inList:
			b.WriteString("[" + key + "]")
		case key == "" || strings.ContainsFunc(key, func(r rune) bool { return r != '_' && r != '-' && !unicode.IsLetter(r) && !unicode.IsDigit(r) }):
			b.WriteString("[" + strconv.Quote(key) + "]")
		default:
			if b.Len() > 0 {
				b.WriteByte('.')
			}
			b.WriteString(key)
		}
	}
	return b.String()
}

// show quotes a value in a message.
func show(v any) string {
	const width = 40
	shorten := func(s string) string {
		if runes := []rune(s); len(runes) > width {
			return string(runes[:width-1]) + "…"
		}
		return s
	}
	switch v := v.(type) {
	case string:
		return strconv.Quote(shorten(v))
	case json.Number:
		return shorten(v.String())
	case bool:
		return strconv.FormatBool(v)
	case []any:
		return "a list"
	case map[string]any:
		return "an object"
	}
	return "null"
}

// foldIn returns the word of an enum that v is but for case and blanks.
func foldIn(v any, enum []any) string {
	s, ok := v.(string)
	if !ok {
		return ""
	}
	for _, want := range enum {
		if word, ok := want.(string); ok && strings.EqualFold(strings.TrimSpace(s), word) {
			return word
		}
	}
	return ""
}

// withZone returns the RFC 3339 form of a time that only lacks its zone.
func withZone(k jsonschema.ErrorKind, v any) string {
	format, ok := k.(*kind.Format)
	s, isString := v.(string)
	if !ok || !isString || format.Want != "date-time" {
		return ""
	}
	for _, layout := range []string{"2006-01-02T15:04:05", "2006-01-02 15:04:05", "2006-01-02T15:04", time.DateOnly} {
		if t, err := time.Parse(layout, s); err == nil {
			return t.Format(time.RFC3339Nano)
		}
	}
	return ""
}

var printer = message.NewPrinter(language.English)

// generic says what to write where the schema has no advice of its own.
func generic(e *jsonschema.ValidationError) string {
	rat := func(r *big.Rat) string { return strings.TrimSuffix(strings.TrimRight(r.FloatString(9), "0"), ".") }
	switch k := e.ErrorKind.(type) {
	case *kind.Type:
		return "write " + strings.NewReplacer("array", "a list", "object", "an object", "string", "text", "boolean", "true or false",
			"number", "a number", "integer", "a whole number").Replace(strings.Join(k.Want, " or "))
	case *kind.Enum:
		return "write one of " + listValues(k.Want)
	case *kind.Const:
		return "write " + listValues([]any{k.Want})
	case *kind.Format:
		return "write a valid " + k.Want
	case *kind.Pattern:
		return "write text that matches " + k.Want
	case *kind.Minimum:
		return "write at least " + rat(k.Want)
	case *kind.Maximum:
		return "write at most " + rat(k.Want)
	case *kind.MinLength:
		return fmt.Sprintf("write at least %d characters", k.Want)
	case *kind.MaxLength:
		return fmt.Sprintf("write at most %d characters", k.Want)
	case *kind.MinItems:
		return fmt.Sprintf("it has %d elements; write at least %d", k.Got, k.Want)
	case *kind.MaxItems:
		return fmt.Sprintf("it has %d elements; write at most %d", k.Got, k.Want)
	case *kind.UniqueItems:
		return fmt.Sprintf("its elements %d and %d are the same", k.Duplicates[0], k.Duplicates[1])
	case *kind.RefCycle:
		return "its schema refers to itself without end"
	case *kind.AnyOf, *kind.OneOf:
		return "it fits none, or more than one, of the forms that its schema allows"
	case *kind.Not, *kind.FalseSchema:
		return "its schema does not allow this"
	}
	return e.ErrorKind.LocalizedString(printer)
}

func listValues(values []any) string {
	words := make([]string, len(values))
	for i, v := range values {
		text, err := json.Marshal(v)
		if err != nil { // decoded JSON always marshals
			return "the values of its schema"
		}
		words[i] = string(text)
	}
	return strings.Join(words, ", ")
}
