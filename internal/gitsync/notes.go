package gitsync

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/memoryd/memoryd/pkg/text"
)

// notesPrefix is where git keeps notes; notesMessage begins the message of each commit of notes that is made here.
const (
	notesPrefix  = "refs/notes/"
	notesMessage = "memory export: notes on "
)

// ErrOthersNotes: the notes that a ref leads to were written by another program, or by people.
var ErrOthersNotes = errors.New("its notes are not of memoryd")

// NotesRef is a ref of notes, and what becomes of it.
type NotesRef struct {
	Name    string `json:"ref"`
	Notes   int    `json:"notes"`   // commits that have one
	Changed bool   `json:"changed"` // it differs from what was there
}

// Commits finds the commits of the repository that hashes name, in full. A hash that names none, or that several begin with, is absent.
func (r *Repo) Commits(ctx context.Context, hashes []string) (map[string]string, error) {
	found := map[string]string{}
	if len(hashes) == 0 {
		return found, nil
	}
	var in bytes.Buffer
	for _, hash := range hashes {
		in.WriteString(hash + "^{commit}\n")
	}
	out, err := r.run(ctx, in.Bytes(), "cat-file", "--batch-check=%(objectname)")
	if err != nil {
		return nil, fmt.Errorf("look for commits: %w", err)
	}
	answers := strings.Split(strings.TrimSpace(string(out)), "\n")
	for i, hash := range hashes { // one line each, such as "abc^{commit} missing" where there is none
		if i < len(answers) && !strings.Contains(answers[i], " ") {
			found[hash] = answers[i]
		}
	}
	return found, nil
}

// PutNotes has refs of notes say what is given, by the name of the ref below refs/notes/ and by commit, and nothing else: all in one call of
// git. A ref that says so already gets no new commit. One that somebody else has written is [ErrOthersNotes], and nothing is written, unless
// force: then its notes are in its history only. Nothing is pushed.
func (r *Repo) PutNotes(ctx context.Context, notes map[string]map[string][]byte, at time.Time, force, dry bool) (refs []NotesRef, err error) {
	var stream bytes.Buffer
	for _, name := range slices.Sorted(maps.Keys(notes)) {
		tip, have, err := r.notes(ctx, name, force)
		if err != nil {
			return nil, err
		}
		ref := NotesRef{Name: notesPrefix + name, Notes: len(notes[name]), Changed: !maps.EqualFunc(have, notes[name], bytes.Equal)}
		refs = append(refs, ref)
		if ref.Changed {
			fmt.Fprintf(&stream, "commit %s\ncommitter memoryd <memoryd@localhost> %d +0000\n%s", ref.Name, at.Unix(), sized(notesMessage+quantity(ref.Notes)))
			if tip != "" {
				fmt.Fprintf(&stream, "from %s\ndeleteall\n", tip)
			}
			for _, commit := range slices.Sorted(maps.Keys(notes[name])) {
				fmt.Fprintf(&stream, "N inline %s\n%s", commit, sized(string(notes[name][commit])))
			}
		}
	}
	if dry || stream.Len() == 0 {
		return refs, nil
	}
	stream.WriteString("done\n")
	if _, err := r.run(ctx, stream.Bytes(), "fast-import", "--quiet", "--done"); err != nil {
		return nil, fmt.Errorf("write notes: %w", err)
	}
	return refs, nil
}

func sized(text string) string { return fmt.Sprintf("data %d\n%s\n", len(text), text) }

func quantity(commits int) string {
	return strconv.Itoa(commits) + " " + text.Plural(commits, "commit")
}

// notes reads the notes that a ref leads to, by commit, and the commit that it is at; "" for none.
func (r *Repo) notes(ctx context.Context, name string, force bool) (tip string, notes map[string][]byte, err error) {
	ref := notesPrefix + name
	if !r.known(ctx, ref) {
		return "", nil, nil
	}
	head, err := r.line(ctx, "log", "--max-count=1", "--format=%H %s", ref, "--")
	if err != nil {
		return "", nil, err
	}
	tip, subject, _ := strings.Cut(head, " ")
	if !force && !strings.HasPrefix(subject, notesMessage) {
		return "", nil, fmt.Errorf("%s: %w", ref, ErrOthersNotes)
	}
	files, err := r.names(ctx, "ls-tree", "-r", "-z", "--full-tree", tip)
	if err != nil {
		return "", nil, err
	}
	var wanted bytes.Buffer
	var commits []string
	for _, file := range files { // MODE blob ID, a tab, and the commit, with slashes where there are many
		fields, path, _ := strings.Cut(file, "\t")
		commits = append(commits, strings.ReplaceAll(path, "/", ""))
		wanted.WriteString(fields[strings.LastIndex(fields, " ")+1:] + "\n")
	}
	texts, err := r.run(ctx, wanted.Bytes(), "cat-file", "--batch=%(objectsize)")
	if err != nil {
		return "", nil, err
	}
	notes = map[string][]byte{}
	for _, commit := range commits {
		line, rest, _ := bytes.Cut(texts, []byte{'\n'})
		size, err := strconv.Atoi(string(line))
		if err != nil || size >= len(rest) {
			return "", nil, fmt.Errorf("%s: git's answer about the note on %s can't be read: %q", ref, commit, line)
		}
		notes[commit], texts = rest[:size], rest[size+1:]
	}
	return tip, notes, nil
}
