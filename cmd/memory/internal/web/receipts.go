package web

import (
	"net/http"
	"slices"

	"github.com/memoryd/memoryd/cmd/memory/internal/app"
	"github.com/memoryd/memoryd/pkg/briefing"
)

// receiptsBody is what the template of the receipts is given.
type receiptsBody struct {
	Receipts []briefing.Receipt // the latest first
	paging
	Session string
}

func (s *Server) receiptsPage(r *http.Request) (*reply, error) {
	receipts, err := app.Receipts(s.Store)
	if err != nil {
		return nil, err
	}
	body := receiptsBody{Session: r.URL.Query().Get("session")}
	var rows []briefing.Receipt
	for _, rec := range slices.Backward(receipts) {
		if body.Session == "" || rec.Session == body.Session {
			rows = append(rows, rec)
		}
	}
	var end int
	if body.paging, end, err = pageOf(r, len(rows)); err != nil {
		return nil, err
	}
	body.Receipts = rows[body.From:end]
	return &reply{page: &page{Template: "receipts", Title: "Receipts", At: s.Now(), Body: body}}, nil
}
