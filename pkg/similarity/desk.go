package similarity

import "sync"

// desk is where two texts are read to be compared. It keeps its room and the last two readings for the next comparison: a text is
// often compared with several others, one after the other.
type desk struct {
	readings [2]*reading
	trace    trace
}

var desks = sync.Pool{New: func() any { return &desk{readings: [2]*reading{{}, {}}} }}

func takeDesk() *desk { return desks.Get().(*desk) }

// leave gives the desk to the next one. What was read on it must not be used any more.
func (d *desk) leave() {
	for i, r := range d.readings {
		if cap(r.tokens) > maxRoom {
			d.readings[i] = &reading{}
		}
	}
	if cap(d.trace) > maxRoom {
		d.trace = nil
	}
	desks.Put(d)
}

// read returns the readings of two different texts.
func (d *desk) read(a, b string) (*reading, *reading) {
	at := &d.readings
	if at[1].text == a || at[0].text == b {
		at[0], at[1] = at[1], at[0]
	}
	for i, text := range [...]string{a, b} {
		if at[i].text != text {
			at[i].read(text)
		}
	}
	return at[0], at[1]
}

// one returns the reading of a text.
func (d *desk) one(text string) *reading {
	if d.readings[0].text != text {
		d.readings[0].read(text)
	}
	return d.readings[0]
}
