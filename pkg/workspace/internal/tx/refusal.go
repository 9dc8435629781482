package tx

// Why an action is skipped when it is applied.
const (
	ReasonChanged    = "changed_meanwhile" // a memory it relies on isn't as it was planned against
	ReasonUnwritable = "unwritable"        // a file that it changes can't be replaced safely
)

// refusal is why an action is skipped.
type refusal struct{ reason, why string }

func (r *refusal) Error() string { return r.why }

func changed(why string) error    { return &refusal{ReasonChanged, why} }
func unwritable(why string) error { return &refusal{ReasonUnwritable, why} }
