package app

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/gob"
	"encoding/hex"
	"fmt"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/memoryd/memoryd/pkg/archive"
	"github.com/memoryd/memoryd/pkg/config"
	"github.com/memoryd/memoryd/pkg/memory"
	"github.com/memoryd/memoryd/pkg/provider"
	"github.com/memoryd/memoryd/pkg/recall"
	"github.com/memoryd/memoryd/pkg/rules"
	"github.com/memoryd/memoryd/pkg/similarity"
	"github.com/memoryd/memoryd/pkg/workspace"
)

// Numbers of embeddings that are no settings.
const (
	embedBatch     = 32              // texts in a request
	embedAtOnce    = 512             // memories that one command gives vectors to; the next one goes on
	recallPatience = 5 * time.Second // for the server, while somebody waits for an answer
	embedPause     = time.Minute     // without a server that failed
)

// Vectors are what texts mean, as a server of embeddings has it. They are kept in ops/cache by the texts: losing them costs tokens only.
type Vectors struct {
	server *provider.Embedder
	reach  func(*memory.Memory) provider.Reach
	cache  *workspace.Cache
	file   string
	known  map[string][]float32 // by the digest of the text
}

// OpenVectors returns the vectors of a workspace; nil if the settings name no server of embeddings, or it can't be asked: why says so then.
func OpenVectors(store *workspace.FileStore, set config.Settings, env func(string) string) (v *Vectors, why string, err error) {
	if set.Embed.Provider == "" || !set.Model.Enabled {
		return nil, "", nil
	}
	chain := set.Model
	chain.Chain = []string{set.Embed.Provider}
	servers, err := ModelServers(chain, env)
	if err != nil {
		return nil, "", fmt.Errorf("embed.provider: %w", err)
	}
	server := servers[0]
	server.Model = set.Embed.Model
	if server.Missing = missing(set.Model, config.ModelServer{Model: set.Embed.Model, KeyEnv: server.keyEnv}, &server.Endpoint); server.Missing != "" {
		return nil, fmt.Sprintf("embed.provider %s: %s", server.Name, server.Missing), nil
	}
	rules, err := SecretRules(store, set)
	if err != nil {
		return nil, "", err
	}
	v = &Vectors{
		server: &provider.Embedder{Endpoint: server.Endpoint, Ledger: ModelLedger(store, set.Model, ""), Redact: redactWith(rules)},
		reach:  func(m *memory.Memory) provider.Reach { return ModelReach(set.Model, m) },
		cache:  store.Cache(), file: "vectors-" + digestOf(string(server.Kind) + " " + server.Model)[:16], known: map[string][]float32{},
	}
	if data, err := store.Cache().Read(v.file); err == nil {
		var known map[string][]float32
		if gob.NewDecoder(bytes.NewReader(data)).Decode(&known) == nil {
			v.known = known
		}
	}
	return v, "", nil
}

func digestOf(text string) string {
	sum := sha256.Sum256([]byte(text))
	return hex.EncodeToString(sum[:])
}

// textOf is what of a memory is embedded.
func textOf(m *memory.Memory) string {
	if title := m.Title(); title != "" {
		return title + "\n" + m.Text()
	}
	return m.Text()
}

// may reports whether the server may be sent a memory.
func (v *Vectors) may(m *memory.Memory) bool {
	reach := v.reach(m)
	return reach == provider.Remote || reach == provider.Local && v.server.Local
}

// Learn asks for the vectors of memories that have none, of some at most, and keeps them. What was learned before an error is kept too.
func (v *Vectors) Learn(ctx context.Context, memories []*memory.Memory) (err error) {
	var texts, digests []string
	for _, m := range memories {
		text := textOf(m)
		digest := digestOf(text)
		if _, ok := v.known[digest]; ok || text == "" || len(texts) == embedAtOnce || !v.may(m) {
			continue
		}
		texts, digests = append(texts, text), append(digests, digest)
	}
	for at := 0; at < len(texts) && err == nil; at += embedBatch {
		end := min(at+embedBatch, len(texts))
		var vectors [][]float32
		if vectors, err = v.server.Embed(ctx, texts[at:end]); err == nil {
			for i, vector := range vectors {
				v.known[digests[at+i]] = similarity.Unit(vector)
			}
		}
	}
	if len(texts) > 0 {
		v.keep(memories)
	}
	return err
}

// keep writes the vectors of live memories.
func (v *Vectors) keep(memories []*memory.Memory) {
	live := map[string][]float32{}
	for _, m := range memories {
		digest := digestOf(textOf(m))
		if vector, ok := v.known[digest]; ok {
			live[digest] = vector
		}
	}
	var b bytes.Buffer
	if gob.NewEncoder(&b).Encode(live) == nil {
		_ = v.cache.Write(v.file, b.Bytes())
	}
}

// mostNear is how many memories are compared with each other by their vectors: of more, words alone tell the pairs.
const mostNear = 5000

// Pairs lists the memories that are near in meaning, by the vectors that are known: those with a cosine of least or more, the nearest first.
func (v *Vectors) Pairs(all []*memory.Memory, least float64) (pairs [][2]*memory.Memory) {
	if len(all) > mostNear {
		return nil
	}
	vectors := make([][]float32, len(all))
	for i, m := range all {
		if v.may(m) {
			vectors[i] = v.known[digestOf(textOf(m))]
		}
	}
	for _, p := range similarity.Near(vectors, least) {
		pairs = append(pairs, [2]*memory.Memory{all[p.A], all[p.B]})
	}
	return pairs
}

// nearBy learns what it can of memories, and returns what lists those that are near; nil without a server. Why none, or fewer, are found is said.
func nearBy(ctx context.Context, store *workspace.FileStore, set config.Settings, env func(string) string, snap *memory.Snapshot) (near func([]*memory.Memory) [][2]*memory.Memory, why string, err error) {
	vectors, why, err := OpenVectors(store, set, env)
	if vectors == nil || err != nil {
		return nil, why, err
	}
	if failed := vectors.Learn(ctx, snap.Memories()); failed != nil {
		why = failed.Error()
	}
	return func(all []*memory.Memory) [][2]*memory.Memory { return vectors.Pairs(all, set.Cluster.Cosine) }, why, nil
}

// Meaning compares a question with memories. It is a [recall.Meaning] that gives nothing where the server fails, and keeps why.
type Meaning struct {
	*Vectors
	Ctx      context.Context
	Memories []*memory.Memory
	Failed   error

	nearby map[string]map[string]float64
}

// Near implements [recall.Meaning].
func (m *Meaning) Near(text string) (map[string]float64, error) {
	if near, ok := m.nearby[text]; ok {
		return near, nil
	}
	near := map[string]float64{}
	ctx, cancel := context.WithTimeout(m.Ctx, recallPatience)
	defer cancel()
	question, err := m.server.Embed(ctx, []string{text})
	if err == nil {
		err = m.Learn(ctx, m.Memories)
	}
	if err == nil || len(question) > 0 {
		asked := similarity.Unit(question[0])
		for _, x := range m.Memories {
			if vector, ok := m.known[digestOf(textOf(x))]; ok && len(vector) == len(asked) {
				near[x.ID] = similarity.Dot(asked, vector)
			}
		}
	}
	m.Failed = err
	if m.nearby == nil {
		m.nearby = map[string]map[string]float64{}
	}
	m.nearby[text] = near
	return near, nil
}

// Embeddings lets the queries of one process compare meanings. A server that failed is not asked again for [embedPause].
type Embeddings struct {
	Env func(string) string // the environment, for the keys of servers
	Now func() time.Time

	mu     sync.Mutex
	paused time.Time // until when no server is asked
}

// Compare lets a query compare meanings too, if the settings name a server of embeddings that can be asked. The server is asked now: nothing
// waits for it while an index is locked. Why words alone count is said, if a server is named. Nil compares nothing.
func (e *Embeddings) Compare(ctx context.Context, store *workspace.FileStore, set config.Settings, snap *memory.Snapshot, q *recall.Query) (why string, err error) {
	if e == nil || strings.TrimSpace(q.Text) == "" {
		return "", nil
	}
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.Now().Before(e.paused) {
		return "", nil // it was said
	}
	vectors, why, err := OpenVectors(store, set, e.Env)
	if vectors == nil || err != nil {
		return why, err
	}
	m := &Meaning{Vectors: vectors, Ctx: ctx, Memories: snap.Memories()}
	for _, text := range append([]string{q.Text}, q.Also...) {
		if text = strings.TrimSpace(text); text == "" || m.Failed != nil {
			continue
		}
		if _, err := m.Near(text); err != nil {
			return "", err
		}
	}
	if m.Failed != nil && ctx.Err() == nil {
		why, e.paused = m.Failed.Error(), e.Now().Add(embedPause)
	}
	q.Meaning, q.MeaningWeight = m, set.Embed.Weight
	return why, nil
}

// mergeCopies adds to a plan that those conflict copies are merged of which the records of runs know what both sides began from. The others
// wait for a person.
func mergeCopies(store PlanStore, snap *memory.Snapshot, request rules.Request, plan *memory.Plan) error {
	var merges []memory.Action
	taken := map[string]bool{} // two copies of one memory are merged one run after the other
	for _, c := range snap.Copies {
		if reason, _ := rules.Untouchable(c.Of, request.Settings.Exclude); reason != "" || taken[c.ID] || plan.Covers != nil && !plan.Covers(c.Of) {
			continue
		}
		versions, err := store.History(c.ID)
		if err != nil {
			return err
		}
		a, ok, err := archive.MergeCopy(snap, c, versions)
		if err != nil {
			return err
		}
		if ok {
			taken[c.ID], merges = true, append(merges, a)
		}
	}
	if len(merges) == 0 {
		return nil
	}
	plan.Actions = append(merges, plan.Actions...)
	plan.Skipped = slices.DeleteFunc(plan.Skipped, func(sk memory.Skip) bool { return sk.Reason == rules.ReasonCopy && taken[sk.MemoryID] })
	plan.Seal(request.LogHead)
	return nil
}
