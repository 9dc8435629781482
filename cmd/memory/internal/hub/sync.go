package hub

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"net/http"
	"path"
	"slices"
	"strconv"
	"strings"

	"github.com/memoryd/memoryd/cmd/memory/internal/app"
	"github.com/memoryd/memoryd/cmd/memory/internal/mirror"
	"github.com/memoryd/memoryd/pkg/memory"
	"github.com/memoryd/memoryd/pkg/oplog"
	"github.com/memoryd/memoryd/pkg/workspace"
	"github.com/memoryd/memoryd/pkg/workspace/ops"
	"github.com/memoryd/memoryd/pkg/workspace/sqldisk"
)

// follow tells a mirror what was written after its cursor, as far as its principal may read it.
func (h *Hub) follow(w http.ResponseWriter, r *http.Request) {
	who, room, ok := h.enter(w, r)
	if !ok {
		return
	}
	var from sqldisk.Cursor
	var err error
	if text := r.FormValue("revision"); text != "" {
		from.Revision, err = strconv.ParseInt(text, 10, 64)
	}
	if from.Path = r.FormValue("path"); err != nil || from.Revision < 0 {
		http.Error(w, "revision: write a number", http.StatusBadRequest)
		return
	}
	ws := r.PathValue("workspace")
	sight, err := room.sight(r, who)
	var page sqldisk.Page
	if err == nil {
		page, err = h.DB.Page(r.Context(), ws, from)
	}
	if err != nil {
		h.refuse(w, ws, err)
		return
	}
	h.Metrics.Asked("sync", "served")
	answer := mirror.Page{
		Principal: who.Name, Epoch: sum(page.Created.String())[:16], View: view(who), Revision: page.Revision, Next: mirror.Cursor(page.Next), More: page.More,
		Time: h.Now().UTC().Format(http.TimeFormat), Documents: []mirror.Document{},
	}
	for _, d := range page.Documents {
		name := mirror.Outside(d.Path)
		switch {
		case name == "":
		case d.Removed() || !sight.reads(d.Path):
			answer.Documents = append(answer.Documents, mirror.Document{Gone: sum(name)})
		default:
			answer.Documents = append(answer.Documents, mirror.Document{Path: name, Bytes: d.Bytes})
		}
	}
	reply(w, http.StatusOK, answer)
}

func sum(text string) string {
	s := sha256.Sum256([]byte(text))
	return hex.EncodeToString(s[:])
}

// view changes when what a principal may read does.
func view(who sqldisk.Principal) string {
	text := ""
	for _, g := range who.Grants {
		if g.Access == sqldisk.Read || g.Access == sqldisk.Admin {
			text += "\n" + g.Scope
		}
	}
	return sum(text)[:16]
}

func reply(w http.ResponseWriter, status int, answer any) {
	doc, err := json.Marshal(answer)
	if err != nil {
		http.Error(w, "the answer can't be written", http.StatusInternalServerError)
		return
	}
	w.Header().Set("Content-Type", "application/json")
	w.Header().Set("Cache-Control", "no-store")
	w.WriteHeader(status)
	_, _ = w.Write(doc) // who asked has gone, if it fails
}

// push takes what a mirror has changed: all of it, or nothing.
func (h *Hub) push(w http.ResponseWriter, r *http.Request) {
	who, room, ok := h.enter(w, r)
	if !ok {
		return
	}
	ws := r.PathValue("workspace")
	var p mirror.Push
	body := json.NewDecoder(http.MaxBytesReader(w, r.Body, maxPush))
	if err := body.Decode(&p); err != nil || p.ID == "" || len(p.ID) > 64 || !ops.ValidMachine(p.Machine) || p.Machine == mirror.HubMachine {
		http.Error(w, "a push is JSON with id, machine and changes", http.StatusBadRequest)
		return
	}
	revision, refused, err := h.take(r, room, who, p)
	for range mirror.Tries { // the hub's own log had grown
		if changed := (*sqldisk.ChangedError)(nil); !errors.As(err, &changed) || !slices.Equal(changed.Paths, []string{memory.LogFile}) {
			break
		}
		revision, refused, err = h.take(r, room, who, p)
	}
	changed := (*sqldisk.ChangedError)(nil)
	switch {
	case len(refused) > 0:
		h.Metrics.Asked("sync", "forbidden")
		reply(w, http.StatusForbidden, mirror.Pushed{Refused: refused})
	case errors.As(err, &changed):
		paths := slices.DeleteFunc(changed.Paths, func(path string) bool { return path == memory.LogFile })
		reply(w, http.StatusConflict, mirror.Pushed{Changed: paths})
	case errors.Is(err, sqldisk.ErrMachine):
		http.Error(w, err.Error()+": name this one otherwise", http.StatusUnprocessableEntity)
	case err != nil:
		h.refuse(w, ws, err)
	default:
		h.Metrics.Asked("sync", "served")
		reply(w, http.StatusOK, mirror.Pushed{Revision: revision})
	}
}

// take writes what a push brings, and an entry of the hub's log with it. Refused tells what its principal may not write: then nothing was.
func (h *Hub) take(r *http.Request, room *room, who sqldisk.Principal, p mirror.Push) (revision int64, refused map[string]string, err error) {
	sight, err := room.sight(r, who)
	if err != nil {
		return 0, nil, err
	}
	into := sqldisk.Push{ID: p.ID, Machine: p.Machine, Principal: who.Name, At: h.Now()}
	refused = map[string]string{}
	sight.promise(p.Changes)
	for _, c := range p.Changes {
		change := sqldisk.Change{Path: c.Path, Base: c.Base, Bytes: c.Bytes}
		if change.Bytes == nil && !c.Removed {
			change.Bytes = []byte{}
		}
		if why := sight.admit(&change, p.Machine); why != "" {
			refused[c.Path] = why
		}
		into.Changes = append(into.Changes, change)
	}
	if len(refused) > 0 {
		return 0, refused, nil
	}
	if err := sight.log(&into); err != nil {
		return 0, nil, err
	}
	revision, err = h.DB.Push(r.Context(), r.PathValue("workspace"), into)
	return revision, nil, err
}

// log adds an entry of the hub's own log to a push that brings more than what machines note for themselves: who has sent it, whatever the machine's
// log says of that. It comes true with the push, once.
func (s *sight) log(p *sqldisk.Push) error {
	n := 0
	for _, c := range p.Changes {
		if !strings.HasPrefix(c.Path, memory.OpsDir+"/") {
			n++
		}
	}
	if n == 0 {
		return nil
	}
	action := memory.Action{Action: oplog.Action{Type: oplog.Sync, Rule: memory.RuleManual, Detail: app.Quantity(n, "file") + " from the machine " + p.Machine}}
	plan := memory.Command(s.all, s.head, action)
	entry := &oplog.Entry{
		RunID: plan.RunID, Timestamp: p.At, Trigger: "sync", Scope: "all", Actor: p.Principal, Machine: p.Machine,
		Actions: plan.LogActions(), Stats: plan.Stats(), Status: oplog.Done,
	}
	doc, err := oplog.Append(s.logged, entry)
	if err != nil {
		return err
	}
	base := ""
	if s.logged != nil {
		base = sum(string(s.logged))
	}
	p.Changes = append(p.Changes, sqldisk.Change{Path: memory.LogFile, Base: base, Bytes: doc})
	return nil
}

// sight is what of a workspace a principal sees and may change, by documents. One that holds several memories
// takes what each of them takes.
type sight struct {
	who  sqldisk.Principal
	all  *memory.Snapshot // the whole workspace
	seen *memory.Snapshot // what the principal may read of it
	docs func(name string) bool
	by   map[string]*memory.Memory // all memories, by id
	may  map[string]bool           // names of files of ids: whether their originals may be read
	new  map[string]bool           // names of files of ids that a push makes

	logged []byte // the hub's own log, nil for none
	head   string // of all logs
}

// sight looks at a workspace for a principal, as the database has it now.
func (r *room) sight(req *http.Request, who sqldisk.Principal) (*sight, error) {
	release, err := r.take(req.Context())
	if err != nil {
		return nil, err
	}
	defer release()
	if r.whole.Reuse = true; r.loaded == nil || r.loadedAt != r.disk.Revision() {
		if r.loaded, err = r.whole.Load(r.hub.Now()); err != nil {
			return nil, err
		}
		r.loadedAt = r.disk.Revision()
	}
	s := &sight{who: who, all: r.loaded, by: map[string]*memory.Memory{}, may: map[string]bool{}, new: map[string]bool{}}
	s.head = r.whole.Log().Head()
	if s.logged, err = r.whole.Read(memory.LogFile); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, err
	}
	if s.seen = s.all; !who.Everywhere(sqldisk.Read) {
		if s.seen, err = r.guest(who).store.Load(r.hub.Now()); err != nil {
			return nil, err
		}
	}
	for _, of := range [][]*memory.Memory{s.all.Archived(), s.all.Memories()} {
		for _, m := range of {
			s.by[m.ID] = m
		}
	}
	hidden, seen := map[string]bool{}, map[string]bool{}
	for _, m := range s.seen.Archived() {
		seen[m.Ref.String()], seen[m.File] = true, true
	}
	for _, m := range s.all.Archived() {
		hidden[m.File] = hidden[m.File] || !seen[m.Ref.String()]
	}
	s.docs = func(name string) bool { return seen[name] && !hidden[name] }
	for _, of := range [][]*memory.Memory{s.seen.Archived(), s.seen.Memories()} {
		for _, m := range of {
			s.may[memory.FileName(m.ID)] = true
		}
	}
	return s, nil
}

// reads reports whether a document may be seen.
func (s *sight) reads(name string) bool {
	dir, _, _ := strings.Cut(name, "/")
	switch {
	case s.who.Everywhere(sqldisk.Read):
		return true
	case name == memory.ConfigFile || dir == "schemas":
		return s.who.Somewhere(sqldisk.Read)
	case path.Dir(path.Dir(name)) == memory.OriginalDir:
		return s.may[path.Base(path.Dir(name))]
	case dir == memory.OpsDir:
		return false
	case memory.InArchive(name):
		return s.docs(name)
	}
	return s.who.May(sqldisk.Read, memory.ScopeOf(name))
}

// promise notes the memories that a push brings: what is kept of them comes with them.
func (s *sight) promise(changes []mirror.Change) {
	for _, c := range changes {
		records, err := memory.ParseRecords(c.Path, c.Bytes)
		if err != nil || strings.HasPrefix(c.Path, memory.OpsDir+"/") {
			continue
		}
		for _, m := range records {
			if s.writes(m.ID) || s.by[m.ID] == nil && s.who.May(sqldisk.Write, memory.ScopeOf(c.Path)) {
				s.new[memory.FileName(m.ID)] = true
			}
		}
	}
}

// writes reports whether a memory that there is may be changed: where it is, or where it was before it was archived.
func (s *sight) writes(id string) bool {
	m := s.by[id]
	if m == nil {
		return false
	}
	scope := m.Scope
	if origin, ok := memory.OriginOf(m, s.all.Indexes); ok {
		scope = memory.ScopeOf(origin.Ref.File)
	} else if m.Archived {
		return s.who.Everywhere(sqldisk.Write)
	}
	return s.who.May(sqldisk.Write, scope)
}

// admit tells why a change is not one for the principal to make; "" where it is. It puts right whose memories they are.
func (s *sight) admit(c *sqldisk.Change, machine string) string {
	if mirror.Outside(c.Path) != c.Path {
		return "mirrors don't write it"
	}
	if of, own := mirror.OwnFile(c.Path); own {
		if of != machine || !s.who.Somewhere(sqldisk.Write) {
			return "it is written by the machine " + of
		}
		return valid(c)
	}
	everywhere := s.who.Everywhere(sqldisk.Write) && s.who.Everywhere(sqldisk.Read)
	dir, _, _ := strings.Cut(c.Path, "/")
	switch {
	case c.Path == memory.ConfigFile || dir == "schemas":
		if !s.who.Everywhere(sqldisk.Admin) {
			return "it takes admin access everywhere"
		}
		return ""
	case path.Dir(path.Dir(c.Path)) == memory.OriginalDir:
		if name := path.Base(path.Dir(c.Path)); c.Base != "" || !everywhere && !s.may[name] && !s.new[name] {
			return "it is kept of a memory that is not " + s.who.Name + "'s to change, or it is there already"
		}
		return valid(c)
	case dir == memory.OpsDir:
		if !everywhere {
			return "it takes read and write access everywhere"
		}
		return valid(c)
	case memory.InArchive(c.Path):
		return s.admitArchived(c, everywhere)
	case !s.who.May(sqldisk.Write, memory.ScopeOf(c.Path)):
		return fmt.Sprintf("it takes write access in %s", memory.ScopeOf(c.Path))
	}
	return s.own(c)
}

// admitArchived is admit of a document in the archive.
func (s *sight) admitArchived(c *sqldisk.Change, everywhere bool) string {
	if everywhere {
		return s.own(c)
	}
	if c.Base != "" && !s.docs(c.Path) {
		return "it takes read and write access where its memories came from"
	}
	records, err := memory.ParseRecords(c.Path, c.Bytes)
	if c.Bytes == nil {
		for _, m := range s.seen.Archived() {
			if m.File == c.Path {
				records = append(records, m)
			}
		}
	} else if err != nil {
		return err.Error()
	}
	for _, m := range records {
		if !s.writes(m.ID) {
			return "it takes write access where its memories came from"
		}
	}
	return s.own(c)
}

// valid tells why a document can't be stored: JSON must be valid.
func valid(c *sqldisk.Change) string {
	if c.Bytes != nil && !workspace.ValidDocument(c.Path, c.Bytes) {
		return "it is not valid JSON"
	}
	return ""
}

// own says of memories that are new whose they are, whatever the mirror says, and keeps it of the others. Who may do
// everything brings memories of others along.
func (s *sight) own(c *sqldisk.Change) string {
	why := valid(c)
	if why != "" || c.Bytes == nil || path.Ext(c.Path) != ".json" || s.who.Everywhere(sqldisk.Admin) {
		return why
	}
	records, err := memory.ParseRecords(c.Path, c.Bytes)
	if err != nil {
		return err.Error()
	}
	for i := range records {
		m, by := records[i], s.who.Name
		if before := s.by[m.ID]; before != nil {
			by = before.CreatedBy
		}
		if m.CreatedBy == by || by == "" {
			continue
		}
		quoted, err := json.Marshal(by)
		var raw []byte
		if err == nil {
			raw, err = memory.SetField(m.Raw(), quoted, "created_by")
		}
		if err == nil {
			c.Bytes, err = memory.ReplaceRecord(c.Bytes, m, raw)
		}
		if err == nil {
			records, err = memory.ParseRecords(c.Path, c.Bytes) // its neighbours have moved
		}
		if err != nil || len(records) <= i {
			return "whose memory " + m.ID + " is can't be written"
		}
	}
	return ""
}
