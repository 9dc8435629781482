package cli

// commands lists all commands in the order of the overview.
func commands() []*command {
	return []*command{
		addCommand(), showCommand(), listCommand(), editCommand(), tagCommand(), linkCommand(), unlinkCommand(), archiveCommand(), restoreCommand(), promoteCommand(), demoteCommand(), historyCommand(), recallCommand(), contextCommand(), receiptsCommand(),
		planCommand(), consolidateCommand(), enrichCommand(), sessionCommand(), watchCommand(), serveCommand(), serviceCommand(), scheduleCommand(), undoCommand(), reviewCommand(), explainCommand(), forecastCommand(), simulateCommand(), logCommand(),
		initCommand(), statusCommand(), clustersCommand(), graphCommand(), checkCommand(), auditCommand(), importCommand(), exportCommand(), reindexCommand(), syncCommand(), remoteCommand(), loginCommand(), gitCommand(), mergeFileCommand(), configCommand(), modelCommand(),
		demoCommand(), schemaCommand(), hookCommand(), mcpCommand(), hubCommand(), installCommand(), uninstallCommand(), completionCommand(), versionCommand(), helpCommand(),
	}
}
