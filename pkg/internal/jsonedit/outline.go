package jsonedit

import (
	"bytes"
	"sort"

	"github.com/tidwall/gjson"
)

// Outline holds the offsets of the members of the object in a document, and of the members of objects that are values of
// these. Of an array of objects, which is the document or the value of a member, it holds the elements, with their members
// likewise. [Outline.Check] fills it in the same pass that checks the document. It may be used again for the next
// document. The zero value is empty.
type Outline struct {
	// Members in the order of the document, those of a member's value behind it. None
	// where the document holds no object.
	Members []Member
	// Elements in the order of the document: those of each array that is the value of a
	// member, or that the document holds, and whose first element is an object.
	Elements []Element

	of   []Member // those of elements; see MembersOf
	flat bool     // only the members of the document are wanted
}

// Element is an element of an array, by offsets in the document.
type Element struct {
	Val, End int32
	first, n int32 // its members
}

// Member is a member of an object, by offsets in the document.
type Member struct {
	Key, KeyEnd int32 // its key, without the quotes
	Val, End    int32 // its value
	Inner       int32 // how many of those that follow are members of its value
}

// maxReused bounds the room that an outline keeps for the next document: that for the
// members of a thousand records takes 300 KB.
const maxReused = 1 << 14

// Check is the function [Check]; when it accepts the document, Members and Elements are
// set.
func (o *Outline) Check(doc []byte) error {
	o.Members, o.Elements, o.of = reused(o.Members), reused(o.Elements), reused(o.of)
	at := skipSpace(doc, bomLen(doc))
	if len(doc) > MaxSize || at == len(doc) || doc[at] != '{' && doc[at] != '[' {
		return Check(doc)
	}
	var end int
	var f fault
	if doc[at] == '{' {
		end, f = o.object(doc, at, 1, true, &o.Members)
	} else {
		end, f = o.array(doc, at, 1)
	}
	if f == none {
		if end = skipSpace(doc, end); end == len(doc) {
			return nil
		}
		f = wantEnd
	}
	o.Members, o.Elements = o.Members[:0], o.Elements[:0]
	return diagnose(doc, end, f)
}

// TopMembers is the function [Check] and returns the members of the object in the document, found in the same pass; none
// if the document is not an object.
func TopMembers(doc []byte) ([]Member, error) {
	o := Outline{flat: true}
	if at := skipSpace(doc, bomLen(doc)); at == len(doc) || doc[at] != '{' {
		return nil, Check(doc)
	}
	err := o.Check(doc)
	return o.Members, err
}

func reused[T any](room []T) []T {
	if cap(room) > maxReused {
		return nil
	}
	return room[:0]
}

// MembersOf are those of an element that is an object, as Members are those of the
// document.
func (o *Outline) MembersOf(e Element) []Member { return o.of[e.first:][:e.n] }

// Array are those of Elements that stand in the value of a member.
func (o *Outline) Array(m Member) []Element {
	first := sort.Search(len(o.Elements), func(i int) bool { return o.Elements[i].Val >= m.Val })
	n := sort.Search(len(o.Elements)-first, func(i int) bool { return o.Elements[first+i].Val >= m.End })
	return o.Elements[first : first+n]
}

// object is scanObject, and puts the members into to; where whole is set, with those of
// the objects that are values.
func (o *Outline) object(doc []byte, i, depth int, whole bool, to *[]Member) (int, fault) {
	if i = skipSpace(doc, i+1); i < len(doc) && doc[i] == '}' {
		return i + 1, none
	}
	for last := false; ; {
		key := i + 1
		end, value, f := scanKey(doc, i)
		if f != none {
			return value, f
		}
		i = skipSpace(doc, value)
		at := len(*to)
		*to = append(*to, Member{Key: int32(key), KeyEnd: int32(end - 1), Val: int32(i)})
		switch {
		case whole && !o.flat && i < len(doc) && doc[i] == '{':
			i, f = o.object(doc, i, depth+1, false, to)
		case depth == 1 && !o.flat && i < len(doc) && doc[i] == '[':
			i, f = o.array(doc, i, 2)
		default:
			i, f = scanValue(doc, i, depth)
		}
		if f != none {
			return i, f
		}
		(*to)[at].End, (*to)[at].Inner = int32(i), int32(len(*to)-at-1)
		if i, last, f = scanNext(doc, i, '}', wantMemberEnd); last || f != none {
			return i, f
		}
		i = skipSpace(doc, i)
	}
}

// array is scanArray.
func (o *Outline) array(doc []byte, i, depth int) (int, fault) {
	if first := skipSpace(doc, i+1); first == len(doc) || doc[first] != '{' {
		return scanArray(doc, i, depth)
	}
	i++
	for last, f := false, none; ; {
		i = skipSpace(doc, i)
		e := Element{Val: int32(i), first: int32(len(o.of))}
		if i < len(doc) && doc[i] == '{' {
			i, f = o.object(doc, i, depth+1, true, &o.of)
		} else {
			i, f = scanValue(doc, i, depth)
		}
		if f != none {
			return i, f
		}
		e.End, e.n = int32(i), int32(len(o.of))-e.first
		o.Elements = append(o.Elements, e)
		if i, last, f = scanNext(doc, i, ']', wantElementEnd); last || f != none {
			return i, f
		}
	}
}

// Twice is what [DuplicateKeys] tells of the object whose members these are: all of an
// outline, or the inner ones behind one of them.
func Twice(doc []byte, members []Member) []string {
	var seen uint64 // of what keys begin with and how long they are: most objects need no other look
	for i := 0; i < len(members); i += 1 + int(members[i].Inner) {
		key := doc[members[i].Key:members[i].KeyEnd]
		bit := uint64(1)
		if len(key) > 0 {
			bit <<= (uint(key[0])*7 + uint(key[len(key)-1])*5 + uint(len(key))) & 63
		}
		if bytes.IndexByte(key, '\\') >= 0 || seen&bit != 0 && (i >= 64 || among(doc, members[:i], key)) {
			return repeated(Keys(doc, members))
		}
		seen |= bit
	}
	return nil
}

// among reports whether one of a few members has a key.
func among(doc []byte, members []Member, key []byte) bool {
	for i := 0; i < len(members); i += 1 + int(members[i].Inner) {
		if bytes.Equal(doc[members[i].Key:members[i].KeyEnd], key) {
			return true
		}
	}
	return false
}

// Keys are those of the object whose members these are, decoded.
func Keys(doc []byte, members []Member) (keys []string) {
	for i := 0; i < len(members); i += 1 + int(members[i].Inner) {
		keys = append(keys, exact(gjson.Parse(view(doc[members[i].Key-1:members[i].KeyEnd+1]))).Str)
	}
	return keys
}
