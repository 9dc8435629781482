package rules

import "sync"

// pace tells how far the comparing of a plan is, and whether it goes on. It is safe for
// concurrent use.
type pace struct {
	tell func(done, total int) error // nil: nobody wants to know

	mu          sync.Mutex
	done, total int
	untold      int // steps
	err         error
}

// often is how many steps are taken from one telling to the next.
const often = 256

// expect adds memories that will be compared.
func (p *pace) expect(n int) {
	p.mu.Lock()
	p.total += n
	p.mu.Unlock()
}

// step tells of n memories more that have been compared, or of a step on the way to that,
// and reports whether to go on.
func (p *pace) step(n int) bool {
	if p.tell == nil {
		return true
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	p.done += n
	if p.untold += max(n, 1); p.untold >= often && p.err == nil {
		p.untold = 0
		p.err = p.tell(p.done, p.total)
	}
	return p.err == nil
}

// goesOn is a step on the way.
func (p *pace) goesOn() bool { return p.step(0) }
