package workspace

import (
	"go/ast"
	"go/parser"
	"go/token"
	"path/filepath"
	"strings"
	"testing"
)

// Every byte is written through durable.FS: a write that went past it would be in
// no crash test. The process id is all that is asked of package os.
func TestNothingWritesPastTheSeam(t *testing.T) {
	var names []string
	for _, pattern := range []string{"*.go", "ops/*.go", "internal/*/*.go"} {
		found, err := filepath.Glob(pattern)
		if err != nil {
			t.Fatal(err)
		}
		names = append(names, found...)
	}
	files := 0
	for _, name := range names {
		if strings.HasSuffix(name, "_test.go") {
			continue
		}
		file, err := parser.ParseFile(token.NewFileSet(), name, nil, 0)
		if err != nil {
			t.Fatal(err)
		}
		files++
		for _, imp := range file.Imports {
			switch imp.Path.Value {
			case `"syscall"`, `"path/filepath"`, `"os/exec"`, `"golang.org/x/sys/unix"`:
				t.Errorf("%s imports %s", name, imp.Path.Value)
			}
		}
		ast.Inspect(file, func(n ast.Node) bool {
			if sel, ok := n.(*ast.SelectorExpr); ok {
				if x, ok := sel.X.(*ast.Ident); ok && x.Name == "os" && sel.Sel.Name != "Getpid" {
					t.Errorf("%s uses os.%s", name, sel.Sel.Name)
				}
			}
			return true
		})
	}
	if files < 40 {
		t.Fatalf("only %d files were looked at", files)
	}
}
