package cli

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"runtime"
	"strings"

	urfave "github.com/urfave/cli/v2"

	"github.com/memoryd/memoryd/internal/app"
	"github.com/memoryd/memoryd/internal/fail"
	"github.com/memoryd/memoryd/internal/op/edit"
	"github.com/memoryd/memoryd/internal/printer"
	"github.com/memoryd/memoryd/internal/term"
	"github.com/memoryd/memoryd/pkg/memory"
	"github.com/memoryd/memoryd/pkg/oplog"
)

func editCommand() *command {
	return &command{
		args:    "ID [--set KEY=VALUE | --content JSON | --drop-variants | --alias W … | -]",
		purpose: "change a memory",
		detail: `Opens the record in VISUAL or EDITOR. --set changes one field in place: KEY is a
path such as content.summary (write \. for a dot in a name). VALUE is JSON if it
is valid JSON, and a text otherwise. With "-" the whole record is read from the
standard input. updated_at is set too, unless the edit sets it. A secret that
the memory did not contain before is refused. --redact alone removes the secrets
that it contains.`,
		example: `memory edit mem_k3x9q0a7b2cd --set priority=high --set content.summary="Runs on port 5433 now."`,
		flags: []urfave.Flag{
			&urfave.StringSliceFlag{Name: "set", Usage: "set `KEY=VALUE`; repeat the option for more"},
			&urfave.StringFlag{Name: "content", Usage: "replace the content by `JSON`"},
			&urfave.BoolFlag{Name: "drop-variants", Usage: "remove the other wordings that merges and saves kept"},
			redactFlag(), allowSecretFlag(),
			aliasFlag(), ttlFlag(), reviewOnFlag(), supersedesFlag(), pinFlag(),
		},
		least: 1, most: 2, writes: true, run: runEdit, words: liveIDs,
	}
}

func runEdit(c *call) error {
	change, typed, err := editOf(c)
	if err != nil {
		return err
	}
	conf, err := c.settings()
	if err != nil {
		return err
	}
	at, err := app.InZone(c.at, conf.Settings)
	if err != nil {
		return err
	}
	store, snap, err := c.load()
	if err != nil {
		return err
	}
	extras := extrasOf(c.flags)
	e, err := edit.One(store, conf.Settings, snap, c.args[0], extras.Change(change, snap, at), edit.Options{
		Detail: "edited by hand", Secrets: secretsOf(c.flags), Supersedes: extras.Supersedes,
	})
	printer.Redacted(&c.Printer, e.Redacted)
	for _, n := range e.Notes {
		c.Note("%s", n)
	}
	switch {
	case err == nil && len(e.Actions) == 0:
		if c.JSON {
			return printEmpty(c)
		}
		c.Say("nothing changed\n")
		return nil
	case err == nil:
		err = applyCommand(c, e.Actions, func([]oplog.Action) {
			c.Say("edited %s in %s\n", term.Printable(e.Memory.ID), term.Printable(e.Memory.Ref.String()))
		})
	}
	if err == nil || !typed || e.Record == nil {
		return err
	}
	if errors.Is(err, fail.ErrInvalid) { // the command line was right
		err = &fail.Error{Err: err, Code: fail.ExitError}
	}
	return keepText(c.env, e.Memory, e.Record, err)
}

// editOf is the way to edit that the command line asks for. typed: the new record stands nowhere else, so that it must be saved if it
// can't become true.
func editOf(c *call) (change edit.Change, typed bool, err error) {
	drop, extras := c.flags.Bool("drop-variants"), extrasOf(c.flags)
	said := extras.Said()
	stdin, fields := len(c.args) == 2, c.flags.IsSet("set") || c.flags.IsSet("content") || drop
	switch {
	case stdin && c.args[1] != "-":
		return nil, false, fail.Usagef("unexpected argument %q", c.args[1])
	case stdin && fields:
		return nil, false, fail.Usagef("give the new record or the fields to set, not both")
	case stdin:
		return func(*memory.Memory) ([]byte, error) {
			text, err := c.readStdin()
			return bytes.TrimSpace(text), err
		}, true, nil
	case fields:
		set, err := fieldsOf(c.flags)
		change = edit.Set(set)
		if drop {
			change = edit.DropVariants(change)
		}
		return change, false, err
	case c.flags.Bool("redact"), said:
		return edit.Set(nil), false, nil
	}
	return func(m *memory.Memory) ([]byte, error) { return recordFromEditor(c, m) }, true, nil
}

// fieldsOf reads --set and --content.
func fieldsOf(flags *urfave.Context) (fields []edit.Field, err error) {
	if flags.IsSet("content") {
		content := []byte(flags.String("content"))
		if !json.Valid(content) {
			return nil, fail.WithHint(fail.Usagef("--content is not valid JSON"), "for a plain text write --set content=TEXT")
		}
		fields = append(fields, edit.Field{Path: []string{"content"}, Value: bytes.TrimSpace(content)})
	}
	for _, text := range flags.StringSlice("set") {
		path, value, err := edit.ParseSet(text)
		if err != nil {
			return nil, err
		}
		fields = append(fields, edit.Field{Path: path, Value: value})
	}
	return fields, nil
}

// recordFromEditor lets a person edit a copy of the record.
func recordFromEditor(c *call, m *memory.Memory) (_ []byte, err error) {
	editor := cmp.Or(c.env("VISUAL"), c.env("EDITOR"))
	if editor == "" {
		return nil, fail.WithHint(errors.New("no editor: neither VISUAL nor EDITOR is set"), "set EDITOR, or change fields with --set")
	}
	name, err := copyOf(c.env, m, m.Raw())
	if err != nil {
		return nil, err
	}
	cmd := exec.CommandContext(c.ctx, "sh", "-c", editor+` "$1"`, editor, name)
	if runtime.GOOS == "windows" {
		words := append(strings.Fields(editor), name)
		cmd = exec.CommandContext(c.ctx, words[0], words[1:]...)
	}
	cmd.Env, cmd.Dir, cmd.Stdin, cmd.Stdout, cmd.Stderr = c.Env, c.Dir, c.Stdin, c.Stdout, c.Stderr
	if c.JSON {
		cmd.Stdout = c.Stderr // the standard output is for the document
	}
	if err := cmd.Run(); err != nil {
		return nil, fail.WithHint(fmt.Errorf("%s: editor %s: %w", m.ID, editor, err), "the memory is unchanged; your text is in "+name)
	}
	raw, err := os.ReadFile(name)
	if err != nil {
		return nil, fmt.Errorf("%s: read the edited copy: %w", m.ID, err)
	}
	return []byte(strings.TrimSpace(string(raw))), os.Remove(name)
}

// copyOf writes a record to a file of its own outside the workspace.
func copyOf(env func(string) string, m *memory.Memory, raw []byte) (name string, err error) {
	f, err := os.CreateTemp(cmp.Or(env("TMPDIR"), os.TempDir()), memory.FileName(m.ID)+"-*.json")
	if err != nil {
		return "", fmt.Errorf("%s: write a copy: %w", m.ID, err)
	}
	_, err = f.Write(append(raw[:len(raw):len(raw)], '\n'))
	return f.Name(), errors.Join(err, f.Close())
}

// keepText saves an edited record that could not become true, and says where.
func keepText(env func(string) string, m *memory.Memory, raw []byte, cause error) error {
	name, err := copyOf(env, m, raw)
	if err != nil {
		return errors.Join(cause, err)
	}
	return fail.WithHint(cause, fmt.Sprintf("your text is in %s: change it, then \"memory edit %s - < %s\"", name, m.ID, name))
}
