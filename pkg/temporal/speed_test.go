package temporal_test

import (
	"strings"
	"testing"

	"github.com/memoryd/memoryd/pkg/temporal"
)

// BenchmarkNoTime reads a kilobyte without any word of time.
func BenchmarkNoTime(b *testing.B) {
	text := strings.Repeat("The gateway listens on port 8443 and forwards to node-7; see docs/setup.md for how the Überwachung is done. ", 10)[:1024]
	b.SetBytes(int64(len(text)))
	for b.Loop() {
		temporal.Resolve(text, ref)
	}
}

// BenchmarkGerman reads a kilobyte of German.
func BenchmarkGerman(b *testing.B) {
	text := strings.Repeat("Gestern lief der Import um 15 Uhr in einen Fehler, weil die Spalte für das Datum leer war; am Freitag hatte das Team darüber gesprochen. ", 10)[:1024]
	b.SetBytes(int64(len(text)))
	for b.Loop() {
		temporal.Resolve(text, ref)
	}
}
