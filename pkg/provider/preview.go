package provider

// Preview is what would be sent for a request, to whom.
type Preview struct {
	Provider string  `json:"provider"`
	Model    string  `json:"model"`
	URL      string  `json:"url"`
	Local    bool    `json:"local"`
	Tokens   int     `json:"tokens"` // of the prompt and of the longest answer, at most
	Cost     float64 `json:"cost,omitempty"`
	Fits     bool    `json:"fits"`
	Body     string  `json:"body"`
}

// Preview returns what the first endpoint of a request's reach would be sent, byte for byte; nil if none may be asked. Nothing is
// sent or noted.
func (c *Chain) Preview(r Request) (*Preview, error) {
	to := c.within(r.Reach)
	if len(to) == 0 {
		return nil, nil
	}
	e := to[0].Endpoint
	p, err := promptFor(c.redacted(r), e)
	if err != nil {
		return nil, err
	}
	body, err := encode(e, &p)
	if err != nil {
		return nil, err
	}
	in := p.inputTokens()
	cost, _ := e.cost(Usage{In: in, Out: p.MaxOutput})
	return &Preview{
		Provider: e.Name, Model: e.Model, URL: e.BaseURL + formatOf(e.Kind).path, Local: e.Local,
		Tokens: in + p.MaxOutput, Cost: cost, Fits: e.Context <= 0 || in+p.MaxOutput <= e.Context, Body: string(body),
	}, nil
}
