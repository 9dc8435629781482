// Package hub serves the workspaces of a database to many agents: MCP and the events of their hosts over HTTP, with
// tokens and grants, and the runs of their schedules.
//
// A request names its workspace in the path and who asks by a bearer token. Grants are applied
// where the snapshot is made, so that what may not be read is in no answer, and where a
// transaction is committed; they are looked up for each request. Requests to one workspace are
// served one after the other, each from what the database holds by then. Several hubs may serve
// one PostgreSQL database.
//
// Workers run what is due, each slot once, whichever hub they belong to: see [sqldisk.DB.Claim].
package hub
