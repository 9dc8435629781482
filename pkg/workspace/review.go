package workspace

import (
	"errors"
	"io/fs"

	"github.com/memoryd/memoryd/pkg/internal/durable"
	"github.com/memoryd/memoryd/pkg/internal/jsonedit"
	"github.com/memoryd/memoryd/pkg/memory"
	"github.com/memoryd/memoryd/pkg/review"
)

// loadReview reads the review queue.
func loadReview(root durable.FS) (*ReviewQueue, error) {
	doc, _, err := root.Read(ReviewFile, jsonedit.MaxSize)
	if errors.Is(err, fs.ErrNotExist) {
		return &ReviewQueue{}, nil
	}
	if err != nil {
		return nil, err
	}
	pairs, decided, err := review.Parse(doc)
	if err != nil {
		return nil, err
	}
	return memory.NewReviewQueue(pairs, decided), nil
}
