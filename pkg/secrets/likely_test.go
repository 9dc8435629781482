package secrets

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
)

// What is asked of a text before a pattern hides nothing that the pattern finds.
func TestNothingIsHidden(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	m := maker{r}
	parts := append([]string{
		"host:5432:db:u:", "h:*:*:me:", "docker login -u a -p ", "az acr login\t-p=", "redis-cli -h x -a ", "zip -P ", "7z a\t-p", "ldapsearch -D x -w ", "sqlcmd -U sa -P ", "rpcclient\n-U me%", "MTIz", ".", ":",
	}, hostile...)
	known := formats()
	for _, rule := range known {
		parts = append(parts, rule.keywords...)
	}
	found := map[string]int{}
	for range 30_000 {
		var text strings.Builder
		for range 1 + r.IntN(6) {
			switch r.IntN(3) {
			case 0:
				text.WriteString(m.of(lower+"ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789", 1+r.IntN(40)))
			case 1:
				text.WriteString(fmt.Sprintf("MTIz%s.%s.%s", m.of(lower+"ABC123", 20), m.of(lower, 6), m.of(lower+"XYZ789", 30)))
			}
			text.WriteString(parts[r.IntN(len(parts))])
			text.WriteString([]string{"", " ", "\n", "K", "ı"}[r.IntN(5)])
		}
		s := &subject{text: text.String()}
		for i, begins := range s.begun() {
			rule := &known[i]
			if !begins && s.holdsAny(rule.keywords, rule.folded) {
				t.Fatalf("%s: %q holds one of %q", rule.id, s.text, rule.keywords)
			}
			if len(rule.also) == 0 && rule.likely == nil {
				continue
			}
			all := *rule
			all.also, all.likely = nil, nil
			var got, want []raw
			rule.each(s, specific, func(x raw) { got = append(got, x) })
			all.each(s, specific, func(x raw) { want = append(want, x) })
			if fmt.Sprint(got) != fmt.Sprint(want) {
				t.Fatalf("%s in %q: %v, without what is asked before %v", rule.id, s.text, got, want)
			}
			found[fmt.Sprint(i)] += len(want)
		}
	}
	for i, rule := range known {
		if (len(rule.also) > 0 || rule.likely != nil) && found[fmt.Sprint(i)] == 0 {
			t.Errorf("%s of %q was never found: the texts don't try it", rule.id, rule.keywords)
		}
	}
}
