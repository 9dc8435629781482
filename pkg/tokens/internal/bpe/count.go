package bpe

// Counter counts tokens, and keeps its working memory from piece to piece. It is for
// one goroutine.
type Counter struct {
	Vocabulary Vocabulary
	parts      []part
	queue      []uint64 // rank and place of what may merge, the lowest first (a heap)
}

// part is what has been merged so far, at its first byte.
type part struct {
	prev, next int32  // first bytes of the parts before and behind
	rank       uint32 // of this part with the next: none if that is no token
}

// Count is how many tokens a text is.
func (c *Counter) Count(text string) (n int) {
	for len(text) > 0 {
		piece := Next(text)
		n += c.piece(piece)
		text = text[len(piece):]
	}
	return n
}

func (c *Counter) piece(piece string) int {
	n := len(piece)
	if n < 2 || c.Vocabulary.rank(piece) != none {
		return 1
	}
	c.parts, c.queue = c.parts[:0], c.queue[:0]
	for i := range n {
		c.parts = append(c.parts, part{int32(i - 1), int32(i + 1), none})
	}
	for i := range n - 1 {
		c.offer(piece, int32(i))
	}
	count := n
	for len(c.queue) > 0 {
		rank, at := c.pop()
		p := &c.parts[at]
		if p.rank != rank { // it has merged otherwise since
			continue
		}
		gone := &c.parts[p.next]
		gone.rank = none
		p.next = gone.next
		count--
		if int(p.next) < n {
			c.parts[p.next].prev = at
		}
		c.offer(piece, at)
		if p.prev >= 0 {
			c.offer(piece, p.prev)
		}
	}
	return count
}

// offer looks whether the part at a place and the next one together are a token.
func (c *Counter) offer(piece string, at int32) {
	p := &c.parts[at]
	p.rank = none
	if int(p.next) == len(piece) {
		return
	}
	end := c.parts[p.next].next
	if p.rank = c.Vocabulary.rank(piece[at:end]); p.rank != none {
		c.push(uint64(p.rank)<<32 | uint64(at))
	}
}

func (c *Counter) push(x uint64) {
	q := append(c.queue, x)
	i := len(q) - 1
	for i > 0 && q[(i-1)/2] > x {
		q[i] = q[(i-1)/2]
		i = (i - 1) / 2
	}
	q[i] = x
	c.queue = q
}

func (c *Counter) pop() (rank uint32, at int32) {
	q := c.queue
	top, last := q[0], q[len(q)-1]
	q = q[:len(q)-1]
	for i := 0; len(q) > 0; {
		child := 2*i + 1
		if child+1 < len(q) && q[child+1] < q[child] {
			child++
		}
		if child >= len(q) || q[child] >= last {
			q[i] = last
			break
		}
		q[i] = q[child]
		i = child
	}
	c.queue = q
	return uint32(top >> 32), int32(uint32(top))
}
