package summary

// document is a text split into sentences, those that are too long to quote into
// windows, with the terms of each.
type document struct {
	text      string
	sentences []sentence
	terms     [][]int // per sentence, the ids of its terms in order
	repeated  []bool  // per sentence, whether an earlier one has the same words
	names     []string
	frequency []int     // per term, the number of different sentences that use it
	weights   []float64 // per term, its weight as a key term
}

func newDocument(text string) *document {
	sentences := split(text, true)
	d := &document{text: text, sentences: sentences, terms: make([][]int, len(sentences)), repeated: make([]bool, len(sentences))}
	a := newAnalyzer()
	ids := map[string]int{}
	var last []int // per term, the last sentence that used it, plus one
	seen := map[string]bool{}
	for i, s := range sentences {
		if s.kind == frame {
			continue
		}
		words := text[s.words:s.end]
		d.repeated[i] = seen[words]
		seen[words] = true
		for _, name := range a.terms(words) {
			id, ok := ids[name]
			if !ok {
				id = len(d.names)
				ids[name] = id
				d.names = append(d.names, name)
				d.frequency = append(d.frequency, 0)
				d.weights = append(d.weights, 0)
				last = append(last, 0)
			}
			d.terms[i] = append(d.terms[i], id)
			if last[id] != i+1 && !d.repeated[i] {
				last[id] = i + 1
				d.frequency[id]++
				d.weights[id]++
				if s.kind == heading {
					d.weights[id]++
				}
			}
		}
	}
	for id, name := range d.names {
		if shapeOf(name) == shapeIdentifier {
			d.weights[id] *= 1.5
		}
	}
	return d
}

// ids maps the terms of the document to their ids.
func (d *document) ids() map[string]int {
	ids := make(map[string]int, len(d.names))
	for id, name := range d.names {
		ids[name] = id
	}
	return ids
}
