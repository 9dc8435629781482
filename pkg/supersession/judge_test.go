package supersession_test

import (
	"testing"

	"github.com/memoryd/memoryd/pkg/supersession"
)

const (
	updates   = supersession.Updates
	duplicate = supersession.Duplicate
	unrelated = supersession.Unrelated
)

// TestJudgeStatements holds what is said of single statements, as agents note them.
func TestJudgeStatements(t *testing.T) {
	for _, c := range []struct {
		older, newer string
		want         supersession.Relation
		cue          string
		old, new     string
	}{
		// The same subject and attribute with another value.
		{"The release manager is Ana.", "The release manager is Ben Okafor.", updates, "value", "Ana", "Ben Okafor"},
		{"The deploy window is Tuesday.", "The deploy window is now Friday.", updates, "value", "Tuesday", "Friday"},
		{"Default branch: master", "Default branch: main", updates, "value", "master", "main"},
		{"The staging database runs PostgreSQL 14.", "The staging database runs PostgreSQL 16.", updates, "value", "14", "16"},
		{"The export has to finish within 30 minutes or somebody is paged.", "The export has to finish within 45 minutes or somebody is paged.", updates, "value", "30", "45"},
		{"We use Jenkins for continuous integration.", "We use GitHub Actions for continuous integration.", updates, "value", "Jenkins", "GitHub Actions"},
		{"Use npm for installs.", "Use pnpm for installs.", updates, "value", "npm", "pnpm"},
		{"Use Redis for sessions.", "Use Postgres for sessions.", updates, "value", "Redis", "Postgres"},
		{"Lena lives in Hamburg.", "Lena lives in Porto.", updates, "value", "Hamburg", "Porto"},
		{"The API is served by the gateway team.", "The API is served by the platform team.", duplicate, "", "", ""},
		{"Who owns the billing service? Ana Silva.", "Who owns the billing service? Ben Okafor.", updates, "value", "Ana Silva", "Ben Okafor"},
		{"When did the licence expire? 2024.", "When did the licence expire? 2026.", updates, "value", "2024", "2026"},
		{"The feature flag is enabled in production for all users.", "The feature flag is disabled in production for all users.", updates, "value", "is enabled in", "is disabled in"},
		{"retry_limit = 3", "retry_limit = 5", updates, "value", "3", "5"},
		// Told as a change.
		{"We use Jenkins for continuous integration.", "We switched from Jenkins to GitHub Actions for CI.", updates, "change", "Jenkins", "GitHub Actions"},
		{"Logs are shipped with Fluentd to the cluster.", "We now use Vector instead of Fluentd for the logs.", updates, "change", "Fluentd", "Vector"},
		{"The timeout of the gateway is 30 seconds.", "The gateway timeout was raised from 30 to 60 seconds.", updates, "change", "30", "60 seconds"},
		{"Deployments need approval by two people.", "Deployments no longer need approval by two people.", updates, "change", "", ""},
		{"The nightly job writes to the shared bucket.", "The nightly job does not write to the shared bucket anymore.", updates, "change", "", ""},
		{"Sessions are kept in Redis.", "We replaced Redis with Postgres for sessions.", updates, "change", "Redis", "Postgres"},
		{"The docs are built with Sphinx.", "The docs moved from Sphinx to MkDocs.", updates, "change", "Sphinx", "MkDocs"},
		// The same once more.
		{"The release manager is Ana.", "the release manager is Ana", duplicate, "", "", ""},
		{"The server has 1,000 connections.", "The server has 1000 connections.", duplicate, "", "", ""},
		{"Tests in each module run on every push to main.", "Tests in every modules run on each push to main.", duplicate, "", "", ""},
		{"Fix the fuction that parses dates in the importer.", "Fix the function that parses dates in the importer.", duplicate, "", "", ""},
		{"", "", duplicate, "", "", ""},
		// Another subject, another attribute, or nothing in common.
		{"Ana owns the billing service.", "Ben owns the search service.", unrelated, "", "", ""},
		{"The release manager is Ana.", "The support lead is Ben.", unrelated, "", "", ""},
		{"The capital of Norway is Oslo.", "The capital of Sweden is Stockholm.", unrelated, "", "", ""},
		{"Ana was hired by Initech.", "Ana was trained by Acme.", unrelated, "", "", ""},
		{"Who owns the billing service? Ana.", "Who owns the search service? Ben.", unrelated, "", "", ""},
		{"This document describes the importer.", "This document describes the exporter.", unrelated, "", "", ""},
		{"The docs are built with Sphinx.", "We switched from Jenkins to GitHub Actions for CI.", unrelated, "", "", ""},
		{"Use tabs in Go code.", "Deployments happen on Fridays.", unrelated, "", "", ""},
		{"", "Deployments happen on Fridays.", unrelated, "", "", ""},
	} {
		j := supersession.Judge(supersession.Note{Text: c.older}, supersession.Note{Text: c.newer})
		if j.Relation != c.want || j.Cue != c.cue || j.Old != c.old || j.New != c.new {
			t.Errorf("%q\n%q:\ngot  %s %q %q → %q\nwant %s %q %q → %q", c.older, c.newer, j.Relation, j.Cue, j.Old, j.New, c.want, c.cue, c.old, c.new)
		}
	}
}

// TestJudgeDocuments holds what is said of documents with names and titles.
func TestJudgeDocuments(t *testing.T) {
	type note = supersession.Note
	queue := note{Name: "ADR-4", Title: "Redis for the job queue", Text: "Background jobs go through Redis lists. Workers poll them."}
	for _, c := range []struct {
		name         string
		older, newer note
		want         supersession.Relation
		cue          string
	}{
		{"named", queue, note{Text: "This decision supersedes ADR 4: jobs go through NATS."}, updates, "stated"},
		{"zeros in front", queue, note{Text: "Replaces ADR-0004."}, updates, "stated"},
		{"a file name", queue, note{Text: "Supersedes: [the queue decision](adr-0004-redis.md)"}, updates, "stated"},
		{"by its title", note{Title: queue.Title, Text: queue.Text}, note{Text: "With NATS in place, Redis for the job queue is deprecated."}, updates, "stated"},
		{"title with its number", note{Title: "ADR-4: Redis lists", Text: queue.Text}, note{Text: "It obsoletes ADR-4."}, updates, "stated"},
		{"status line of the older", note{Name: "ADR-4", Text: "Status: Superseded by ADR-9\nJobs go through Redis."}, note{Name: "ADR-9", Text: "Jobs go through NATS."}, updates, "stated"},
		{"instead", note{Name: "ADR-4", Text: "Jobs go through Redis.\nThis is history: see ADR-9 instead."}, note{Name: "ADR-9", Text: "Jobs go through NATS."}, updates, "stated"},
		{"called outdated", note{Name: "ADR-4", Text: "The legacy queue is kept for two services. ADR-9 has the plan."}, note{Name: "ADR-9", Text: "Jobs go through NATS."}, updates, "cited"},
		{"in favour of", note{Name: "ADR-4", Text: "Deprecated in favour of ADR-9."}, note{Name: "ADR-9", Text: "Jobs go through NATS."}, updates, "stated"},
		{"issued anew", note{Title: "Style guide 2024", Text: "Rules for naming, imports and errors in Go code."},
			note{Title: "Style guide 2026", Text: "Rules for naming, imports and errors in all Go code we own."}, updates, "document"},

		{"the next edition", note{Title: "Support handbook 2024", Text: "Who answers whom."}, note{Title: "Support handbook 2025", Text: "Who answers whom."}, updates, "document"},
		{"the same title, joined otherwise", note{Title: "Roll-out/Roll-back", Text: "Steps for each service."}, note{Title: "Roll-out, roll-back", Text: "Checks before every release of a service."}, updates, "document"},

		{"a sibling in a series", note{Title: "Client profile 2024", Text: "The profile lists what a client must support."},
			note{Title: "Server profile 2024", Text: "The profile lists what a server must support."}, duplicate, ""},
		{"a companion", note{Title: "Job queue", Text: "Jobs wait in the queue for workers."}, note{Title: "Job queue: rationale", Text: "Why workers don't take jobs from each other."}, unrelated, ""},
		{"about it", note{Title: "Job queue", Text: "Jobs wait in the queue for workers."}, note{Title: "Metrics for the job queue", Text: "Counters show how long work is late."}, unrelated, ""},
		{"an alternative", queue, note{Text: "An alternative to ADR 4 is NATS."}, unrelated, ""},
		{"a common phrase", note{Title: "Job queue", Text: "Jobs go through Redis."}, note{Text: "This replaces the lock in the job queue of each worker."}, unrelated, ""},
		{"another number", queue, note{Text: "This decision supersedes ADR 40."}, unrelated, ""},
		{"the number alone", queue, note{Text: "It replaces 4 services."}, unrelated, ""},
		{"a mention", queue, note{Text: "Like ADR 4, this keeps operations simple."}, unrelated, ""},
		{"denied", queue, note{Text: "This does not replace ADR 4."}, unrelated, ""},
		{"a number of its own", note{Name: "RFC-822", Text: "Mail has headers."}, note{Text: "This revises 822 and its extensions."}, updates, "stated"},
		{"a year", note{Name: "plan-2024", Text: "We hire two people."}, note{Text: "This revises the budget of 2024 once more."}, unrelated, ""},
		{"another clause", queue, note{Text: "This page will be updated when ADR 4 has landed."}, unrelated, ""},
		{"a pointer", queue, note{Text: "ADR 7 was rejected; see ADR 4."}, unrelated, ""},
		{"a pointer behind a verb", queue, note{Text: "We update the index before anything else, see ADR-4."}, unrelated, ""},
		{"one of several", queue, note{Text: "Supersedes the earlier decisions ADR 1, ADR 2 and ADR 4."}, updates, "stated"},
		{"said of it", queue, note{Text: "With this, ADR 4 is withdrawn."}, updates, "stated"},
		{"the other way round", queue, note{Text: "This draft was superseded by ADR 4."}, unrelated, ""},
		{"a part of it", note{Title: "Job queue", Text: "Jobs go through Redis."},
			note{Title: "Job queue metrics", Text: "Counters show how long work waits."}, unrelated, ""},
		{"another subject", queue, note{Title: "Postgres for reports", Text: "Analysts query a replica."}, unrelated, ""},
	} {
		if j := supersession.Judge(c.older, c.newer); j.Relation != c.want || j.Cue != c.cue {
			t.Errorf("%s: got %s %q (%q), want %s %q", c.name, j.Relation, j.Cue, j.NewerSentence, c.want, c.cue)
		}
	}
}
