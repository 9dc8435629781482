package rules

import (
	"errors"
	"maps"
	"slices"

	"github.com/memoryd/memoryd/pkg/summary"
)

// A summary takes milliseconds, and a workspace that defers its episodes would make the
// same ones with every plan. So they are findings: of each episode that was looked at
// the summary, or why there is none.

// summarised is what summarising an episode came to.
type summarised struct {
	summary.Summary
	err error
}

// summary summarises the episode at k, unless an earlier plan has. It is safe for concurrent use.
func (p *planner) summary(k int32, text string, o summary.Options) (summary.Summary, error) {
	p.summing.Lock()
	known, ok := p.knownSummaries()[k]
	p.summing.Unlock()
	if ok {
		return known.Summary, known.err
	}
	s, err := summary.Summarise(text, o)
	if p.keeps {
		p.summing.Lock()
		defer p.summing.Unlock()
		p.summaries[k] = summarised{s, err}
		p.learnt.Add(1)
	}
	return s, err
}

func (p *planner) knownSummaries() map[int32]summarised {
	if p.summaries != nil {
		return p.summaries
	}
	p.summaries = map[int32]summarised{}
	if p.known == nil {
		return p.summaries
	}
	for r := (reader{rest: p.known.parts[partSummaries]}); len(r.rest) > 0; {
		k := p.known.memory(&r)
		s := readSummary(&reader{rest: r.bytes()})
		if k >= 0 && !r.broken {
			p.summaries[k] = s
		}
	}
	return p.summaries
}

// refusals are the reasons for which there may be no summary, by their numbers.
var refusals = []error{nil, summary.ErrNotShorter, summary.ErrTooFewKeyTerms}

// refusal is one that was told before.
type refusal struct {
	text string
	is   error
}

func (r *refusal) Error() string { return r.text }
func (r *refusal) Unwrap() error { return r.is }

func readSummary(r *reader) (s summarised) {
	if n := int(r.byte()); n > 0 {
		s.err = &refusal{r.string(), refusals[min(n, len(refusals)-1)]}
		return s
	}
	for _, list := range s.lists() {
		for range r.count(4) {
			*list = append(*list, r.string())
		}
	}
	s.KeyTermsKept, s.Cut = r.float(), r.byte() != 0
	return s
}

func (s *summarised) lists() [5]*[]string {
	return [...]*[]string{&s.WhatHappened, &s.Who, &s.Outcome, &s.KeyLearnings, &s.Missing}
}

// appendSummaries writes them; an error that is none of the refusals is not kept.
func (p *planner) appendSummaries() (out []byte) {
	all := p.knownSummaries()
	for _, k := range slices.Sorted(maps.Keys(all)) {
		if one := appendSummary(all[k]); one != nil {
			out = appendString(appendU32(out, p.places[k]), one)
		}
	}
	return out
}

func appendSummary(s summarised) (out []byte) {
	if s.err != nil {
		n := slices.IndexFunc(refusals, func(is error) bool { return is != nil && errors.Is(s.err, is) })
		if n < 0 {
			return nil
		}
		return appendString([]byte{byte(n)}, s.err.Error())
	}
	out = []byte{0}
	for _, list := range s.lists() {
		out = appendU32(out, int32(len(*list)))
		for _, text := range *list {
			out = appendString(out, text)
		}
	}
	cut := byte(0)
	if s.Cut {
		cut = 1
	}
	return append(appendFloat(out, s.KeyTermsKept), cut)
}
