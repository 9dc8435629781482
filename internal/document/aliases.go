package document

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"github.com/memoryd/memoryd/pkg/memory"
)

// Aliases is a list of memories without aliases, for somebody to fill in.
type Aliases struct {
	Memories []Aliased `json:"memories"`
	Page
}

// Aliased is a memory and its aliases.
type Aliased struct {
	ID      string   `json:"id"`
	Title   string   `json:"title,omitempty"`
	Text    string   `json:"text" jsonschema:"what it says, or the beginning of it; a memory that says something else by now is left out when the list comes back"`
	Aliases []string `json:"aliases" jsonschema:"words by which somebody would search for it and which it does not say"`
}

// aliasedText is how many characters of a text a list of aliases shows.
const aliasedText = 600

// NewAliased is a memory in a list of aliases.
func NewAliased(m *memory.Memory) Aliased {
	return Aliased{ID: m.ID, Title: Short(m.Title(), 200), Text: Short(m.Text(), aliasedText), Aliases: append([]string{}, memory.Aliases(m)...)}
}

// ReadAliases reads a list of aliases: the document, an array of its elements, or an element a line. Elements without an alias are left out.
func ReadAliases(text []byte) (list []Aliased, err error) {
	text = bytes.TrimSpace(bytes.TrimPrefix(text, []byte("\ufeff")))
	var all []Aliased
	switch {
	case len(text) == 0:
		return nil, errors.New(`the list is empty: take the lines of "memory aliases", with words in "aliases"`)
	case text[0] == '[':
		err = json.Unmarshal(text, &all)
	default:
		decoder := json.NewDecoder(bytes.NewReader(text))
		for n := 1; decoder.More() && err == nil; n++ {
			one := struct {
				Aliased
				Memories []Aliased `json:"memories"`
			}{}
			if err = decoder.Decode(&one); err != nil {
				err = fmt.Errorf("element %d: %w", n, err)
				break
			}
			if one.Memories != nil {
				all = append(all, one.Memories...)
			} else {
				all = append(all, one.Aliased)
			}
		}
	}
	if err != nil {
		return nil, fmt.Errorf("it is not a list of aliases, as \"memory aliases\" prints it: %w", err)
	}
	for i, one := range all {
		if strings.TrimSpace(one.ID) == "" {
			return nil, fmt.Errorf("it is not a list of aliases: element %d has no id", i+1)
		}
		if len(one.Aliases) > 0 {
			list = append(list, one)
		}
	}
	return list, nil
}
