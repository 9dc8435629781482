package web

import (
	"net/http"
	"strconv"

	"github.com/memoryd/memoryd/internal/document"
)

// answerBytes is how large a document is at most, but for the record of a memory; see [shortened].
const answerBytes = 300_000

// part is a document with some rows of its lists, as JSON.
type part struct {
	text []byte
	next int // row with which the next part begins; 0 for none
	all  int // rows of the longest list
}

// partOf makes a document of which an answer has a part: from the row that the parameter "from" names on, as many rows as "limit" says, or most;
// fewer, until the answer is small enough. doc is given the first row and the one after the last; all is the length of its longest list.
func partOf(r *http.Request, all, most int, doc func(from, end int) any) (*part, error) {
	from, err := place(r, all)
	if err != nil {
		return nil, err
	}
	if text := r.URL.Query().Get("limit"); text != "" {
		n, err := strconv.Atoi(text)
		if err != nil || n < 1 {
			return nil, badRequest("limit: %q is no number of rows", shown(text))
		}
		most = min(most, n)
	}
	for n := max(1, min(most, all-from)); ; n /= 2 {
		end := min(all, from+n)
		text, err := document.MarshalIndent(doc(from, end))
		if err != nil {
			return nil, err
		}
		if len(text) < answerBytes || n == 1 {
			p := &part{text: text, all: all}
			if end < all {
				p.next = end
			}
			return p, nil
		}
	}
}

// head says in the header how many rows there are, and where the document goes on, as RFC 8288 has it.
func (p *part) head(w http.ResponseWriter, r *http.Request) {
	w.Header().Set("X-Total-Count", strconv.Itoa(p.all))
	if p.next > 0 {
		query := r.URL.Query()
		query.Set("from", strconv.Itoa(p.next))
		w.Header().Set("Link", "<?"+query.Encode()+`>; rel="next"`) // of the same address
	}
}

// rowsIn are the rows of a list that a part has: none where it is shorter.
func rowsIn[T any](list []T, from, end int) []T {
	return list[min(from, len(list)):min(end, len(list))]
}
