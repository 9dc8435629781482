package cli

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"runtime"
	"strconv"
	"strings"

	"github.com/tidwall/gjson"
	urfave "github.com/urfave/cli/v2"

	"github.com/memoryd/memoryd/internal/document"
	"github.com/memoryd/memoryd/internal/fail"
	"github.com/memoryd/memoryd/internal/term"
	"github.com/memoryd/memoryd/pkg/memory"
	"github.com/memoryd/memoryd/pkg/oplog"
	"github.com/memoryd/memoryd/pkg/timestamp"
)

func editCommand() *command {
	return &command{
		args:    "ID [--set KEY=VALUE | --content JSON | -]",
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
			redactFlag(), allowSecretFlag(),
		},
		least: 1, most: 2, run: runEdit, words: liveIDs,
	}
}

func runEdit(c *call) error {
	rewrite, err := c.rewriter()
	if err != nil {
		return err
	}
	_, snap, err := c.load()
	if err != nil {
		return err
	}
	m, err := one(snap, c.args[0])
	if err != nil {
		return err
	}
	if m.Locked != "" {
		return fail.WithHint(fmt.Errorf("%s: %s: %s", m.ID, m.Ref, m.Locked), "fix the file by hand")
	}
	raw, err := rewrite(m)
	if err != nil {
		return err
	}
	clean, err := c.withoutSecrets(m.Raw(), raw)
	switch {
	case err == nil:
		raw = clean
	case len(c.args) == 1 && !c.setsFields(): // what was typed into an editor stands nowhere else
		return c.keepText(m, raw, err)
	default:
		return err
	}
	if bytes.Equal(raw, m.Raw()) {
		if c.json {
			return c.printEmpty()
		}
		c.say("nothing changed\n")
		return nil
	}
	err = c.commitEdit(snap, m, raw)
	if err != nil && !c.setsFields() {
		return c.keepText(m, raw, err)
	}
	return err
}

// setsFields reports whether the new values stand on the command line, from where
// nobody needs to have them saved.
func (c *call) setsFields() bool {
	return c.flags.IsSet("set") || c.flags.IsSet("content") || len(c.args) == 1 && c.flags.Bool("redact")
}

// rewriter is the way to edit that the command line asks for: a function from a
// memory to its new record.
func (c *call) rewriter() (func(*memory.Memory) ([]byte, error), error) {
	stdin, fields := len(c.args) == 2, c.flags.IsSet("set") || c.flags.IsSet("content")
	switch {
	case stdin && c.args[1] != "-":
		return nil, fail.Usagef("unexpected argument %q", c.args[1])
	case stdin && fields:
		return nil, fail.Usagef("give the new record or the fields to set, not both")
	case stdin:
		return c.fromStdin, nil
	case fields:
		return c.setFields()
	case c.flags.Bool("redact"):
		return func(m *memory.Memory) ([]byte, error) { return m.Raw(), nil }, nil
	}
	return c.fromEditor, nil
}

func (c *call) fromStdin(*memory.Memory) ([]byte, error) {
	text, err := c.readStdin()
	return bytes.TrimSpace(text), err
}

// setFields reads --set and --content.
func (c *call) setFields() (func(*memory.Memory) ([]byte, error), error) {
	type change struct {
		path  []string
		value []byte
	}
	var changes []change
	if c.flags.IsSet("content") {
		content := []byte(c.flags.String("content"))
		if !json.Valid(content) {
			return nil, fail.WithHint(fail.Usagef("--content is not valid JSON"), "for a plain text write --set content=TEXT")
		}
		changes = append(changes, change{[]string{"content"}, bytes.TrimSpace(content)})
	}
	for _, text := range c.flags.StringSlice("set") {
		path, value, err := parseSet(text)
		if err != nil {
			return nil, err
		}
		changes = append(changes, change{path, value})
	}
	return func(m *memory.Memory) ([]byte, error) {
		raw := m.Raw()
		for _, ch := range changes {
			var err error
			if raw, err = memory.SetField(raw, ch.value, ch.path...); err != nil {
				return nil, fmt.Errorf("%s: %w", m.ID, err)
			}
		}
		return raw, nil
	}, nil
}

// commitEdit checks an edited record and commits it.
func (c *call) commitEdit(snap *memory.Snapshot, m *memory.Memory, raw []byte) error {
	if json.Valid(raw) { // what isn't, Replace refuses in better words
		was, is := gjson.GetBytes(m.Raw(), "updated_at"), gjson.GetBytes(raw, "updated_at")
		if was.Raw == is.Raw {
			moment, err := document.Marshal(timestamp.Format(snap.At))
			if err != nil {
				return err
			}
			if raw, err = memory.SetField(raw, moment, "updated_at"); err != nil {
				return fmt.Errorf("%s: %w", m.ID, err)
			}
		}
	}
	action, err := memory.Replace(m, raw, "edited by hand")
	if err != nil {
		return fmt.Errorf("%s: %w", m.ID, err)
	}
	err = c.checkRecord(m.Raw(), raw)
	if is := memory.ParseRecord(raw, m.Ref).Scope; err == nil && is != m.Scope && is.Kind != memory.Global.Kind && is.ID == "" {
		err = fmt.Errorf("scope is %q without a name: set scope_id to the name of the %s too", is.Kind, is.Kind)
	}
	if err != nil {
		if c.setsFields() {
			return fail.Usagef("%s: %w", m.ID, err)
		}
		return fmt.Errorf("%s: %w", m.ID, err)
	}
	return c.applyCommand([]memory.Action{action}, func([]oplog.Action) {
		c.say("edited %s in %s\n", term.Printable(m.ID), term.Printable(m.Ref.String()))
	})
}

// fromEditor lets a person edit a copy of the record.
func (c *call) fromEditor(m *memory.Memory) (_ []byte, err error) {
	editor := or(c.env("VISUAL"), c.env("EDITOR"))
	if editor == "" {
		return nil, fail.WithHint(errors.New("no editor: neither VISUAL nor EDITOR is set"), "set EDITOR, or change fields with --set")
	}
	name, err := c.copyOf(m, m.Raw())
	if err != nil {
		return nil, err
	}
	cmd := exec.CommandContext(c.ctx, "sh", "-c", editor+` "$1"`, editor, name)
	if runtime.GOOS == "windows" {
		words := append(strings.Fields(editor), name)
		cmd = exec.CommandContext(c.ctx, words[0], words[1:]...)
	}
	cmd.Env, cmd.Dir, cmd.Stdin, cmd.Stdout, cmd.Stderr = c.Env, c.Dir, c.Stdin, c.Stdout, c.Stderr
	if c.json {
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
func (c *call) copyOf(m *memory.Memory, raw []byte) (name string, err error) {
	f, err := os.CreateTemp(or(c.env("TMPDIR"), os.TempDir()), memory.FileName(m.ID)+"-*.json")
	if err != nil {
		return "", fmt.Errorf("%s: write a copy: %w", m.ID, err)
	}
	_, err = f.Write(append(raw[:len(raw):len(raw)], '\n'))
	return f.Name(), errors.Join(err, f.Close())
}

// keepText saves an edited record that could not become true, and says where.
func (c *call) keepText(m *memory.Memory, raw []byte, cause error) error {
	name, err := c.copyOf(m, raw)
	if err != nil {
		return errors.Join(cause, err)
	}
	return fail.WithHint(cause, fmt.Sprintf("your text is in %s: change it, then \"memory edit %s - < %s\"", name, m.ID, name))
}

// parseSet reads key=value: the path of the key, in which \. is a dot of its own,
// and the value, JSON where it is valid JSON and a text otherwise.
func parseSet(text string) (path []string, value []byte, err error) {
	key, raw, ok := strings.Cut(text, "=")
	if !ok {
		return nil, nil, fail.Usagef("--set %s: write KEY=VALUE, such as content.summary=…", strconv.Quote(text))
	}
	part := ""
	for rest := key; ; {
		i := strings.IndexAny(rest, `.\`)
		switch {
		case i < 0:
			path = append(path, part+rest)
		case rest[i] == '\\' && i+1 < len(rest):
			part += rest[:i] + rest[i+1:i+2]
			rest = rest[i+2:]
			continue
		case rest[i] == '\\':
			return nil, nil, fail.Usagef("--set %s: a backslash ends the key", strconv.Quote(text))
		default:
			path, part, rest = append(path, part+rest[:i]), "", rest[i+1:]
			continue
		}
		break
	}
	for _, p := range path {
		if p == "" {
			return nil, nil, fail.Usagef("--set %s: a part of the key is empty", strconv.Quote(text))
		}
	}
	if trimmed := strings.TrimSpace(raw); trimmed != "" && gjson.Valid(trimmed) {
		return path, []byte(trimmed), nil
	}
	value, err = document.Marshal(raw)
	return path, value, err
}
