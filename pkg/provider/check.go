package provider

import (
	"bytes"
	"encoding/json"
	"errors"
)

// Unmarshal reads an answer into a value, as [Strictly] does.
func (a Answer) Unmarshal(into any) error {
	if err := Strictly(a.Object, into); err != nil {
		return &Error{Outcome: Shape, Provider: a.Receipt.Provider, Detail: err.Error()}
	}
	return nil
}

// Strictly reads an object into a value: nothing may stand in it that the value doesn't have, nor anything of another type.
func Strictly(object json.RawMessage, into any) error {
	dec := json.NewDecoder(bytes.NewReader(object))
	dec.DisallowUnknownFields()
	if err := dec.Decode(into); err != nil || dec.More() {
		return errors.New("the answer holds something else than was asked for")
	}
	return nil
}
