package mcp

import (
	"bufio"
	"context"
	"errors"
	"io"
	"log/slog"
	"sync"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
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
	stop  <-chan struct{} // closed when the process is told to stop

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
