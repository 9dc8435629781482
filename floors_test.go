package memoryd_test

import (
	"encoding/json"
	"errors"
	"go/ast"
	"go/parser"
	"go/token"
	"io"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

const module = "github.com/memoryd/memoryd/"

// floors are the layers of packages, as in ARCHITECTURE.md: imports
// point down only, and packages of one floor don't know each other, but for those that
// are internal to one and those that beside lists.
var floors = map[string]int{
	"pkg/workspace/disk":             -1,
	"pkg/internal/build":             0,
	"pkg/internal/durable":           0,
	"pkg/internal/jsonedit":          0,
	"pkg/internal/lazyregexp":        0,
	"pkg/internal/mdedit":            0,
	"pkg/internal/parallel":          0,
	"pkg/internal/tomledit":          0,
	"pkg/process":                    0,
	"pkg/text":                       0,
	"pkg/timestamp":                  0,
	"pkg/tokens":                     1,
	"schemas":                        0,
	"fixtures":                       0,
	"fixtures/datasets":              0,
	"pkg/config":                     1,
	"pkg/host":                       1,
	"pkg/hostindex":                  1,
	"pkg/layout":                     1,
	"pkg/note":                       1,
	"pkg/indexfile":                  1,
	"pkg/oplog":                      1,
	"pkg/provider":                   1,
	"pkg/internal/durable/memfs":     1,
	"pkg/internal/durable/faultfs":   2,
	"pkg/internal/delta":             1,
	"pkg/similarity":                 1,
	"pkg/review":                     1,
	"pkg/edgefile":                   1,
	"pkg/secrets":                    1,
	"pkg/sessionfile":                1,
	"pkg/summary":                    1,
	"pkg/temporal":                   1,
	"pkg/access":                     2,
	"pkg/memory":                     2,
	"pkg/supersession":               2,
	"pkg/workspace":                  3,
	"pkg/workspace/memdisk":          3,
	"pkg/workspace/sqldisk":          4,
	"pkg/workspace/sqldisk/pgtest":   0,
	"pkg/workspace/storetest/random": 3,
	"pkg/workspace/storetest":        4,
	"pkg/archive":                    4,
	"pkg/audit":                      4,
	"pkg/retention":                  4,
	"pkg/recall":                     4,
	"pkg/merge":                      3,
	"pkg/rules":                      3,
	"pkg/foreign":                    4,
	"pkg/cluster":                    3,
	"pkg/graph":                      3,
	"pkg/enrich":                     5,
	"pkg/guard":                      2,
	"pkg/refine":                     4,
	"pkg/coderef":                    1,
	"internal/repository":            5,
	"pkg/answer":                     4,
	"internal/app":                   6,
	"internal/document":              6,
	"pkg/briefing":                   5,
	"pkg/forecast":                   4,
	"internal/metrics":               5,
	"pkg/trigger":                    5,
	"internal/gitsync":               6,
	"internal/filechange":            5,
	"internal/hook":                  6,
	"internal/live":                  5,
	"internal/mcp":                   8,
	"internal/web":                   8,
	"internal/hub":                   8,
	"internal/online":                6,
	"internal/notefiles":             5,
	"internal/op/adopting":           7,
	"internal/op/auditing":           7,
	"internal/op/autostart":          7,
	"internal/op/archiving":          7,
	"internal/op/commit":             7,
	"internal/op/creating":           7,
	"internal/op/discover":           7,
	"internal/op/edit":               7,
	"internal/op/event":              7,
	"internal/op/exporting":          7,
	"internal/op/find":               7,
	"internal/op/firstrun":           7,
	"internal/op/importing":          7,
	"internal/op/installing":         7,
	"internal/op/login":              7,
	"internal/op/repair":             7,
	"internal/op/model":              7,
	"internal/op/planfile":           7,
	"internal/op/record":             7,
	"internal/op/reviewing":          7,
	"internal/op/saving":             7,
	"internal/op/serving":            7,
	"internal/op/sharing":            7,
	"internal/simulate":              7,
	"internal/watch":                 8,
	"internal/printer":               8,
	"internal/paths":                 0,
	"internal/worktree":              0,
	"internal/fail":                  4,
	"internal/term":                  0,
	"internal/cli":                   9,
	"internal/hubcli":                10,
	"cmd/memory-hub":                 11,
	"cmd/memory":                     10,
	"cmd/memory/scripts":             11,
	"tools/bench":                    10,
	"tools/hosts":                    0,
	"tools/shape":                    7,
	"tools/memeval":                  10,
	"tools/screenshot":               10,
	"tools/dashboard/sample":         10,
	"tools/genfixtures":              10,

	"pkg/workspace/internal/accesslog": 3,
	"pkg/workspace/internal/catalog":   3,
	"pkg/workspace/internal/check":     3,
	"pkg/workspace/internal/index":     3,
	"pkg/workspace/internal/journal":   3,
	"pkg/workspace/internal/seenfile":  3,
	"pkg/workspace/internal/tx":        3,
	"pkg/workspace/ops":                3,
}

// beside lists what a package may import of its own floor.
var beside = map[string][]string{
	"internal/op/adopting":         {"internal/op/firstrun"},
	"schemas":                      {"pkg/text"},
	"pkg/text":                     {"pkg/internal/lazyregexp"},
	"internal/app":                 {"internal/document"},
	"internal/op/importing":        {"internal/op/commit", "internal/op/discover", "internal/op/firstrun", "internal/op/record", "internal/op/saving"},
	"internal/op/creating":         {"internal/op/discover", "internal/op/firstrun", "internal/op/repair"},
	"internal/op/repair":           {"internal/op/commit"},
	"internal/hub":                 {"internal/mcp", "internal/web"},
	"internal/op/event":            {"internal/op/discover", "internal/op/login"},
	"internal/op/login":            {"internal/op/discover"},
	"internal/op/archiving":        {"internal/op/find"},
	"internal/op/edit":             {"internal/op/find", "internal/op/record"},
	"internal/op/reviewing":        {"internal/op/commit"},
	"internal/op/saving":           {"internal/op/find", "internal/op/record"},
	"pkg/access":                   {"pkg/memory"},
	"pkg/note":                     {"pkg/layout"},
	"pkg/provider":                 {"pkg/tokens"},
	"pkg/summary":                  {"pkg/temporal"},
	"pkg/workspace":                {"pkg/workspace/ops"},
	"pkg/workspace/internal/check": {"pkg/workspace/internal/index", "pkg/workspace/internal/journal", "pkg/workspace/ops"},
	"pkg/workspace/internal/index": {"pkg/workspace/internal/journal"},
	"pkg/workspace/internal/tx":    {"pkg/workspace/internal/accesslog", "pkg/workspace/internal/index", "pkg/workspace/internal/journal", "pkg/workspace/internal/seenfile"},
	"pkg/workspace/ops":            {"pkg/workspace/internal/accesslog", "pkg/workspace/internal/journal", "pkg/workspace/internal/seenfile"},
}

// pure packages decide and compute: no disk, network, process, clock or chance.
var pure = []string{"pkg/access", "pkg/text", "pkg/guard", "pkg/memory", "pkg/merge", "pkg/temporal", "pkg/timestamp", "pkg/config", "pkg/host", "pkg/hostindex", "pkg/indexfile", "pkg/layout", "pkg/note", "pkg/oplog", "pkg/review", "pkg/secrets", "pkg/sessionfile", "pkg/similarity", "pkg/summary", "pkg/supersession", "pkg/archive", "pkg/audit", "pkg/foreign", "pkg/recall", "pkg/retention", "pkg/tokens", "pkg/answer", "pkg/briefing", "pkg/cluster", "pkg/coderef", "pkg/edgefile", "pkg/graph", "pkg/enrich", "pkg/forecast", "pkg/rules", "pkg/trigger", "pkg/workspace/internal/accesslog", "pkg/workspace/internal/index", "pkg/workspace/internal/seenfile", "pkg/internal/delta", "pkg/internal/jsonedit", "pkg/internal/mdedit", "pkg/internal/tomledit"}

var impure = []string{"os", "os/exec", "net", "net/http", "syscall", "math/rand", "math/rand/v2", "crypto/rand", module + "pkg/internal/durable"}

type listed struct {
	ImportPath string
	Dir        string
	Imports    []string
	GoFiles    []string
}

func packages(t *testing.T) []listed {
	t.Helper()
	out, err := exec.Command("go", "list", "-json=ImportPath,Dir,Imports,GoFiles", "./...").Output()
	if err != nil {
		t.Fatal(err)
	}
	var pkgs []listed
	for dec := json.NewDecoder(strings.NewReader(string(out))); ; {
		var p listed
		if err := dec.Decode(&p); errors.Is(err, io.EOF) {
			return pkgs
		} else if err != nil {
			t.Fatal(err)
		}
		if len(p.GoFiles) > 0 {
			pkgs = append(pkgs, p)
		}
	}
}

func TestImportsPointDown(t *testing.T) {
	pkgs := packages(t)
	if len(pkgs) < 5 {
		t.Fatalf("go list found %d packages only", len(pkgs))
	}
	for _, p := range pkgs {
		name := strings.TrimPrefix(p.ImportPath, module)
		floor, ok := floors[name]
		if !ok {
			t.Errorf("%s stands on no floor: add it to floors and to ARCHITECTURE.md", name)
			continue
		}
		for _, imp := range p.Imports {
			below := strings.TrimPrefix(imp, module)
			if below == imp {
				continue
			}
			if f, ok := floors[below]; !ok || f > floor || f == floor && !contains(beside[name], below) && !strings.HasPrefix(below, name+"/internal/") {
				t.Errorf("%s (floor %d) imports %s (floor %d)", name, floor, below, f)
			}
		}
	}
}

func TestPurePackages(t *testing.T) {
	for _, p := range packages(t) {
		name := strings.TrimPrefix(p.ImportPath, module)
		if !contains(pure, name) {
			continue
		}
		for _, imp := range p.Imports {
			if contains(impure, imp) {
				t.Errorf("%s imports %s: it must stay pure", name, imp)
			}
		}
		for _, call := range calls(t, p) {
			if call == "time.Now" || call == "time.Since" || call == "time.Sleep" {
				t.Errorf("%s calls %s: the time is an argument", name, call)
			}
		}
	}
}

// The client knows no database: what is SQL belongs to memory-hub. The interfaces of database/sql/driver come with the identifiers that
// the scheduler's library makes.
func TestClientHasNoSQL(t *testing.T) {
	out, err := exec.Command("go", "list", "-deps", "./cmd/memory").Output()
	if err != nil {
		t.Fatal(err)
	}
	for name := range strings.Lines(string(out)) {
		if name = strings.TrimSpace(name); strings.Contains(strings.ToLower(name), "sql") && name != "database/sql/driver" || strings.Contains(name, "jackc/pgx") {
			t.Errorf("memory is built with %s", name)
		}
	}
}

func TestOnlyMainExits(t *testing.T) {
	for _, p := range packages(t) {
		if p.ImportPath == module+"cmd/memory" || p.ImportPath == module+"cmd/memory-hub" || strings.HasPrefix(p.ImportPath, module+"tools/") {
			continue
		}
		for _, call := range calls(t, p) {
			if call == "os.Exit" || call == "log.Fatal" || call == "log.Fatalf" {
				t.Errorf("%s calls %s", p.ImportPath, call)
			}
		}
	}
}

// calls lists the package-qualified names that a package's files mention.
func calls(t *testing.T, p listed) (names []string) {
	for _, file := range p.GoFiles {
		f, err := parser.ParseFile(token.NewFileSet(), filepath.Join(p.Dir, file), nil, 0)
		if err != nil {
			t.Fatal(err)
		}
		ast.Inspect(f, func(n ast.Node) bool {
			if sel, ok := n.(*ast.SelectorExpr); ok {
				if x, ok := sel.X.(*ast.Ident); ok {
					names = append(names, x.Name+"."+sel.Sel.Name)
				}
			}
			return true
		})
	}
	return names
}

func contains(list []string, s string) bool {
	for _, e := range list {
		if e == s {
			return true
		}
	}
	return false
}
