package foreign

import (
	"github.com/tidwall/gjson"

	"github.com/memoryd/memoryd/pkg/memory"
)

// kind says how the records of one list of a JSON format become memories. Members that it doesn't name stay in the content under
// their names, so that what a later version of the other program adds is not lost. Tables of pairs are searched from the front.
type kind struct {
	format  Format
	list    string   // the member of the document that lists them; "" for lines
	has     []string // members that each has: by them the format is known
	named   []string // the members that name a record, the best first
	typed   string   // the member that tells its type
	types   []pair   // types there, and ours for them
	usual   string   // our type for others
	subtype string   // where the record tells no type
	texts   []pair   // members there that are the title, the summary or the details here
	tags    string
	created []string
	updated []string
	authors []string // members that name who wrote it
	project []string // paths of the project's name
	fields  []string // members that are next to the content, under the same names
	dropped []string // what only the other program needs: it stays in the bytes of the source
	quoted  bool     // lists may be texts that hold JSON
	links   func(v gjson.Result) []relation
	unlike  func(v gjson.Result) string // why a record is not a memory; "" where it is one
}

type pair struct{ from, to string }

// to is what a table gives for a word; "" for none.
func to(table []pair, word string) string {
	for _, p := range table {
		if p.from == word {
			return p.to
		}
	}
	return ""
}

// from is the word that a table gives another one for; that one itself for none.
func from(table []pair, word string) string {
	for _, p := range table {
		if p.to == word {
			return p.from
		}
	}
	return word
}

// told are the fields of times that most programs use.
var (
	createdFields = []string{"created_at", "createdAt", "timestamp", "date"}
	updatedFields = []string{"updated_at", "updatedAt", "modified", "modified_at"}
)

// plainKind is the kind of JSON from an unknown tool.
var plainKind = kind{
	format: Lines, named: []string{"id"}, typed: "type", usual: memory.Semantic, tags: "tags", created: createdFields, updated: updatedFields,
	authors: authorFields, dropped: []string{"id", "last_accessed"},
}

// graphKind is that of the entities and relations of the MCP reference server.
var graphKind = kind{format: Graph, usual: memory.Semantic, dropped: []string{"type"}}

// kinds are those of the programs that are known. The facts are those of their export formats: for claude-mem 13.25 what it writes
// itself, for the others what their documentation and published data structures say.
var kinds = []kind{
	{
		format: Service, list: "memories", has: []string{"content", "content_hash"}, named: []string{"content_hash"},
		typed: "memory_type", usual: memory.Semantic,
		types: []pair{{"procedure", memory.Procedural}, {"process", memory.Procedural}, {"workflow", memory.Procedural},
			{"event", memory.Episodic}, {"session", memory.Episodic}, {"conversation", memory.Episodic}},
		texts: []pair{{"content", "details"}}, tags: "tags", created: createdFields, updated: updatedFields,
		project: []string{"metadata.project", "metadata.project_name"}, fields: []string{"metadata", "agent_id"},
		authors: []string{"agent_id", "metadata.agent_id", "metadata.agent", "metadata.created_by"},
		dropped: []string{"content_hash", "embedding"}, links: serviceLinks, unlike: deleted,
	},
	{
		format: ClaudeMem, list: "observations", has: []string{"narrative", "type"}, named: []string{"id"}, typed: "type", usual: memory.Episodic,
		types: []pair{{"decision", memory.Semantic}, {"discovery", memory.Semantic}, {"security_alert", memory.Semantic}, {"security_note", memory.Semantic}},
		texts: []pair{{"title", "title"}, {"subtitle", "summary"}, {"narrative", "details"}}, tags: "concepts", quoted: true,
		created: createdFields, updated: updatedFields, project: []string{"merged_into_project", "project"},
		fields: []string{"memory_session_id", "agent_type", "agent_id", "metadata"}, dropped: claudeMemDropped,
	},
	{
		format: ClaudeMem, list: "summaries", has: []string{"request", "completed"}, named: []string{"id"}, usual: memory.Episodic, subtype: "session-summary",
		texts: []pair{{"request", "title"}}, quoted: true, created: createdFields, updated: updatedFields,
		project: []string{"merged_into_project", "project"}, fields: []string{"memory_session_id"}, dropped: claudeMemDropped,
	},
	{
		format: ClaudeMem, list: "prompts", has: []string{"prompt_text"}, named: []string{"id"}, usual: memory.Episodic, subtype: "prompt",
		texts: []pair{{"prompt_text", "details"}}, created: createdFields, updated: updatedFields, project: []string{"project"},
		fields: []string{"memory_session_id", "content_session_id"}, dropped: claudeMemDropped,
	},
	{
		format: ClaudeMem, list: "sessions", has: []string{"content_session_id", "memory_session_id"},
		unlike: func(gjson.Result) string { return "tells when a session was, and nothing to remember" },
	},
	{
		format: Engram, list: "observations", has: []string{"content", "session_id", "type"}, named: []string{"sync_id", "id"}, typed: "type", usual: memory.Semantic,
		types: []pair{{"preference", memory.Factual}, {"config", memory.Factual}, {"procedure", memory.Procedural}, {"workflow", memory.Procedural},
			{"bugfix", memory.Episodic}, {"session_summary", memory.Episodic}, {"tool_use", memory.Episodic}, {"file_change", memory.Episodic},
			{"command", memory.Episodic}, {"search", memory.Episodic}},
		texts: []pair{{"title", "title"}, {"content", "details"}}, tags: "topic_key", created: createdFields, updated: updatedFields,
		project: []string{"project"}, fields: []string{"session_id", "tool_name"}, dropped: engramDropped, unlike: deleted,
	},
	{
		format: Engram, list: "prompts", has: []string{"content", "session_id"}, named: []string{"sync_id", "id"}, usual: memory.Episodic, subtype: "prompt",
		texts: []pair{{"content", "details"}}, created: createdFields, updated: updatedFields, project: []string{"project"},
		fields: []string{"session_id"}, dropped: engramDropped, unlike: deleted,
	},
	{
		format: Engram, list: "sessions", has: []string{"started_at", "directory"}, named: []string{"id"}, usual: memory.Episodic, subtype: "session-summary",
		texts: []pair{{"summary", "details"}}, created: []string{"started_at"}, updated: []string{"ended_at"}, project: []string{"project"},
		fields: []string{"directory"}, dropped: []string{"id"},
		unlike: func(v gjson.Result) string {
			if v.Get("summary").String() == "" {
				return "tells when a session was, and nothing to remember"
			}
			return ""
		},
	},
	{
		format: Beads, authors: []string{"created_by", "author"}, has: []string{"id", "title", "issue_type"}, named: []string{"id"}, typed: "issue_type", usual: memory.Episodic,
		types: []pair{{"decision", memory.Semantic}}, texts: []pair{{"title", "title"}, {"description", "details"}}, tags: "labels",
		created: createdFields, updated: updatedFields, dropped: []string{"id", "_type", "priority", "dependencies", "content_hash", "compaction_level",
			"compacted_at", "compacted_at_commit", "original_size", "source_repo", "dependency_count", "dependent_count", "comment_count"},
		links: beadsLinks, unlike: deleted,
	},
	{
		format: Beads, has: []string{"_type", "key", "value"}, named: []string{"key"}, usual: memory.Semantic, subtype: "memory",
		texts: []pair{{"key", "title"}, {"value", "details"}}, dropped: []string{"_type"},
		created: createdFields, updated: updatedFields,
	},
}

// What claude-mem and engram note for themselves.
var (
	claudeMemDropped = []string{"id", "session_db_id", "prompt_number", "discovery_tokens", "content_hash", "generated_by_model", "relevance_count",
		"merged_into_project", "project", "synced_at", "origin_device_id", "origin_local_id", "sync_rev", "platform_source"}
	engramDropped = []string{"id", "sync_id", "scope", "project", "normalized_hash", "revision_count", "duplicate_count", "last_seen_at", "deleted_at"}
)

// deleted lists records that their program keeps only to tell others that they are gone.
func deleted(v gjson.Result) string {
	if v.Get("deleted_at").String() != "" || v.Get("status").Str == "tombstone" {
		return "deleted there"
	}
	return ""
}

// beadsDir is the directory that beads keeps its issues in.
const beadsDir = ".beads"

// beadsPriorities are ours for those of beads, from 0 on.
var beadsPriorities = [...]string{"critical", "high", "medium", "low", "low"}

// beadsLinks are the dependencies of an issue.
func beadsLinks(v gjson.Result) (all []relation) {
	for _, d := range v.Get("dependencies").Array() {
		if id := d.Get("depends_on_id").String(); id != "" {
			all = append(all, relation{or(d.Get("type").String(), "depends on"), id, true})
		}
	}
	return all
}

// serviceLinks is what supersedes a memory of the service.
func serviceLinks(v gjson.Result) []relation {
	if hash := or(v.Get("superseded_by").String(), v.Get("metadata.superseded_by").String()); hash != "" {
		return []relation{{supersededBy, hash, true}}
	}
	return nil
}

// fits reports whether a record has what each of a kind has.
func (k *kind) fits(v gjson.Result) bool {
	for _, key := range k.has {
		if !v.Get(key).Exists() {
			return false
		}
	}
	return v.IsObject()
}

// kindOf is the kind of a record of a format.
func kindOf(format Format, list string, v gjson.Result) *kind {
	if format == Graph {
		return &graphKind
	}
	for i := range kinds {
		if k := &kinds[i]; k.format == format && k.list == list && k.fits(v) {
			return k
		}
	}
	return &plainKind
}

// jsonFormat is the format of JSON by what its records have; "" where no program is known that writes so.
func jsonFormat(text []byte, lines bool) Format {
	if lines {
		return lineFormat(text)
	}
	if !gjson.ValidBytes(withoutMark(text)) {
		return ""
	}
	doc := gjson.ParseBytes(withoutMark(text))
	for i := range kinds {
		if k := &kinds[i]; k.list != "" && k.fits(doc.Get(k.list+".0")) {
			return k.format
		}
	}
	return ""
}
