package recall

import (
	"strings"

	"github.com/memoryd/memoryd/pkg/internal/lazymap"
)

// regular are the base forms of irregular English verbs and nouns, which no stemmer
// for suffixes finds: people ask "what did she buy" about what somebody "bought". Each
// line is a base and its other forms. Forms that are words of their own about as often
// ("bit", "bore", "ground", "lay", "rose", "wound") are left out.
var regular = lazymap.Of(func() map[string]string {
	base := map[string]string{}
	for line := range strings.SplitSeq(strings.TrimSpace(`
arise arose arisen
awake awoke awoken
beat beaten
become became
begin began begun
bend bent
bind bound
bleed bled
blow blew blown
break broke broken
breed bred
bring brought
build built
burn burnt
buy bought
catch caught
choose chose chosen
cling clung
come came
creep crept
deal dealt
dig dug
draw drew drawn
dream dreamt
drink drank drunk
drive drove driven
dwell dwelt
eat ate eaten
fall fell fallen
feed fed
feel felt
fight fought
find found
flee fled
fling flung
fly flew flown
forbid forbade forbidden
foresee foresaw foreseen
forget forgot forgotten
forgive forgave forgiven
freeze froze frozen
get got gotten
give gave given
go went gone
grow grew grown
hang hung
hear heard
hide hid hidden
hold held
keep kept
kneel knelt
know knew known
lead led
lean leant
leap leapt
learn learnt
leave left
lend lent
light lit
lose lost
make made
mean meant
meet met
mislead misled
misspell misspelt
mistake mistook mistaken
misunderstand misunderstood
mow mown
outgrow outgrew outgrown
overcome overcame
override overrode overridden
oversee oversaw overseen
overtake overtook overtaken
overwrite overwrote overwritten
pay paid
prove proven
rebuild rebuilt
redo redid redone
repay repaid
resend resent
rewrite rewrote rewritten
ride rode ridden
ring rang rung
rise risen
run ran
say said
see saw seen
seek sought
sell sold
send sent
sew sewn
shake shook shaken
shine shone
shoot shot
show shown
shrink shrank shrunk
sing sang sung
sink sank sunk
sit sat
slay slew slain
sleep slept
sling slung
slide slid
smell smelt
speak spoke spoken
speed sped
spell spelt
spend spent
spill spilt
spin spun
spit spat
spoil spoilt
spring sprang sprung
stand stood
steal stole stolen
stick stuck
sting stung
stink stank stunk
strike struck stricken
string strung
strive strove striven
swear swore sworn
swell swollen
sweep swept
swim swam swum
swing swung
take took taken
teach taught
tear tore torn
tell told
think thought
throw threw thrown
tread trod trodden
undergo underwent undergone
understand understood
undertake undertook undertaken
undo undid undone
uphold upheld
wake woke woken
wear wore worn
weave wove woven
weep wept
withdraw withdrew withdrawn
withhold withheld
withstand withstood
wring wrung
write wrote written
analysis analyses
appendix appendices
child children
crisis crises
criterion criteria
foot feet
goose geese
half halves
hypothesis hypotheses
index indices
knife knives
loaf loaves
man men
matrix matrices
mouse mice
phenomenon phenomena
shelf shelves
thief thieves
tooth teeth
vertex vertices
wife wives
wolf wolves
woman women
`), "\n") {
		forms := strings.Fields(line)
		for _, f := range forms[1:] {
			base[f] = forms[0]
		}
	}
	return base
})
