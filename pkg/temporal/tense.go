package temporal

import "strings"

const reach = 24 // tokens of context that are looked at, so that the cost stays linear

// direction is the tense of the clause around the tokens [i,j): where an
// expression that could lie before or after the reference is to be sought.
// A preposition decides, then the nearest verb before, then the nearest after.
func (p *parser) direction(i, j int) cue {
	if p.word(p.before(i)) == "to" { // moved to Friday
		return future
	}
	bounds := []*word{p.at(p.before(i)).word}
	for k := i; k < j && !p.english(); k++ { // bis März
		bounds = append(bounds, p.at(k).word)
	}
	if p.lang.behind {
		bounds = append(bounds, p.known(j))
	}
	for _, w := range bounds {
		switch {
		case w.shape == Until:
			return future
		case w.shape == Since && w.role&start == 0:
			return past
		}
	}
	for k, n := p.before(i), 0; k >= 0 && n < reach; k, n = p.before(k), n+1 {
		if p.endsSentence(k) {
			break
		}
		if c := p.cueAt(k); c != silent {
			return c
		}
	}
	for k, n := j, 0; k < len(p.tokens) && n < reach; k, n = k+1, n+1 {
		if p.tokens[k].sep == sepBreak || p.endsSentence(k) {
			break
		}
		if c := p.cueAt(k); c != silent {
			return c
		}
	}
	return silent
}

// isState reports whether the participle at k says what is, or must be: "is closed", "to be tested".
func isState(p *parser, k int) bool {
	b := p.before(k)
	for n := 0; n < 2 && p.at(b).word.role&adverb != 0; n++ {
		b = p.before(b)
	}
	switch p.word(b) {
	case "be", "get", "getting", "am", "is", "are", "m", "re":
		return true
	}
	return false
}

func (p *parser) cueAt(k int) cue {
	t := &p.tokens[k]
	switch {
	case (t.lower == "was" || t.lower == "were") && p.next(k+1) == "to":
		return future // of the past: "was to be released on Friday"
	case t.word.cue == past && t.lower == "won" && p.marked(k+1, '\'', '’'):
		return future // won't
	case (t.lower == "have" || t.lower == "has") && p.next(k+1) == "to":
		return future
	case t.word.cue == past && p.english() && isState(p, k):
		return silent // must be done
	case t.word.cue != silent:
		return t.word.cue
	case !p.english():
		for _, ending := range p.lang.pastEndings {
			if len(t.lower) > len(ending)+1 && strings.HasSuffix(t.lower, ending) && *t.word == (word{}) {
				return past
			}
		}
		return silent
	case p.participle(k):
		if isState(p, k) {
			return silent
		}
		return past
	}
	return silent
}

// participle reports whether the word at k ends as a regular past form does.
func (p *parser) participle(k int) bool {
	t := p.at(k)
	if len(t.lower) < 5 || !strings.HasSuffix(t.lower, "ed") || t.word.role&notVerb != 0 {
		return false
	}
	return !t.capital || p.starts(k) // in a title it is an adjective
}

// endsSentence reports whether the token at k is the end of a sentence.
func (p *parser) endsSentence(k int) bool {
	switch p.tokens[k].mark {
	case '!', '?', ';', '…', '。', '！', '？', '•', '|':
		return true
	case '.':
		return p.at(k+1).sep != sepNone && !p.at(k-1).word.short
	}
	return false
}
