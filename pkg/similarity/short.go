package similarity

func (p *pair) shortText(hunks []hunk) []finding { return nil }
