package cli

// entry is how a command is called and where the overview lists it. The command itself is built when it is needed.
type entry struct {
	name, group string
	build       func() *command
}

// commandTable lists commands in the order of the overview.
type commandTable []entry

func commands() commandTable {
	return commandTable{
		{"add", groupWrite, addCommand},
		{"show", groupWrite, showCommand},
		{"list", groupWrite, listCommand},
		{"edit", groupWrite, editCommand},
		{"tag", groupWrite, tagCommand},
		{"link", groupWrite, linkCommand},
		{"unlink", groupWrite, unlinkCommand},
		{"archive", groupWrite, archiveCommand},
		{"restore", groupWrite, restoreCommand},
		{"promote", groupWrite, promoteCommand},
		{"demote", groupWrite, demoteCommand},
		{"history", groupWrite, historyCommand},
		{"recall", groupWrite, recallCommand},
		{"context", groupWrite, contextCommand},
		{"receipts", groupWrite, receiptsCommand},
		{"plan", groupConsolidate, planCommand},
		{"consolidate", groupConsolidate, consolidateCommand},
		{"enrich", groupConsolidate, enrichCommand},
		{"session", groupConsolidate, sessionCommand},
		{"watch", groupConsolidate, watchCommand},
		{"serve", groupLook, serveCommand},
		{"service", groupConsolidate, serviceCommand},
		{"schedule", groupConsolidate, scheduleCommand},
		{"undo", groupConsolidate, undoCommand},
		{"review", groupConsolidate, reviewCommand},
		{"explain", groupConsolidate, explainCommand},
		{"forecast", groupConsolidate, forecastCommand},
		{"simulate", groupConsolidate, simulateCommand},
		{"log", groupConsolidate, logCommand},
		{"init", groupLook, initCommand},
		{"status", groupLook, statusCommand},
		{"clusters", groupLook, clustersCommand},
		{"graph", groupLook, graphCommand},
		{"check", groupLook, checkCommand},
		{"audit", groupLook, auditCommand},
		{"import", groupLook, importCommand},
		{"export", groupLook, exportCommand},
		{"reindex", groupLook, reindexCommand},
		{"sync", groupLook, syncCommand},
		{"remote", groupLook, remoteCommand},
		{"login", groupLook, loginCommand},
		{"git", groupLook, gitCommand},
		{"merge-file", groupLook, mergeFileCommand},
		{"config", groupLook, configCommand},
		{"model", groupLook, modelCommand},
		{"demo", groupOther, demoCommand},
		{"schema", groupOther, schemaCommand},
		{"hook", groupOther, hookCommand},
		{"mcp", groupOther, mcpCommand},
		{"hub", groupOther, hubCommand},
		{"install", groupOther, installCommand},
		{"uninstall", groupOther, uninstallCommand},
		{"completion", groupOther, completionCommand},
		{"version", groupOther, versionCommand},
		{"help", groupOther, helpCommand},
	}
}

// find returns the command of a name, nil if there is none.
func (t commandTable) find(name string) *command {
	for _, e := range t {
		if e.name == name {
			cmd := e.build()
			cmd.name = name
			return cmd
		}
	}
	return nil
}

func (t commandTable) names() []string {
	names := make([]string, len(t))
	for i, e := range t {
		names[i] = e.name
	}
	return names
}
