package memory

import (
	"unsafe"

	"github.com/tidwall/gjson"
)

// viewString views bytes as a string without copying. The bytes of a snapshot
// are never written to once they are read, so the view can't change.
func viewString(b []byte) string {
	if len(b) == 0 {
		return ""
	}
	return unsafe.String(&b[0], len(b))
}

// viewBytes gives text as bytes without a copy, which nobody may write to.
func viewBytes(text string) []byte {
	return unsafe.Slice(unsafe.StringData(text), len(text))
}

// parse views bytes as JSON without copying them; they are never written to.
func parse(raw []byte) gjson.Result { return gjson.Parse(viewString(raw)) }
