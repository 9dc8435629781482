package rules

import "sync"

// progress counts the memories that a plan has compared, reports it, and says whether to
// go on. It is safe for concurrent use.
type progress struct {
	tell func(done, total int) error // nil: nobody wants to know

	mu          sync.Mutex
	done, total int
	untold      int // steps since the last call of tell
	err         error
}

// stepsPerCall is how many steps pass from one call of tell to the next.
const stepsPerCall = 256

// expect adds memories that will be compared.
func (p *progress) expect(n int) {
	p.mu.Lock()
	p.total += n
	p.mu.Unlock()
}

// step counts n more memories as compared, and reports whether to go on. Work that compares
// nothing is a step of 0.
func (p *progress) step(n int) bool {
	if p.tell == nil {
		return true
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	p.done += n
	if p.untold += max(n, 1); p.untold >= stepsPerCall && p.err == nil {
		p.untold = 0
		p.err = p.tell(p.done, p.total)
	}
	return p.err == nil
}
