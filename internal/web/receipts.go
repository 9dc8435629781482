package web

import (
	"net/http"
	"slices"
	"time"

	"github.com/memoryd/memoryd/internal/app"
	"github.com/memoryd/memoryd/pkg/briefing"
)

// receiptsBody is what the template of the receipts is given.
type receiptsBody struct {
	Receipts []briefing.Receipt // the latest first
	paging
	Session string
	Whole   []briefing.Receipt // the one that is asked for, with its memories; several of one moment
}

func receiptsPage(s *Server, r *http.Request) (*reply, error) {
	receipts, err := app.Receipts(s.Store)
	if err != nil {
		return nil, err
	}
	query := r.URL.Query()
	body := receiptsBody{Session: query.Get("session")}
	var rows []briefing.Receipt
	for _, rec := range slices.Backward(receipts) {
		if body.Session == "" || rec.Session == body.Session {
			rows = append(rows, rec)
		}
		if at := query.Get("at"); at == exactly(rec.At) && rec.Session == body.Session {
			body.Whole = append(body.Whole, rec)
		}
	}
	if at := query.Get("at"); at != "" && body.Whole == nil {
		return nil, notFound("there is no receipt of %s", shown(at))
	}
	var end int
	if body.paging, end, err = pageOf(r, len(rows)); err != nil {
		return nil, err
	}
	body.Receipts = rows[body.From:end]
	return &reply{page: &page{Template: "receipts", Title: "Receipts", At: s.Now(), Body: body}}, nil
}

// exactly is a time that tells receipts apart.
func exactly(t time.Time) string { return t.UTC().Format(time.RFC3339Nano) }
