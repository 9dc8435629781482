// Package login has the agents of a project use a workspace of a hub, ends that, and asks the hub for its project.
package login
