package cli

import (
	"errors"
	"fmt"
	"os"

	"github.com/memoryd/memoryd/cmd/memory/internal/gitsync"
	"github.com/memoryd/memoryd/pkg/merge"
)

func mergeFileCommand() *command {
	return &command{
		args:    "BASE OURS THEIRS [PATH]",
		purpose: "merge what two machines made of one file, as git asks for it",
		detail: `Brings the changes from BASE to THEIRS into OURS, which is written; an empty BASE
stands for none. PATH is the name of the file in the tree, which says what kind of
document it is: a memory, a collection, an index, a queue or lines of JSON. What
both sides changed in one memory is noted in it, for "memory review". Of a log
that both continued the entries of one side go to a file beside it.
Exit code 0: merged. 1: left as it was, for git to report. "memory git install"
makes git call this. See docs/teams.md.`,
		example: "memory merge-file base.json ours.json theirs.json",
		least:   3, most: 4, run: runMergeFile,
	}
}

func runMergeFile(c *call) error {
	var docs [3][]byte
	for i := range docs {
		doc, err := os.ReadFile(c.path(c.args[i]))
		if err != nil {
			return err
		}
		docs[i] = doc
	}
	if len(docs[0]) == 0 {
		docs[0] = nil
	}
	name := c.args[1]
	if len(c.args) > 3 {
		name = c.args[3]
	}
	result, err := merge.Documents(name, docs[0], docs[1], docs[2])
	if err != nil {
		return withHint(err, "nothing was written: merge it by hand, or take one of the sides")
	}
	if err := gitsync.PutBeside(c.path, result.Beside); err != nil {
		return err
	}
	if err := swapFile(c.path(c.args[1]), docs[1], result.Doc); err != nil {
		return fmt.Errorf("write %s: %w", c.args[1], err)
	}
	if c.json {
		return c.printJSON(struct {
			File      string `json:"file"`
			Conflicts int    `json:"conflicts"`
		}{name, result.Conflicts})
	}
	if result.Conflicts > 0 {
		c.say("%s: %s noted in the file: see \"memory review\"\n", printable(name), quantity(result.Conflicts, "conflict"))
	}
	return nil
}

// swapFile puts a new text into a file in one step, if it still is as it was read.
func swapFile(name string, before, after []byte) error {
	if string(before) == string(after) {
		return nil
	}
	if after == nil {
		return errors.New("the result is no file")
	}
	return (&fileChange{File: name, before: before, after: after}).replace()
}
