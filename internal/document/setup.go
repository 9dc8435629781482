package document

import (
	"github.com/memoryd/memoryd/internal/filechange"
	"github.com/memoryd/memoryd/pkg/foreign"
)

// Init is the folder that became a workspace, and what was found in it, as --json prints it.
type Init struct {
	Workspace string      `json:"workspace"`
	Files     []string    `json:"files" jsonschema:"files and directories that were made, relative to the workspace"`
	Message   string      `json:"message"`
	Hosts     []FoundHost `json:"hosts"`
	Found     *InitCheck  `json:"found,omitempty" jsonschema:"in a folder that held something already"`
	DryRun    bool        `json:"dry_run,omitempty" jsonschema:"nothing was written"`
}

// InitCheck is what a check of a folder with memories found, and what the first run would do.
type InitCheck struct {
	Errors   int       `json:"errors"`
	Warnings int       `json:"warnings"`
	Files    int       `json:"files_with_problems"`
	First    *FirstRun `json:"first_run,omitempty"`
}

// FoundHost is a host of agents that was found and was not set up.
type FoundHost struct {
	Host      string   `json:"host"`
	Found     string   `json:"found" jsonschema:"what tells of it: a file or directory of the project, or a program"`
	Installed bool     `json:"installed"`
	Files     []string `json:"files" jsonschema:"files that setting it up changes, or has changed"`
}

// Install is what was changed in settings of a host, as --json prints it.
type Install struct {
	Host    string               `json:"host,omitempty"`
	Applied bool                 `json:"applied" jsonschema:"false with dry-run"`
	Files   []*filechange.Change `json:"files"`
}

// GitInstalled is what was set up for git, as --json prints it.
type GitInstalled struct {
	Machine   string   `json:"machine,omitempty" jsonschema:"the name of this machine"`
	Files     []string `json:"files" jsonschema:"written files, relative to the workspace"`
	Settings  []string `json:"settings" jsonschema:"changed settings of the repository"`
	Untracked []string `json:"untracked" jsonschema:"files that git no longer tracks; they stay on the disk"`
	DryRun    bool     `json:"dry_run,omitempty" jsonschema:"nothing was written"`
}

// Import is what became of the records of another tool, as --json prints it.
type Import struct {
	RunID   string           `json:"run_id,omitempty"`
	DryRun  bool             `json:"dry_run,omitempty" jsonschema:"nothing was written"`
	Counts  map[string]int   `json:"counts" jsonschema:"records by status"`
	First   *FirstRun        `json:"first_run,omitempty" jsonschema:"what the first run would do after the import"`
	Items   []ImportItem     `json:"items"`
	LeftOut []foreign.Misfit `json:"left_out"`
}
