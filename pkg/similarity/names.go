package similarity

import (
	"strings"

	"github.com/memoryd/memoryd/pkg/text"
)

// subject reports whether the word that begins a sentence can be told to be a name: it stands alone, another capital follows,
// or a verb that goes with one person or thing.
func subject(tokens []token, i int) bool {
	if i+1 == len(tokens) || tokens[i+1].gap > gapNone {
		return true
	}
	next := tokens[i+1]
	return next.capital || singular.Has(next.key) || verbs.Has(next.key) && !strings.HasSuffix(tokens[i].key, "s") ||
		i+2 < len(tokens) && strings.HasSuffix(next.key, "s") && determiners.Has(tokens[i+2].key)
}

var (
	singular    = text.NewSet("is was has does")
	verbs       = text.NewSet("had did will would can could may might must should shall said")
	determiners = text.NewSet("a an the this that these those its his her their my our your all no")
)

// functionWords are never names.
var functionWords = text.NewSet(`a an the this that these those it its he she they we you i me him her them us my your his our their
	who whom whose which what when where why how is are was were be been being am do does did done have has had having
	will would shall should can could may might must ought need not no nor and or but if then else than so as at by for from
	in into of off on onto out over per to under up upon via with within without about above across after against along among
	around before behind below beneath beside between beyond despite down during except inside near outside since through
	throughout till toward towards until unlike like all any both each either every few many more most much neither none one
	only other others own same several some such very too also again already always ever never often once still just even
	yet here there now however therefore thus hence moreover furthermore otherwise instead meanwhile because although though
	while whereas whether unless yes ok okay please mr mrs ms dr prof sir note warning important todo required recommended
	optional new old first last next`)
