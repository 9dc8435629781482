package schemas

import "fmt"

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
