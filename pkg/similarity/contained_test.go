package similarity

import (
	"testing"

	"pgregory.net/rapid"
)

func TestContained(t *testing.T) {
	for _, tt := range []struct {
		a, b string
		want Containment
	}{
		{"The gateway listens on port 8443.", "the gateway listens on port 8443!", Containment{true, true, true, true}},
		{"The gateway listens on port 8443.", "The gateway listens on port 8443. It speaks TLS since 3 May.", Containment{true, false, true, true}},
		{"The gateway listens on port 8443.", "It is up. The gateway listens on port 8443.", Containment{true, false, true, true}},
		{"The gateway listens on port 8443.", "The gateway listens on port 8443 behind the balancer.", Containment{true, false, true, false}},
		{"The gateway of the shop listens.", "The gateway listens.", Containment{false, true, false, false}},
		{"Wait for 1000 ms before the retry.", "Wait for 1 s before the retry.", Containment{true, true, true, true}},
		{"Port 8443 is open.", "Port 9443 is open.", Containment{false, false, false, false}},
		{"Use the option -x to extract.", "Use the option -X to extract.", Containment{false, false, false, false}},
		{"Join the commands with && in the script.", "Join the commands with || in the script.", Containment{false, false, false, false}},
	} {
		got := Contained(Prepare(tt.a), Prepare(tt.b))
		if !tt.want.AInB && !tt.want.BInA {
			got.Whole, got.Sentences = false, false // say nothing then
		}
		if got != tt.want {
			t.Errorf("%q in %q: %+v", tt.a, tt.b, got)
		}
		back := Contained(Prepare(tt.b), Prepare(tt.a))
		if back.AInB != got.BInA || back.BInA != got.AInB {
			t.Errorf("%q in %q: %+v, but back %+v", tt.a, tt.b, got, back)
		}
	}
}

func TestWhatIsAddedContains(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		a, more := prose.Draw(t, "a"), prose.Draw(t, "more")
		if c := Contained(Prepare(a), Prepare(a)); !c.AInB || !c.BInA {
			t.Fatalf("%q and itself: %+v", a, c)
		}
		Contained(Prepare(a), Prepare(more)) // does not panic
	})
}
