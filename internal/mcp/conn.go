package mcp

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"math"
	"sync"
	"unicode/utf8"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
	"github.com/tidwall/gjson"
)

// maxLine is how long a message may be. What a tool takes is far below it; a line
// that is read in full can be answered.
const maxLine = 32 << 20

// conn carries messages, one a line. The transport of the library ends the session
// at the first line that is no message, and at the end of the input leaves requests
// unanswered that are being worked on.
type conn struct {
	lines <-chan line
	out   io.Writer
	log   *slog.Logger
	stop  <-chan struct{} // closed when the process is asked to stop

	queue []jsonrpc.Message // read and not passed on yet

	writing sync.Mutex

	mu      sync.Mutex
	open    int           // requests passed on and not answered
	settled chan struct{} // closed when there are none; nil while nobody waits for it

	closing sync.Once
	closed  chan struct{}
}

// line is the text between two line ends.
type line struct {
	text []byte
	long bool // it is longer than maxLine: there is no text
}

func newConn(in io.Reader, out io.Writer, log *slog.Logger, stop <-chan struct{}) *conn {
	lines := make(chan line)
	c := &conn{lines: lines, out: out, log: log, stop: stop, closed: make(chan struct{})}
	go func() { // lives until the input ends: a read can't be interrupted everywhere
		defer close(lines)
		if err := readLines(in, func(l line) bool {
			select {
			case lines <- l:
				return true
			case <-c.closed:
				return false
			}
		}); err != nil {
			log.Error("read the standard input", "error", err)
		}
	}()
	return c
}

// readLines passes on the lines of a stream until take wants no more; a last one
// without a line end counts.
func readLines(in io.Reader, take func(line) bool) error {
	r := bufio.NewReaderSize(in, 64<<10)
	var l line
	for {
		part, err := r.ReadSlice('\n')
		if len(l.text)+len(part) > maxLine {
			l = line{long: true}
		}
		if !l.long {
			l.text = append(l.text, part...)
		}
		if errors.Is(err, bufio.ErrBufferFull) {
			continue
		}
		if (len(l.text) > 0 || l.long) && !take(l) || errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return err
		}
		l = line{}
	}
}

// Connect implements [sdk.Transport].
func (c *conn) Connect(context.Context) (sdk.Connection, error) { return c, nil }

// SessionID implements [sdk.Connection].
func (c *conn) SessionID() string { return "" }

// Read implements [sdk.Connection]: it never fails but for the end, and that comes
// when all that was read has been answered.
func (c *conn) Read(ctx context.Context) (jsonrpc.Message, error) {
	for {
		if len(c.queue) > 0 {
			msg := c.queue[0]
			c.queue = c.queue[1:]
			if r, ok := msg.(*jsonrpc.Request); ok && r.IsCall() {
				c.mu.Lock()
				c.open++
				c.mu.Unlock()
			}
			return msg, nil
		}
		select {
		case <-ctx.Done():
			return nil, ctx.Err()
		case <-c.closed:
			return nil, io.EOF
		case <-c.stop:
			return nil, c.settle()
		case l, ok := <-c.lines:
			if !ok {
				return nil, c.settle()
			}
			if err := c.take(l); err != nil {
				return nil, err
			}
		}
	}
}

// take queues the messages of a line, and answers with an error what is no message.
func (c *conn) take(l line) error {
	if l.long {
		c.log.Error("a line was passed over: it is too long", "limit", maxLine)
		return nil
	}
	for _, m := range parseLine(l.text) {
		if m.wrong == nil {
			c.queue = append(c.queue, m.message)
			continue
		}
		c.log.Error("a line is no message", "error", m.wrong, "bytes", len(l.text))
		if reply := m.reply(); reply != nil {
			if err := c.write(reply); err != nil {
				return err
			}
		}
	}
	return nil
}

// settle waits until all requests are answered.
func (c *conn) settle() error {
	c.mu.Lock()
	settled := make(chan struct{})
	if c.settled = settled; c.open == 0 {
		close(settled)
		c.settled = nil
	}
	c.mu.Unlock()
	select {
	case <-settled:
	case <-c.closed:
	}
	return io.EOF
}

// Write implements [sdk.Connection]. An answer that is no JSON fails alone: an error of
// Write ends the session.
func (c *conn) Write(_ context.Context, msg jsonrpc.Message) error {
	text, err := jsonrpc.EncodeMessage(msg)
	if answer, ok := msg.(*jsonrpc.Response); ok && err != nil {
		c.log.Error("encode an answer", "error", err)
		text, err = jsonrpc.EncodeMessage(&jsonrpc.Response{ID: answer.ID, Error: &jsonrpc.Error{
			Code: jsonrpc.CodeInternalError, Message: "memoryd made an answer that can't be sent. The server goes on, and its log tells more.",
		}})
	}
	if err == nil {
		err = c.write(text)
	}
	if _, ok := msg.(*jsonrpc.Response); ok {
		c.mu.Lock()
		if c.open--; c.open == 0 && c.settled != nil {
			close(c.settled)
			c.settled = nil
		}
		c.mu.Unlock()
	}
	return err
}

func (c *conn) write(text []byte) error {
	c.writing.Lock()
	defer c.writing.Unlock()
	_, err := c.out.Write(append(text, '\n'))
	return err
}

// Close implements [sdk.Connection]. The streams are those of the process: it closes
// neither.
func (c *conn) Close() error {
	c.closing.Do(func() { close(c.closed) })
	return nil
}

// parsed is a message of a line, or what is wrong with it.
type parsed struct {
	message jsonrpc.Message
	wrong   error
	code    int
	id      string // JSON of the request that it names; "" for none
}

// parseLine reads the messages of a line: one, none in an empty line, or those of a
// batch.
func parseLine(text []byte) []parsed {
	text = bytes.TrimSpace(text)
	switch {
	case len(text) == 0:
		return nil
	case !utf8.Valid(text):
		return []parsed{broken(text, jsonrpc.CodeParseError, errors.New("it is not UTF-8"))}
	case !json.Valid(text): // refuses what is nested too deep for whoever reads it next, too
		return []parsed{broken(text, jsonrpc.CodeParseError, errors.New("it is not valid JSON"))}
	case text[0] != '[':
		return []parsed{parseMessage(text)}
	}
	var batch []json.RawMessage
	if err := json.Unmarshal(text, &batch); err != nil || len(batch) == 0 {
		return []parsed{broken(nil, jsonrpc.CodeInvalidRequest, errors.New("it is an empty batch"))}
	}
	all := make([]parsed, len(batch))
	for i, one := range batch {
		all[i] = parseMessage(one)
	}
	return all
}

// parseMessage reads one message.
func parseMessage(text []byte) parsed {
	var members map[string]json.RawMessage
	if err := json.Unmarshal(text, &members); err != nil {
		return broken(nil, jsonrpc.CodeInvalidRequest, errors.New("it is no object"))
	}
	if id, ok := members["id"]; ok {
		if err := checkID(id); err != nil {
			return broken(text, jsonrpc.CodeInvalidRequest, err)
		}
	}
	msg, err := jsonrpc.DecodeMessage(text)
	if err != nil {
		return broken(text, jsonrpc.CodeInvalidRequest, err)
	}
	return parsed{message: msg}
}

// checkID refuses what can't be answered under the same id: numbers with a fraction,
// or beyond what is exact in the floating point that the library reads them with.
func checkID(id []byte) error {
	var v any
	if err := json.Unmarshal(id, &v); err != nil {
		return fmt.Errorf("id: %w", err)
	}
	switch v := v.(type) {
	case string:
		return nil
	case float64:
		if v == math.Trunc(v) && math.Abs(v) < 1<<53 {
			return nil
		}
	}
	return errors.New("its id is neither a string nor a whole number below 2^53")
}

// broken is a line that is no message; its id is looked for all the same.
func broken(text []byte, code int, wrong error) parsed {
	p := parsed{wrong: wrong, code: code}
	switch id := gjson.GetBytes(text, "id"); {
	case id.Type == gjson.String && utf8.ValidString(id.Raw) && json.Valid([]byte(id.Raw)),
		id.Type == gjson.Number && json.Valid([]byte(id.Raw)) && !math.IsInf(id.Num, 0):
		p.id = id.Raw
	}
	return p
}

// reply answers a request that can't be read. What is no JSON is answered under the id null, as JSON-RPC 2.0 (section 5) has it;
// what else has no id is a notification, and not answered.
func (p parsed) reply() []byte {
	switch {
	case p.id == "" && p.code == jsonrpc.CodeParseError:
		p.id = "null"
	case p.id == "":
		return nil
	}
	type wrong struct {
		Code    int    `json:"code"`
		Message string `json:"message"`
	}
	text, err := json.Marshal(struct {
		JSONRPC string          `json:"jsonrpc"`
		ID      json.RawMessage `json:"id"`
		Error   wrong           `json:"error"`
	}{"2.0", json.RawMessage(p.id), wrong{p.code, "the message can't be read: " + p.wrong.Error()}})
	if err != nil {
		return nil // the id was checked: it can't be
	}
	return text
}
