package recall

import "github.com/memoryd/memoryd/pkg/internal/lazymap"

// stopwords are not searched for: the function words of English, which every text
// has. "may" and "will" in their other senses: the month is kept, the name is not.
var stopwords = lazymap.Words(`a about above after again against all also although am an and any are aren as at
be because been before being below between both but by can cannot could couldn did didn do does doesn doing don down during
each either else etc ever every few for from further had hadn has hasn have haven having he hence her here hers herself him
himself his how however i if in into is isn it its itself just let ll me might more most much must my myself neither no nor
not now of off on once one only onto or other our ours ourselves out over own per please quite rather re s same shall she
should shouldn since so some somebody someone something such t than that the their theirs them themselves then there
therefore these they this those though through thus to too toward towards under unless until up upon us ve very via was
wasn we were weren what whatever when whenever where whether which while who whoever whom whose why will with within without
won would wouldn yes yet you your yours yourself yourselves m d`)
