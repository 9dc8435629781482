// Package scripts holds no code of the program: its tests run cmd/memory/testdata/script against the command line, as a person
// or an agent does.
package scripts
