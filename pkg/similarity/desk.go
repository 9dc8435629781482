package similarity

import "sync"

// desk is where two texts are read to be compared. It keeps its room and the last two readings for the next comparison: a text is
// often compared with several others, one after the other.
type desk [2]*reading

var desks = sync.Pool{New: func() any { return &desk{{}, {}} }}

func takeDesk() *desk { return desks.Get().(*desk) }

// leave gives the desk to the next one. What was read on it must not be used any more.
func (d *desk) leave() {
	for i, r := range d {
		if cap(r.tokens) > maxRoom {
			d[i] = &reading{}
		}
	}
	desks.Put(d)
}

// read returns the readings of two different texts.
func (d *desk) read(a, b string) (*reading, *reading) {
	if d[1].text == a || d[0].text == b {
		d[0], d[1] = d[1], d[0]
	}
	for i, text := range [...]string{a, b} {
		if d[i].text != text {
			d[i].read(text)
		}
	}
	return d[0], d[1]
}

// one returns the reading of a text.
func (d *desk) one(text string) *reading {
	if d[0].text != text {
		d[0].read(text)
	}
	return d[0]
}
