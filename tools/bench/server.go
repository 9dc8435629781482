package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// calls is how often each tool of a server is called, and how many edits are followed.
const calls = 100

// server is "memory mcp" as a process, and a client that is connected to it.
type server struct {
	*mcp.ClientSession
	p *program
}

func (p *program) serve(ctx context.Context) (*server, error) {
	cmd, err := p.command("mcp")
	if err != nil {
		return nil, err
	}
	client := mcp.NewClient(&mcp.Implementation{Name: "bench", Version: "1"}, nil)
	session, err := client.Connect(ctx, &mcp.CommandTransport{Command: cmd}, nil)
	if err != nil {
		return nil, fmt.Errorf("start memory mcp: %w", err)
	}
	return &server{session, p}, nil
}

// call calls a tool and returns the text of its result.
func (s *server) call(ctx context.Context, tool string, args map[string]any) (string, error) {
	result, err := s.CallTool(ctx, &mcp.CallToolParams{Name: tool, Arguments: args})
	if err != nil {
		return "", fmt.Errorf("call %s: %w", tool, err)
	}
	var text strings.Builder
	for _, c := range result.Content {
		if c, ok := c.(*mcp.TextContent); ok {
			text.WriteString(c.Text)
		}
	}
	if result.IsError {
		return "", fmt.Errorf("call %s: %s", tool, &text)
	}
	return text.String(), nil
}

// repeat measures a step of a server as often as calls says, after two that are not counted.
func repeat(step func(i int) error) (s sample, err error) {
	for i := range calls + 2 {
		started := time.Now()
		if err := step(i); err != nil {
			return s, err
		}
		if i >= 2 {
			s.took = append(s.took, time.Since(started))
		}
	}
	return s, nil
}

// measureServer measures searches, saves and edits by others in one server, and its peak memory.
func (b *bench) measureServer(ctx context.Context) (err error) {
	if !b.wants(rowSearch, rowSave, rowSaveSlow, rowServerEdit, rowServerPeak) {
		return nil
	}
	s, err := b.serve(ctx)
	if err != nil {
		return err
	}
	ended := false
	defer func() {
		if !ended {
			err = errors.Join(err, s.Close())
		}
	}()
	if b.wants(rowSearch) {
		search, err := repeat(func(i int) error {
			_, err := s.call(ctx, "search", map[string]any{"query": b.question(i)})
			return err
		})
		if err != nil {
			return err
		}
		b.add(rowSearch, search)
	}
	if b.wants(rowServerEdit) {
		edit, err := repeat(func(i int) error {
			id, word, err := b.edit(i)
			for found := ""; err == nil && !strings.Contains(found, id); {
				found, err = s.call(ctx, "search", map[string]any{"query": word, "mode": "exhaustive"})
			}
			return err
		})
		if err != nil {
			return err
		}
		b.add(rowServerEdit, edit)
	}
	var save sample
	if b.wants(rowSave, rowSaveSlow) {
		if save, err = b.measureSaves(ctx, s); err != nil {
			return err
		}
	}
	ended = true
	if err := s.Close(); err != nil {
		return fmt.Errorf("end memory mcp: %w", err)
	}
	u, err := b.usage()
	if err != nil {
		return err
	}
	if b.wants(rowServerPeak) {
		b.add(rowServerPeak, sample{peaks: []int64{u.Peak}})
	}
	if save.took == nil {
		return nil
	}
	files, bytes, err := contents(b.dir)
	save.leaves.files += files
	save.leaves.bytes += bytes
	b.add(rowSave, save)
	b.add(rowSaveSlow, sample{took: save.took})
	return err
}

// measureSaves measures saves, and the floor beside them. What the sample leaves is minus what there was before them: the
// caller adds what there is when the server has ended.
func (b *bench) measureSaves(ctx context.Context, s *server) (save sample, err error) {
	if _, err := writeFloor.measure(b.dir); err != nil {
		return save, err
	}
	files, bytes, err := contents(b.dir)
	if err != nil {
		return save, err
	}
	var floors []time.Duration
	save, err = repeat(func(int) error {
		_, r := b.fresh.memory(b.w.n)
		_, err := s.call(ctx, "save", map[string]any{"type": r.Type, "by": "DEV-001", "scope": b.fresh.layout.saves(), "tags": r.Tags, "content": r.Content})
		return err
	})
	for range calls {
		if err != nil {
			break
		}
		var took time.Duration
		took, err = writeFloor.measure(b.dir)
		floors = append(floors, took)
	}
	save.floors, save.leaves = floors, leaves{-files, -bytes, calls + 2}
	return save, err
}

// measureWatcher measures how long an edit takes to reach the index of its directory.
func (b *bench) measureWatcher() (err error) {
	if !b.wants(rowWatchEdit) {
		return nil
	}
	// Nothing but the indexes is to be written while this is measured.
	settings := filepath.Join(b.dir, "memory.toml")
	if err := os.WriteFile(settings, []byte("[triggers]\nindex_overflow = 100000000\n"), 0o644); err != nil {
		return err
	}
	var log strings.Builder
	cmd := b.environment(exec.Command(b.file, "watch", "--debounce", "0s"))
	cmd.Stderr = &log
	if err := cmd.Start(); err != nil {
		return err
	}
	defer func() {
		killed := cmd.Process.Signal(os.Interrupt)
		if killed != nil { // Windows has no such signal
			killed = cmd.Process.Kill()
		}
		_ = cmd.Wait() // how it ended says nothing about the times
		if err = errors.Join(err, killed, os.Remove(settings)); err != nil {
			err = fmt.Errorf("memory watch: %w: %s", err, &log)
		}
	}()
	if err := until(func() bool { // it has compared all files once
		state, err := os.ReadFile(filepath.Join(b.dir, "ops", "watch.json"))
		return err == nil && strings.Contains(string(state), `"full_comparison": "2`)
	}); err != nil {
		return err
	}
	s, err := repeat(func(i int) error {
		name := b.edited(i)
		index := filepath.Join(filepath.Dir(name), "_index.json")
		before, err := os.Stat(index)
		if err != nil {
			return err
		}
		if _, _, err := b.edit(i); err != nil {
			return err
		}
		return until(func() bool {
			now, err := os.Stat(index)
			return err == nil && !os.SameFile(before, now)
		})
	})
	if err == nil {
		b.add(rowWatchEdit, s)
	}
	return err
}

// until looks again and again until something holds, for a minute at most.
func until(holds func() bool) error {
	for deadline := time.Now().Add(time.Minute); !holds(); time.Sleep(200 * time.Microsecond) {
		if time.Now().After(deadline) {
			return errors.New("waited a minute in vain")
		}
	}
	return nil
}
