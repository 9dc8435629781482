package schemas

import (
	"fmt"
	"slices"
)

// What a schema of a workspace may ask at most. A few lines of references to references can
// ask for more than a machine answers in a year, and nothing would stop the answer.
const (
	maxLevels    = 100     // of the schema as JSON
	maxQuestions = 100_000 // schemas that are applied to one value
	nested       = 64      // levels of a memory for which these are counted: by then, what grows with each level exceeds any number
)

// tooMuch is what is wrong with a schema that asks for more than can be answered; "" for
// nothing.
func tooMuch(s *schema) string {
	if (questionCount{}).questions(s, nested) <= maxQuestions {
		return ""
	}
	return fmt.Sprintf("it would be asked more than %d times for one value: refer to fewer schemas that refer to others", maxQuestions)
}

// questionCount keeps what questions has counted, by schema and levels; -1 while it is being counted.
type questionCount map[levelled]int

type levelled struct {
	*schema
	levels int
}

// questions counts the schemas that may be applied to one value, or to one that many levels
// below it, when s is: one that several refer to, as often as they do. Beyond maxQuestions
// it counts no further.
func (k questionCount) questions(s *schema, levels int) int {
	if s == nil || levels < 0 {
		return 0
	}
	at := levelled{s, levels}
	if n, ok := k[at]; ok {
		return max(n, 0) // 0 for a schema within itself
	}
	k[at] = -1
	n, most := 1, 0
	here, below, apart := parts(s)
	for _, child := range here {
		n = min(n+k.questions(child, levels), maxQuestions+1)
	}
	for _, child := range below {
		n = min(n+k.questions(child, levels-1), maxQuestions+1)
	}
	for _, child := range apart {
		most = max(most, k.questions(child, levels-1))
	}
	k[at] = min(n+most, maxQuestions+1)
	return k[at]
}

// parts are the schemas that a schema is made of: those for the same value, for values in it,
// and for values in it of which each has its own.
func parts(s *schema) (here, below, apart []*schema) {
	of := func(members []member) (all []*schema) {
		for _, m := range members {
			all = append(all, m.schema)
		}
		return all
	}
	here = slices.Concat([]*schema{s.ref, s.not, s.when, s.then, s.otherwise}, s.allOf, s.anyOf, s.oneOf, of(s.dependentSchemas))
	below = append(of(s.patterns), s.names, s.additional, s.unevaluated, s.contains, s.items)
	return here, below, append(of(s.properties), s.prefix...)
}
