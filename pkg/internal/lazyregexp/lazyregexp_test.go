package lazyregexp_test

import (
	"reflect"
	"regexp"
	"sync"
	"testing"

	"github.com/memoryd/memoryd/pkg/internal/lazyregexp"
)

func TestCompiledWhenUsed(t *testing.T) {
	none := lazyregexp.New("(") // not compiled: no panic
	defer func() {
		if recover() == nil {
			t.Error("what is no expression was used")
		}
	}()
	none.MatchString("")
}

// Each method gives what that of the compiled expression gives.
func TestMethods(t *testing.T) {
	const expression = `([a-z]+)(\d*)`
	want := regexp.MustCompile(expression)
	for _, text := range []string{"", "none of A", "ab12 c", "7"} {
		for name, r := range map[string]*lazyregexp.Regexp{"New": lazyregexp.New(expression), "Of": lazyregexp.Of(want)} {
			for i, pair := range [][2]any{
				{r.Match([]byte(text)), want.MatchString(text)},
				{r.MatchString(text), want.MatchString(text)},
				{r.FindString(text), want.FindString(text)},
				{r.FindStringIndex(text), want.FindStringIndex(text)},
				{r.FindStringSubmatch(text), want.FindStringSubmatch(text)},
				{r.FindStringSubmatchIndex(text), want.FindStringSubmatchIndex(text)},
				{r.FindAllStringIndex(text, 2), want.FindAllStringIndex(text, 2)},
				{r.FindAllStringSubmatch(text, 2), want.FindAllStringSubmatch(text, 2)},
				{r.FindAllStringSubmatchIndex(text, 2), want.FindAllStringSubmatchIndex(text, 2)},
				{r.ReplaceAllString(text, "<$1>"), want.ReplaceAllString(text, "<$1>")},
				{r.Get().String(), expression},
			} {
				if !reflect.DeepEqual(pair[0], pair[1]) {
					t.Errorf("%s, %q, method %d: %v, want %v", name, text, i, pair[0], pair[1])
				}
			}
		}
	}
}

// Those who use it first at the same time all find what it matches.
func TestConcurrentUse(t *testing.T) {
	for range 50 {
		r := lazyregexp.New(`^b+$`)
		var all sync.WaitGroup
		for range 8 {
			all.Go(func() {
				if !r.MatchString("bb") || r.MatchString("a") {
					t.Error("it doesn't match as it should")
				}
			})
		}
		all.Wait()
	}
}
