package cli

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"runtime"
	"strings"

	"github.com/memoryd/memoryd/pkg/memory"
)

// fromEditor lets a person edit a copy of the record.
func (c *call) fromEditor(m *memory.Memory) (_ []byte, err error) {
	editor := or(c.env("VISUAL"), c.env("EDITOR"))
	if editor == "" {
		return nil, withHint(errors.New("no editor: neither VISUAL nor EDITOR is set"), "set EDITOR, or change fields with --set")
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
		return nil, withHint(fmt.Errorf("%s: editor %s: %w", m.ID, editor, err), "the memory is unchanged; your text is in "+name)
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
	return withHint(cause, fmt.Sprintf("your text is in %s: mend it, then \"memory edit %s - < %s\"", name, m.ID, name))
}
