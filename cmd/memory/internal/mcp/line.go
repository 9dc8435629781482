package mcp

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"unicode/utf8"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/tidwall/gjson"
)

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
