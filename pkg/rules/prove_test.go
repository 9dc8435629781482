package rules

import (
	"strings"
	"testing"

	"github.com/memoryd/memoryd/pkg/memory"
)

// A merge that would lose a fact is refused, with the fact named.
func TestProveFindsWhatIsLost(t *testing.T) {
	read := func(content string) *memory.Memory {
		ms, err := memory.ParseRecords("m.json", []byte(`{"id":"m","type":"semantic","content":"`+content+`"}`))
		if err != nil {
			t.Fatal(err)
		}
		return ms[0]
	}
	source := read("The server OPS-07 holds 1,000 connections.")
	result := read("The server has 1000 connections.")
	stated, left, err := prove([]*memory.Memory{source}, result, []*memory.Memory{source})
	if stated != 1 || left != 1 || err != nil {
		t.Errorf("archived whole: %d stated, %d archived, %v", stated, left, err)
	}
	_, _, err = prove([]*memory.Memory{source}, result, []*memory.Memory{read("The server.")})
	if err == nil || !strings.Contains(err.Error(), `"OPS-07" would be lost`) {
		t.Errorf("archived cut: %v", err)
	}
}
