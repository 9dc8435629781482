package document

import (
	"encoding/json"
	"fmt"
	"reflect"
	"slices"
	"strings"
	"time"

	"github.com/google/jsonschema-go/jsonschema"

	"github.com/memoryd/memoryd/pkg/retention"
)

// Revision is the version of all documents. It grows when a member is renamed, removed or means something else; new members leave it as it is.
const Revision = 1

// A kind of document: what it is, what gives it, and its type.
type kind struct {
	name, what string
	commands   string // that print it with --json
	tools      string // of the MCP server
	address    string // below /api/v1
	sample     any
}

// kinds are all documents, by name.
var kinds = []kind{
	{"aliases", "memories without aliases, for somebody to fill in", "aliases", "", "", Aliases{}},
	{"answer", "the answer to a question", "", "reason", "", Answer{}},
	{"check", "what a check found", "check", "", "check", Check{}},
	{"clusters", "groups of memories about one subject", "clusters", "clusters", "", Clusters{}},
	{"context", "a block of what an agent should know", "context", "context", "", Context{}},
	{"edit", "what became of memories that an agent changed or archived", "", "update, forget", "", Edit{}},
	{"enrichment", "a plan of summaries of clusters, or what was done of it", "enrich", "", "", Enrichment{}},
	{"error", "why something could not be done; on the standard error", "every command", "", "every address", Error{}},
	{"explanation", "what the rules make of a memory, or how it came into the archive", "explain", "", "explain/ID", Explanation{}},
	{"findings", "what a check of the files that agents read in a repository found", "check --ci", "", "", Findings{}},
	{"forecast", "when the rules will next change memories", "forecast", "", "forecast", Forecast{}},
	{"graph", "how memories are linked", "graph", "graph", "links", Graph{}},
	{"git-install", "what was set up for git", "git install", "", "", GitInstalled{}},
	{"history", "what was changed in a memory", "history", "history with id", "history/ID", History{}},
	{"import", "what became of the records of another tool", "import", "", "", Import{}},
	{"init", "a folder that became a workspace, and what was found there", "init", "", "", Init{}},
	{"install", "what was changed in the settings of a host", "install, uninstall, context --into", "", "", Install{}},
	{"memories", "a list of memories", "list", "get", "list", Memories{}},
	{"model-receipts", "requests to language models", "model receipts", "", "", ModelReceipts{}},
	{"model-status", "the language models of the settings", "model status", "", "", ModelStatus{}},
	{"model-tests", "which language models answered", "model test", "", "", ModelTests{}},
	{"recall", "what was found", "recall", "search", "recall", Recall{}},
	{"receipts", "what sessions were given", "receipts", "", "receipts", Receipts{}},
	{"records", "records of several memories as in their files; of one memory the record alone, as the schema memory has it", "show", "", "show/ID", Records{}},
	{"review", "pairs of memories that wait for a decision, or what was decided", "review", "review", "review", Review{}},
	{"run", "a plan, or what a run, an undo or a change by hand did", "plan, consolidate, log RUN, undo, edit, tag, archive, restore, promote, …", "plan, consolidate, enrich, history with run, undo", "plan, plan/RUN, log/RUN", Run{}},
	{"runs", "runs of the log, or of one command", "log, consolidate --until-done, session end", "history", "log", Runs{}},
	{"saved", "what became of a memory that was to be saved", "add", "save", "", Saved{}},
	{"schedule", "the runs to come", "schedule", "", "schedule", Schedule{}},
	{"schemas", "the schemas that there are", "schema", "", "", Schemas{}},
	{"settings", "settings and where they come from", "config", "", "", Settings{}},
	{"status", "the state of a workspace", "status", "", "status", Status{}},
	{"tier", "how much a memory still matters, and why", "", "", "tier/ID", retention.Score{}},
	{"trends", "memories and actions by day", "", "", "trends", Trends{}},
	{"verification", "whether the log's chain of hashes is whole", "log --verify", "", "", LogCheck{}},
}

// Names lists the documents.
func Names() (names []string) {
	for _, k := range kinds {
		names = append(names, k.name)
	}
	return names
}

// OfTool lists the documents that a tool of the MCP server gives: one by its arguments.
func OfTool(tool string) (names []string) {
	for _, k := range kinds {
		for part := range strings.SplitSeq(k.tools, ", ") {
			if name, _, _ := strings.Cut(part, " "); name == tool {
				names = append(names, k.name)
			}
		}
	}
	return names
}

// Schema is the JSON Schema of a document, made of its type.
func Schema(name string) (*jsonschema.Schema, bool) {
	i := slices.IndexFunc(kinds, func(k kind) bool { return k.name == name })
	if i < 0 {
		return nil, false
	}
	k := kinds[i]
	s, err := jsonschema.ForType(reflect.TypeOf(k.sample), &jsonschema.ForOptions{TypeSchemas: map[reflect.Type]*jsonschema.Schema{
		reflect.TypeFor[json.RawMessage](): {Type: "object"},
		reflect.TypeFor[retention.Tier]():  {Type: "string"},
		reflect.TypeFor[time.Time]():       {Type: "string", Format: "date-time"},
	}})
	if err != nil {
		panic(fmt.Sprintf("document %s: %v", name, err)) // a mistake in its type: no test would pass
	}
	open(s)
	s.Schema, s.ID = "https://json-schema.org/draft/2020-12/schema", fmt.Sprintf("https://github.com/memoryd/memoryd/documents/%s.v%d.json", name, Revision)
	s.Title, s.Description = name, k.what
	return s, true
}

// open lets objects have other members too, which a later version may write, and takes out that lists may be null, which ours never are.
func open(s *jsonschema.Schema) {
	if s == nil {
		return
	}
	if len(s.Types) == 2 && s.Types[0] == "null" && (s.Types[1] == "array" || len(s.Properties) == 0 && s.Types[1] == "object") {
		s.Type, s.Types = s.Types[1], nil
	}
	if len(s.Properties) > 0 {
		s.AdditionalProperties = nil
	}
	for name, p := range s.Properties {
		if len(p.Types) == 2 && p.Types[0] == "null" && !slices.Contains(s.Required, name) { // it is absent instead
			p.Type, p.Types = p.Types[1], nil
		}
		open(p)
	}
	open(s.Items)
	open(s.AdditionalProperties)
}
