package workspace

import (
	"path"

	"github.com/tidwall/gjson"

	"github.com/memoryd/memoryd/pkg/internal/durable"
	"github.com/memoryd/memoryd/pkg/internal/jsonedit"
)

// PassTexts gives the texts of live memories to f, by their numbers in places, which ascend:
// see [Memory.Text]. It is for who looks at many texts once each. They come in any order, and
// a text is gone when f returns: the next one takes its room, and nothing of it is kept.
func (s *Snapshot) PassTexts(places []int32, f func(n int, text string)) {
	p := &passing{snap: s, places: places, f: f}
	var room Room
	for n, place := range places {
		m := s.Glance(int(place), &room)
		if m.src == nil || m.body != nil || m.src.held(m) != nil {
			f(n, m.Text())
			continue
		}
		in := m.File
		if m.Whole() {
			in = dirOf(m.File)
		}
		if m.src != p.src || in != p.in || len(p.asked) == batchSize || p.size+int(m.size) > maxPieces {
			p.read()
			p.src, p.in, p.whole = m.src, in, m.Whole()
		}
		p.size += int(m.size)
		p.asked = append(p.asked, askedText{n, m.File[len(dirOf(m.File)):], durable.Piece{From: int64(m.from), Size: int(m.size)}, m.checksum})
	}
	p.read()
}

// passing is where texts are read that are given to f.
type passing struct {
	snap   *Snapshot
	places []int32
	f      func(n int, text string)
	room   Room // of those that are read alone

	// Of the last text.
	text    []byte
	body    body
	outline jsonedit.Outline

	// Of one directory the files that hold a memory each, or pieces of one file.
	src   *source
	in    string // the directory, with the slash behind it, or the file
	whole bool
	asked []askedText
	size  int // of the pieces
}

// maxPieces is how many bytes of pieces are read at a time, if one alone has no more.
const maxPieces = 1 << 20

// askedText is a text that is to be read.
type askedText struct {
	n        int
	name     string // of the file, in its directory
	piece    durable.Piece
	checksum Checksum
}

// read reads those that are asked for.
func (p *passing) read() {
	asked := p.asked
	p.asked, p.size = p.asked[:0], 0
	if len(asked) < 2 || !(p.whole && p.files(asked) || !p.whole && p.pieces(asked)) {
		for i := range asked {
			p.alone(&asked[i])
		}
	}
}

func (p *passing) files(asked []askedText) bool {
	names := make([]string, len(asked))
	for i := range asked {
		names[i] = asked[i].name
	}
	return nil == p.src.root.ReadFiles(path.Clean(p.in), names, jsonedit.MaxSize, nil, func(i int, data []byte, _ durable.Info, err error) {
		if err != nil {
			p.alone(&asked[i])
			return
		}
		start, end := jsonedit.Span(data)
		p.give(&asked[i], data[start:end])
	})
}

func (p *passing) pieces(asked []askedText) bool {
	reader, ok := p.src.root.(pieceReader)
	if !ok || asked[0].piece.Size == 0 {
		return false
	}
	pieces := make([]durable.Piece, len(asked))
	for i := range asked {
		pieces[i] = asked[i].piece
	}
	raws, _, err := reader.ReadPieces(p.in, pieces)
	if err != nil {
		return false
	}
	for i, raw := range raws {
		p.give(&asked[i], raw)
	}
	return true
}

// give gives the text of a record's bytes, if they are what they were.
func (p *passing) give(a *askedText, raw []byte) {
	if checksumOf(raw) != a.checksum {
		p.alone(a)
		return
	}
	p.body.from(raw, &p.outline)
	if p.body.content.Type == gjson.String {
		p.f(a.n, p.body.value().Str)
		return
	}
	p.text = p.text[:0]
	p.body.eachText(func(piece string) { p.text = append(p.text, piece...) })
	p.f(a.n, viewString(p.text))
}

// alone gives a text as whoever asks for one memory gets it.
func (p *passing) alone(a *askedText) {
	p.f(a.n, p.snap.Glance(int(p.places[a.n]), &p.room).Text())
}
