package config

import (
	"net/netip"
	"slices"
	"strconv"
	"strings"
	"time"
)

// many is the largest count that a setting may have.
const many = 1_000_000_000

// A setting is one row of the table that reading, listing, overriding and the
// template all work from.
type setting struct {
	key string // section.name, or the name alone at the top
	value
	doc string
}

// table lists every setting of s except the teams, in the order of the struct.
// The values point into s.
func (s *Settings) table() []setting {
	x, r, t := &s.Exclude, &s.Run, &s.Triggers
	k, c, l, g := &s.Retention, &s.Context, &s.Model, &s.Cluster
	return slices.Concat([]setting{
		{"preset", choice(&s.Preset, Presets()...),
			"seed: the rules as written. careful: archive nothing that was read or written in the last 90 days. subcog: scores and tiers as in subcog."},

		{"exclude.min_age", span(&x.MinAge, 0, longest), "Younger memories are left alone."},
		{"exclude.tags", words(&x.Tags), "Memories with one of these tags are left alone."},
		{"exclude.consent_user", toggle(&x.ConsentUser), "Whether memories created by USER may be changed."},
	}, s.Rules.table(), []setting{
		{"retention.recency_weight", share(&k.RecencyWeight), "Weight of the time since a memory was written or read; the four weights add up to 1."},
		{"retention.activation_weight", share(&k.ActivationWeight), "Weight of the number of reads."},
		{"retention.importance_weight", share(&k.ImportanceWeight), "Weight of a memory's importance: the score never falls below this share of it."},
		{"retention.supersession_weight", share(&k.SupersessionWeight), "How much is deducted from the score of a superseded memory."},
		{"retention.half_life", span(&k.HalfLife, time.Minute, longest), "The time in which recency falls by half."},
		{"retention.recency_from", choice(&k.RecencyFrom, "used", "created"), "Whether recency counts from when a memory was last written or read (used), or from when it was created."},
		{"retention.activation", choice(&k.Activation, "log1p", "ln"), "How reads count: log(1+n) against log(1+activation_full), or (ln n + 1) / 5."},
		{"retention.activation_full", count(&k.ActivationFull, 1, many), "Number of reads that gives the full weight, with log1p."},
		{"retention.importance", choice(&k.Importance, "stated", "mean"), "Importance as the memory states it (stated), or its mean with a weight of the subtype (mean)."},
		{"retention.superseded_factor", share(&k.SupersededFactor), "The share of its score that a superseded memory keeps."},
		{"retention.partial_factor", share(&k.PartialFactor), "The same for a memory whose superseded_kind is \"partial\"."},
		{"retention.hot", share(&k.Hot), "Memories with this score or more are hot."},
		{"retention.warm", share(&k.Warm), "Others with this score or more are warm."},
		{"retention.cold", share(&k.Cold), "Others with this score or more are cold; the rest counts as archived, wherever the file is."},

		{"cluster.threshold", share(&g.Threshold), "Groups of memories are joined to one cluster while their mean similarity is at least this."},
		{"cluster.cosine", share(&g.Cosine), "With a server of embeddings, memories whose vectors have this cosine or more may be in a cluster without a common tag, link or name, and \"consolidate --deep\" asks a model about them."},
		{"cluster.min", count(&g.Min, 2, 1000), "Fewest memories of a cluster; a summary of fewer is archived."},
		{"cluster.max", count(&g.Max, 2, 1000), "Most memories of a cluster."},
		{"cluster.shared", count(&g.Shared, 2, many), "A tag, link or name that more memories of a scope share is ignored."},
		{"cluster.wording", choice(&g.Wording, "quotes", "free"), "Whether a model that summarises a cluster picks sentences (quotes), or words them itself (free), which a check may reject."},

		{"context.inject", toggle(&c.Inject), "Whether hooks give agents memories, at the start of a session and with prompts."},
		{"context.min_tier", choice(&c.MinTier, "hot", "warm", "cold", "archived"), "Lowest tier of the memories that are given; warm and colder ones come after hot ones."},
		{"context.token_budget", count(&c.TokenBudget, 0, many), "Tokens that the block at the start of a session may take."},
		{"context.prompt_tokens", count(&c.PromptTokens, 0, many), "Tokens that memories given with a prompt may take."},
		{"context.max_chars", count(&c.MaxChars, 0, many), "Characters that any block may take; hosts truncate longer ones. It grows with context.adaptive where no host does: in memory context."},
		{"context.max_per_group", count(&c.MaxPerGroup, 1, many), "Most memories of one type in a block."},
		{"context.min_relevance", share(&c.MinRelevance), "Memories less relevant to a prompt than this are not given with it."},

		{"context.summaries", count(&c.Summaries, 0, many), "Most summaries of clusters given at the start of a session; they replace warm memories."},
		{"context.summary_tokens", count(&c.SummaryTokens, 0, many), "Tokens of the budget that summaries of clusters may take."},
		{"context.min_coherence", share(&c.MinCoherence), "Summaries of clusters with a lower coherence are not given."},
		{"context.min_confidence", share(&c.MinConfidence), "Summaries of clusters with a lower confidence are not given."},
		{"context.prioritize", choice(&c.Prioritize, "relevance", "recency", "activation"), "Which summaries of clusters come first: the most relevant to the question, the newest, or those with most reads."},
		{"context.edges", count(&c.Edges, 0, many), "Most edges, stated by people or models, that are given with a memory."},
		{"context.adaptive", toggle(&c.Adaptive), "Whether token_budget is 1.5 times as large from 50 memories on, twice from 250 and 2.5 times from 1,000."},

		{"consolidate.min_memories", count(&s.Consolidate.MinMemories, 0, many), "With fewer live memories in the workspace no run starts by itself; a run that somebody asks for always does."},

		{"run.limit", count(&r.Limit, 1, 100_000), "Most memories that one run may change."},
		{"run.pause", span(&r.Pause, 0, time.Minute), "Pause between two updates of an index."},

		{"history.keep", count(&s.History.Keep, 1, 1_000_000), "Runs that can be undone, and as many single changes; older records are removed, but none within a day."},

		{"files.allow_network", toggle(&s.Files.AllowNetwork), "Whether a workspace on a network file system may be written; the lock doesn't work against other machines there."},
		{"files.cache", toggle(&s.Files.Cache), "Whether the contents of files are cached in ops/cache, so that the next plan reads only the files that changed."},

		{"workspace.worktrees", choice(&s.Workspace.Worktrees, WorktreesAuto, WorktreesOwn, WorktreesShared), "Which memories a linked git worktree uses: its own, the repository's (shared), or its own only where git tracks them (auto)."},

		{"sync.remote", ref(&s.Sync.Remote), "The git remote that \"memory sync\" pulls from and pushes to; \"\": that of the branch, or origin."},
		{"sync.branch", ref(&s.Sync.Branch), "The branch of the remote; \"\": the upstream branch, or the one with the same name."},

		{"sync.runs", ref(&s.Sync.Runs), "The machine that consolidates by itself, by the name that \"memory git install\" gave it; the others settle their sessions only. \"\": all machines do."},
		{"sync.interval", span(&s.Sync.Interval, 0, longest), "How often \"memory watch\" runs \"memory sync\", at most once a minute; 0: never."},

		{"triggers.automatic", toggle(&t.Automatic), "Whether runs start by themselves: by the clock, by counts, and at the end of a session that a hook or a file reports."},
		{"triggers.index_overflow", count(&t.IndexOverflow, 1, many), "An index with more entries is consolidated."},
		{"triggers.index_overflow_step", count(&t.IndexOverflowStep, 1, many), "It is consolidated again when it has grown by this many."},
		{"triggers.index_overflow_repeat", span(&t.IndexOverflowRepeat, time.Minute, longest), "It is consolidated again after this time."},
		{"triggers.weekly", schedule(&t.Weekly), "When everything is consolidated: cron, or such as \"sun 03:00\"; \"\": never."},
		{"triggers.quiet_time", span(&t.QuietTime, 0, time.Hour), "Large runs wait until nothing has changed for this long."},
		{"triggers.quiet_max", span(&t.QuietMax, 0, day), "They wait no longer than this."},
		{"triggers.retries", count(&t.Retries, 0, 100), "Attempts after a failed run."},
		{"triggers.model_interval", span(&t.ModelInterval, 0, longest), "The schedules \"enrich\" and \"deep\", which may ask models, start at most once in this time."},
		{"triggers.threshold", toggle(&t.Threshold), "Whether threshold_messages and threshold_working start a consolidation of working memories."},
		{"triggers.threshold_messages", count(&t.ThresholdMessages, 1, many), "Messages in a session that start one: those that its file counts or holds, or its working memories."},
		{"triggers.threshold_working", count(&t.ThresholdWorking, 1, many), "A consolidation of working memories starts with more working memories than this in the workspace."},
		{"triggers.interval", schedule(&t.Interval), "When else to consolidate, such as \"5m\" or \"0 2 * * *\"; \"\": never."},
		{"triggers.timezone", timezone(&t.Timezone), "Time zone of days and times of day, such as \"Europe/Berlin\"; \"local\" is the machine's."},
		{"triggers.session_idle", span(&t.SessionIdle, time.Minute, longest), "A session without an end counts as ended after this time without a change."},

		{"watch.metrics", loopback(&s.Watch.Metrics), "Address at which \"memory watch\" serves metrics for Prometheus, such as \"127.0.0.1:9464\"; \"\": none."},

		{"serve.addr", loopback(&s.Serve.Addr), "Address at which \"memory serve\" serves the dashboard; if the port is taken, the next free one."},
		{"serve.read_only", toggle(&s.Serve.ReadOnly), "Whether the dashboard only shows, and changes nothing."},
		{"serve.allow_hosts", words(&s.Serve.AllowHosts), "Further host names that a browser may use for the dashboard."},
		{"serve.session", span(&s.Serve.Session, time.Minute, longest), "How long a browser stays signed in."},
		{"serve.idle_exit", span(&s.Serve.IdleExit, 0, longest), "The dashboard ends after this time without a request; 0s: never."},

		{"remember.merge_similarity", share(&s.Remember.MergeSimilarity), "A new memory is merged into one of its kind with a content more similar than this, if one of the two says all that the other says."},
		{"remember.flag_similarity", share(&s.Remember.FlagSimilarity), "Otherwise it is saved, and flagged for review with one that is at least this similar."},

		{"secrets.rules", inside(&s.Secrets.Rules), "File with more rules for secrets, in the TOML format of gitleaks; \"\": none."},

		{"model.enabled", toggle(&l.Enabled), "Whether a language model is asked at all. Without one everything works, by rules alone."},
		{"model.allow_remote", toggle(&l.AllowRemote), "Whether memories may be sent to servers on other machines; [model.scopes] says which ones."},
		{"model.chain", words(&l.Chain), "Servers in the order in which they are asked; one without a model is skipped."},
		{"model.timeout", span(&l.Timeout, time.Second, time.Hour), "Time that an answer may take from when the request is sent."},
		{"model.load_timeout", span(&l.LoadTimeout, time.Second, time.Hour), "The same for the first request to a server on this machine, which may have to load the model."},
		{"model.context", count(&l.Context, 256, many), "Tokens that a prompt and its answer may have together."},
		{"model.max_output", count(&l.MaxOutput, 16, many), "Tokens that an answer may have."},
		{"model.run_tokens", count(&l.RunTokens, 0, many), "Tokens that one run may use; 0 is no limit."},
		{"model.day_tokens", count(&l.DayTokens, 0, many), "Tokens that a day of UTC may use; 0 is no limit."},
		{"model.run_cost", amount(&l.RunCost), "Money that one run may cost, by [model.prices]; 0 is no limit."},
		{"model.day_cost", amount(&l.DayCost), "Money that a day of UTC may cost; 0 is no limit."},
		{"model.exclude_tags", words(&l.ExcludeTags), "Memories with one of these tags are sent to no model, and so are those with \"model\": \"never\"."},

		{"deep.apply", choice(&s.Deep.Apply, "review", "guarded"), "What happens to a model's choice: a person is asked (review), or it is carried out if it passes every check (guarded)."},
		{"deep.batch", count(&s.Deep.Batch, 1, 100), "Most pairs of memories in one request."},
		{"deep.similarity", share(&s.Deep.Similarity), "A model is asked about pairs with contents at least this similar."},
		{"deep.replace_floor", share(&s.Deep.ReplaceFloor), "If the contents are less similar, a memory doesn't replace another one; they are merged instead."},

		{"embed.provider", serverName(&s.Embed.Provider), "The server of [model] that turns texts into vectors, with which recall and the search for pairs compare meanings; \"\": none."},
		{"embed.model", modelName(&s.Embed.Model), "The embedding model, such as \"nomic-embed-text\"."},
		{"embed.weight", share(&s.Embed.Weight), "Weight of similar meaning in recall, per standard deviation."},
	})
}

// loopback is an address of this machine that no other can reach, with a port, or
// "" for none.
func loopback(p *string) value {
	return value{p: p, check: func(s string) (string, string) {
		if s == "" || s == "off" {
			return "", ""
		}
		host, ok := splitPort(s)
		if !ok {
			return "", `write an address with a port such as "127.0.0.1:9464", or "" for none`
		}
		if !IsLoopback(host) {
			return "", `other machines could reach it: write "127.0.0.1" or "localhost" before the port`
		}
		return s, ""
	}}
}

// splitPort takes the port from an address.
func splitPort(address string) (host string, ok bool) {
	i := strings.LastIndexByte(address, ':')
	if i < 0 {
		return "", false
	}
	port, err := strconv.ParseUint(address[i+1:], 10, 16)
	host = address[:i]
	if bare, bracketed := strings.CutPrefix(host, "["); bracketed {
		host, bracketed = strings.CutSuffix(bare, "]")
		return host, bracketed && err == nil && strconv.Itoa(int(port)) == address[i+1:]
	}
	return host, err == nil && strconv.Itoa(int(port)) == address[i+1:] && !strings.Contains(host, ":")
}

// IsLoopback reports whether a host is this machine and can't be reached from
// another. A name other than localhost may stand for anything.
func IsLoopback(host string) bool {
	if strings.EqualFold(host, "localhost") {
		return true
	}
	address, err := netip.ParseAddr(host)
	return err == nil && address.Unmap().IsLoopback()
}
