package model

import (
	"encoding/binary"
	"errors"
	"math"
)

// Marshal writes the tables as bytes: weights as signed steps, then the runs, the filter
// and the bits.
func (m *Model) Marshal() []byte {
	var out []byte
	for _, w := range m.Words {
		out = append(out, byte(int8(math.Round(min(max(w/step, -128), 127)))))
	}
	for _, runs := range m.Runs {
		for _, r := range runs {
			out = binary.LittleEndian.AppendUint16(out, uint16(math.Round(r/runStep)))
		}
	}
	out = append(out, m.Bloom[:]...)
	return append(out, m.Single[:]...)
}

// Unmarshal reads what Marshal wrote.
func Unmarshal(data []byte) (*Model, error) {
	if len(data) != Weights+2*2*(RunsMax+1)+bloomLen+singles {
		return nil, errors.New("the tables of the token model are of another size")
	}
	m := &Model{}
	for i := range m.Words {
		m.Words[i] = float64(int8(data[i])) * step
	}
	data = data[Weights:]
	for s := range m.Runs {
		for i := range m.Runs[s] {
			m.Runs[s][i] = float64(binary.LittleEndian.Uint16(data)) * runStep
			data = data[2:]
		}
	}
	copy(m.Bloom[:], data)
	copy(m.Single[:], data[bloomLen:])
	return m, nil
}
