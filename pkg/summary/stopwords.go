package summary

import "github.com/memoryd/memoryd/pkg/internal/lazymap"

// stopwords are the function words of English, and the fillers of its speech.
var stopwords = lazymap.Words(functionWords + fillers)

const functionWords = ` a about above across after again against ago all almost alone along already also although always am
among an and another any anybody anyone anything anyway are aren around as at away back be became because become becomes
been before being below between both but by came can cannot come comes coming could couldn did didn do does doesn doing don
done down during each either else enough etc even ever every everybody everyone everything except far few first for from
further gave get gets getting give given gives giving go goes going gone got had hadn has hasn have haven having he hence
her here hers herself him himself his how however i if in indeed instead into is isn it its itself just keep kept knew know
known last least less let lets like likely long made make makes making many may maybe me might mine more moreover most much
must my myself neither never nevertheless next no nobody none nor not nothing now of off often on once one ones only onto or
other others otherwise our ours ourselves out over own per perhaps please put puts quite rather really said same saw say
says second see seem seemed seems seen several shall she should shouldn since so some somebody someone something sometimes
somewhat soon still such take taken takes taking than that the their theirs them themselves then there thereby therefore
these they thing things think third this those though three through throughout thus to together too took toward towards
tried try trying two under unless until up upon us use used uses using usually very via want wanted wants was wasn way ways
we well went were weren what whatever when whenever where whereas wherever whether which while who whoever whole whom whose
why will with within without won would wouldn yes yet you your yours yourself yourselves able actually certain certainly
course currently different especially exactly fact generally good great kind look looking lot means need needs new number
particular part possible probably right simply start sure tell thank thanks time times today tomorrow tonight yesterday
thought true work working works zero four five six seven eight nine ten eleven twelve thirteen fourteen
fifteen sixteen seventeen eighteen nineteen twenty thirty forty fifty sixty seventy eighty ninety hundred `

const fillers = ` ah aha alright anyways basically bit bye cool er erm gonna gotta guess guys haha hello hey hi hm hmm huh
kinda literally mean mhm mm mmm nah nope oh okay ok oops ooh ouch pretty sorta sort stuff totally uh uhh uhuh um umm wanna
wow wait whoa yeah yep yup`
