package config

import (
	"fmt"
	"math"
	"time"
)

// Settings are the rules' numbers and the switches of a workspace. The zero
// value is not usable: start from [Default] or [Parse].
//
// Where a comment says "more than", the limit itself does not count.
type Settings struct {
	Preset  string // "seed", "careful" or "subcog"
	Exclude Exclude
	Rules
	Retention   Retention
	Cluster     Cluster
	Context     Context
	Consolidate Consolidate
	Run         Run
	History     History
	Files       Files
	Workspace   Workspace
	Sync        Sync
	Triggers    Triggers
	Watch       Watch
	Serve       Serve
	Remember    Remember
	Secrets     Secrets
	Model       Model
	Deep        Deep
	Embed       Embed

	// Schedules are further times at which to consolidate, by name.
	Schedules map[string]Schedule

	// Teams gives the team of an agent. A key is an agent id, a glob ("DEV-*") or
	// a prefix before the dash ("DEV"); see [Settings.Team].
	Teams map[string]string
}

// Exclude says which memories no rule changes, besides critical ones and
// decisions.
type Exclude struct {
	MinAge      Duration // younger memories are left alone
	Tags        []string // memories with one of these tags are left alone
	ConsentUser bool     // memories created by USER may be changed
}

// Retention says how much a memory still matters; see package retention.
type Retention struct {
	RecencyWeight      float64 // 0 to 1; the four weights add up to 1
	ActivationWeight   float64
	ImportanceWeight   float64
	SupersessionWeight float64
	HalfLife           Duration // after which recency is half of what it was
	RecencyFrom        string   // "used" (written or read last) or "created"
	Activation         string   // what reads count for: "log1p" or "ln"
	ActivationFull     int      // reads that count in full, with "log1p"
	Importance         string   // "stated", or "mean" with the weight of the subtype
	SupersededFactor   float64  // of the score that a superseded memory keeps
	PartialFactor      float64  // the same of one that is superseded in part
	Hot                float64  // least score of the tier, likewise the next two
	Warm               float64
	Cold               float64
}

// weights are the names of the settings that add up to 1.
var weights = []string{"recency_weight", "activation_weight", "importance_weight", "supersession_weight"}

// unbalanced says what is wrong with the weights, "" if they add up to 1.
func (r Retention) unbalanced() string {
	sum := r.RecencyWeight + r.ActivationWeight + r.ImportanceWeight + r.SupersessionWeight
	if math.Abs(sum-1) < 1e-9 {
		return ""
	}
	return fmt.Sprintf("the weights of [retention] add up to %.4g: write %s so that they add up to 1", sum, andList(weights))
}

// Context bounds what an agent is given.
type Context struct {
	Inject       bool    // whether hooks give anything
	MinTier      string  // "hot", "warm", "cold" or "archived": less retained memories are not given
	TokenBudget  int     // at the start of a session
	PromptTokens int     // with a prompt
	MaxChars     int     // of a block: hosts cut longer ones off
	MaxPerGroup  int     // memories of one type
	MinRelevance float64 // 0 to 1; less relevant memories don't go with a prompt

	Summaries     int     // of clusters at most, at the start of a session: they stand instead of warm memories; 0: none
	SummaryTokens int     // tokens of the budget that they may take
	MinCoherence  float64 // 0 to 1; summaries of looser clusters are not given
	MinConfidence float64 // 0 to 1; summaries of less confidence are not given
	Prioritize    string  // which summaries come first: relevance, recency or activation
	Edges         int     // given with a memory at most
	Adaptive      bool    // whether the budget at the start of a session grows with the number of memories
}

// steps are how the budget grows: from so many memories that matter on, by so much (seed 004).
var steps = []struct {
	memories int
	factor   float64
}{{1000, 2.5}, {250, 2}, {50, 1.5}}

// StartFactor is by how much the block at the start of a session may be longer where so many memories matter.
func (c Context) StartFactor(memories int) float64 {
	for _, s := range steps {
		if c.Adaptive && memories >= s.memories {
			return s.factor
		}
	}
	return 1
}

// Cluster says which memories are about one subject.
type Cluster struct {
	Threshold float64 // mean likeness of two groups that are joined, 0 to 1
	Min, Max  int     // memories in a cluster
	Cosine    float64 // of the vectors of two memories that are near in meaning, with a server of embeddings
	Shared    int     // memories that may have a tag, a link or a name; what more have ties nothing
	Wording   string  // of a summary that a model makes: "quotes" or "free"
}

// Consolidate says when a run is worth starting.
type Consolidate struct {
	MinMemories int // with fewer live memories no run starts by itself
}

// Run bounds one run of consolidation.
type Run struct {
	Limit int      // memories changed at most
	Pause Duration // between two updates of an index
}

// History says how far back runs can be undone.
type History struct {
	Keep int // runs whose records are kept; each for a day at least
}

// Files says what the file system must offer.
type Files struct {
	AllowNetwork bool // a workspace on a network file system may be written
	Cache        bool // what was read of the files is kept in ops/cache
}

// Workspace says which folder of memories is used.
type Workspace struct {
	Worktrees string // in a linked worktree of a git repository; see [WorktreesAuto]
}

// Sync says how "memory sync" shares the workspace through git.
type Sync struct {
	Remote string // "": that of the branch, or origin
	Branch string // "": that which the branch follows, or of its name
	// Runs is the machine that consolidates by itself; the others settle their sessions only. "": each does.
	Runs     string
	Interval Duration // how often "memory watch" syncs; 0: never
}

// SessionsOnly are the settings of a machine that starts no run by itself but those about sessions, since another one does.
func (s Settings) SessionsOnly() Settings {
	s.Triggers.Weekly, s.Triggers.Interval, s.Triggers.IndexOverflow, s.Schedules = "", "", many, nil
	return s
}

// Which workspace is used in a linked worktree of a git repository.
const (
	WorktreesAuto   = "auto"   // its own where git tracks the folder, else the repository's
	WorktreesOwn    = "own"    // its own
	WorktreesShared = "shared" // that of the repository
)

// Triggers say when consolidation starts by itself.
type Triggers struct {
	Automatic           bool     // whether any run starts by itself
	IndexOverflow       int      // an index with more entries is consolidated
	IndexOverflowStep   int      // and again when it has grown by as many
	IndexOverflowRepeat Duration // and again after this time
	Weekly              string   // cron expression of the full consolidation; "" = never
	QuietTime           Duration // heavy runs wait until nothing changed for so long
	QuietMax            Duration // but no longer than this
	Retries             int      // attempts after a failed run
	ModelInterval       Duration // least time between the slots of runs that may ask models
	Threshold           bool     // whether the next two trigger anything
	ThresholdMessages   int      // messages in a session
	ThresholdWorking    int      // working memories in the workspace
	Interval            string   // duration ("5m") or cron expression; "" = never
	Timezone            string   // in which times of day are read: an IANA name, or [LocalZone]
	SessionIdle         Duration // a session that nobody touched for so long has ended
}

// Watch says what else the process that watches does.
type Watch struct {
	Metrics string // address at which it serves metrics, on this machine only; "" = none
}

// Serve says how the dashboard is served.
type Serve struct {
	Addr       string   // on this machine
	ReadOnly   bool     // whether it only shows
	AllowHosts []string // further names by which a browser may ask for it
	Session    Duration // how long a browser stays signed in
	IdleExit   Duration // it ends after so long without a request; 0: never
}

// Remember says what becomes of a memory that is saved next to a similar one.
type Remember struct {
	MergeSimilarity float64 // of contents, 0 to 1; with more the two are one if one says all that the other says
	FlagSimilarity  float64 // of contents, 0 to 1; with as much or more it is saved and flagged for review
}

// Deep says what becomes of a model's judgement about two memories.
type Deep struct {
	Apply        string  // "review": a person decides; "guarded": what passes every check is done
	Batch        int     // pairs in a request at most
	Similarity   float64 // of contents, 0 to 1; compared are pairs with as much or more
	ReplaceFloor float64 // of contents, 0 to 1; with less, one memory doesn't take the place of another
}

// Embed says which server turns texts into vectors, by which meanings are compared.
type Embed struct {
	Provider string  // name of a server of [model]; "": none
	Model    string  // that makes embeddings
	Weight   float64 // what a standard deviation of nearness counts in recall, 0 to 1
}

// Secrets says what no memory may hold.
type Secrets struct {
	Rules string // file with more rules, relative to the workspace; "" = none
}

// Default returns the settings of a workspace without memory.toml, which are
// those of the preset "seed".
func Default() Settings {
	return Settings{
		Preset:  "seed",
		Exclude: Exclude{MinAge: days(7), Tags: []string{"permanent", "protected"}},
		Rules:   defaultRules(),
		Retention: Retention{
			RecencyWeight: 0.4, ActivationWeight: 0.2, ImportanceWeight: 0.4, HalfLife: days(30),
			RecencyFrom: "used", Activation: "log1p", ActivationFull: 20, Importance: "stated",
			SupersededFactor: 0.2, PartialFactor: 0.7, Hot: 0.6, Warm: 0.3, Cold: 0.1,
		},
		Cluster: Cluster{Threshold: 0.20, Cosine: 0.85, Min: 3, Max: 20, Shared: 200, Wording: "quotes"},
		Context: Context{Inject: true, MinTier: "warm", TokenBudget: 4000, PromptTokens: 800, MaxChars: 9500, MaxPerGroup: 10, MinRelevance: 0.3,
			Summaries: 10, SummaryTokens: 2000, MinCoherence: 0.2, MinConfidence: 0.7, Prioritize: "relevance", Edges: 3},
		Run:       Run{Limit: 50, Pause: clock(100 * time.Millisecond)},
		History:   History{Keep: 100},
		Files:     Files{Cache: true},
		Workspace: Workspace{Worktrees: WorktreesAuto},
		Triggers: Triggers{
			Automatic: true, IndexOverflow: 100, IndexOverflowStep: 100, IndexOverflowRepeat: clock(24 * time.Hour),
			Weekly: "0 0 * * 0", QuietTime: clock(30 * time.Second), QuietMax: clock(15 * time.Minute),
			Retries: 3, ModelInterval: clock(24 * time.Hour), ThresholdMessages: 20, ThresholdWorking: 1000,
			Timezone: LocalZone, SessionIdle: days(7),
		},
		Serve: Serve{
			Addr: "127.0.0.1:7420", AllowHosts: []string{}, Session: clock(12 * time.Hour),
		},
		Remember: Remember{MergeSimilarity: 0.50, FlagSimilarity: 0.85},
		Model: Model{
			Chain: []string{"openai", "lmstudio", "ollama"}, Timeout: clock(60 * time.Second), LoadTimeout: clock(180 * time.Second),
			Context: 8192, MaxOutput: 2000, RunTokens: 200_000, DayTokens: 1_000_000, ExcludeTags: []string{"private"},
			Servers: map[string]ModelServer{}, Scopes: map[string]string{}, Prices: map[string]Price{},
		},
		Deep:      Deep{Apply: "review", Batch: 10, Similarity: 0.50, ReplaceFloor: 0.90},
		Embed:     Embed{Weight: 1},
		Schedules: map[string]Schedule{},
		Teams:     map[string]string{},
	}
}

func days(n int) Duration            { return Duration{days: n} }
func clock(d time.Duration) Duration { return Duration{clock: d} }

// presets lists what each preset sets on top of the defaults, as Override takes
// it.
var presets = map[string]map[string]string{
	"seed":    {},
	"careful": {"archive.unread_after": "90d", "archive.idle_after": "90d", "archive.count_from": "used"},
	"subcog": {
		"retention.recency_weight": "0.3", "retention.activation_weight": "0.3", "retention.importance_weight": "0.3",
		"retention.half_life": "14d", "retention.recency_from": "created", "retention.activation": "ln", "retention.importance": "mean",
		"retention.supersession_weight": "0.1", "retention.superseded_factor": "0.3",
		"retention.hot": "0.7", "retention.warm": "0.4", "retention.cold": "0.2",
	},
}

// Presets returns the names of the presets, the default first.
func Presets() []string { return []string{"seed", "careful", "subcog"} }
