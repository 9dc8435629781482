package main

import (
	"crypto/sha256"
	"database/sql"
	"fmt"
	"path/filepath"
	"runtime"
	"runtime/debug"
	"strings"
	"sync"
	"time"

	"github.com/adrg/strutil/metrics"
	"github.com/blevesearch/bleve/v2"
	_ "modernc.org/sqlite" // the driver
)

func goPeers() []peer {
	return []peer{
		{name: "SQLite FTS5 (modernc.org/sqlite)", version: required("modernc.org/sqlite"), way: "library", checks: "the same text only (a unique hash)", durable: "yes (WAL, synchronous=FULL)", open: openSQLite},
		{name: "bleve", version: required("github.com/blevesearch/bleve/v2"), way: "library", checks: "no", durable: "yes", open: openBleve},
		{
			name: "all pairs, Sørensen–Dice > 0.8 of strutil", version: required("github.com/adrg/strutil"), way: "library", checks: "", durable: "",
			duplicates: allPairs, most: 1000,
		},
	}
}

// required is the version of a module that this program was built with.
func required(module string) func() string {
	return func() string {
		info, _ := debug.ReadBuildInfo()
		for _, m := range info.Deps {
			if m.Path == module {
				return m.Version
			}
		}
		return ""
	}
}

type sqlite struct{ db *sql.DB }

func openSQLite(d *dataset, dir string) (store, error) {
	db, err := sql.Open("sqlite", "file:"+filepath.Join(dir, "memories.db")+"?_pragma=journal_mode(WAL)&_pragma=synchronous(FULL)")
	if err != nil {
		return nil, err
	}
	s := &sqlite{db}
	for _, statement := range []string{
		"CREATE TABLE hashes (hash BLOB PRIMARY KEY, id TEXT)",
		"CREATE VIRTUAL TABLE memories USING fts5(id UNINDEXED, text)",
	} {
		if _, err := db.Exec(statement); err != nil {
			return nil, err
		}
	}
	tx, err := db.Begin()
	if err != nil {
		return nil, err
	}
	for _, m := range d.memories {
		if err := insert(tx, m); err != nil {
			return nil, err
		}
	}
	return s, tx.Commit()
}

func insert(tx *sql.Tx, m memory) error {
	hash := sha256.Sum256([]byte(m.Text))
	result, err := tx.Exec("INSERT OR IGNORE INTO hashes VALUES (?, ?)", hash[:], m.ID)
	if err != nil {
		return err
	}
	if n, err := result.RowsAffected(); n == 0 || err != nil {
		return err // it is there already
	}
	_, err = tx.Exec("INSERT INTO memories VALUES (?, ?)", m.ID, m.Text)
	return err
}

func (s *sqlite) save(m memory) error {
	tx, err := s.db.Begin()
	if err != nil {
		return err
	}
	if err := insert(tx, m); err != nil {
		return err
	}
	return tx.Commit()
}

func (s *sqlite) search(query string) (string, error) {
	var terms []string
	for _, word := range words(query) {
		terms = append(terms, `"`+word+`"`)
	}
	rows, err := s.db.Query("SELECT id, text FROM memories WHERE memories MATCH ? ORDER BY bm25(memories) LIMIT 10", strings.Join(terms, " OR "))
	if err != nil {
		return "", err
	}
	defer rows.Close()
	var answer strings.Builder
	for rows.Next() {
		var id, text string
		if err := rows.Scan(&id, &text); err != nil {
			return "", err
		}
		fmt.Fprintln(&answer, id)
	}
	return answer.String(), rows.Err()
}

func (s *sqlite) close() error { return s.db.Close() }

func words(text string) []string {
	return strings.FieldsFunc(text, func(r rune) bool { return !('a' <= r && r <= 'z' || 'A' <= r && r <= 'Z' || '0' <= r && r <= '9') })
}

type bleveStore struct{ index bleve.Index }

func openBleve(d *dataset, dir string) (store, error) {
	index, err := bleve.New(filepath.Join(dir, "memories.bleve"), bleve.NewIndexMapping())
	if err != nil {
		return nil, err
	}
	batch := index.NewBatch()
	for i, m := range d.memories {
		if err := batch.Index(m.ID, map[string]string{"text": m.Text}); err != nil {
			return nil, err
		}
		if batch.Size() == 1000 || i == len(d.memories)-1 {
			if err := index.Batch(batch); err != nil {
				return nil, err
			}
			batch.Reset()
		}
	}
	return &bleveStore{index}, nil
}

func (s *bleveStore) save(m memory) error {
	return s.index.Index(m.ID, map[string]string{"text": m.Text})
}

func (s *bleveStore) search(query string) (string, error) {
	request := bleve.NewSearchRequest(bleve.NewMatchQuery(query))
	request.Size, request.Fields = 10, []string{"text"}
	result, err := s.index.Search(request)
	if err != nil {
		return "", err
	}
	var answer strings.Builder
	for _, hit := range result.Hits {
		fmt.Fprintln(&answer, hit.ID)
	}
	return answer.String(), nil
}

func (s *bleveStore) close() error { return s.index.Close() }

// allPairs compares every memory with every other one, on all cores.
func allPairs(d *dataset) (map[pair]bool, time.Duration, error) {
	started := time.Now()
	found := map[pair]bool{}
	var mu sync.Mutex
	var group sync.WaitGroup
	rows := make(chan int)
	for range runtime.NumCPU() {
		group.Go(func() {
			dice := metrics.NewSorensenDice()
			for i := range rows {
				for _, other := range d.memories[:i] {
					if dice.Compare(d.memories[i].Text, other.Text) > 0.8 {
						mu.Lock()
						found[pairOf(d.memories[i].ID, other.ID)] = true
						mu.Unlock()
					}
				}
			}
		})
	}
	for i := range d.memories {
		rows <- i
	}
	close(rows)
	group.Wait()
	return found, time.Since(started), nil
}
