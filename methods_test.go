package memoryd_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"maps"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// mostMethods is how many methods a type may have. One with more is several things under one name.
const mostMethods = 40

// moreMethods are the types that have more, with how many they may have: parsers only. This list only shrinks.
var moreMethods = map[string]int{
	"pkg/temporal.parser": 107,
}

// Methods are counted where they are declared, tests left out; those of embedded types don't count.
func TestTypesAreSmall(t *testing.T) {
	found := map[string]int{}
	err := filepath.WalkDir(".", func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			if name := d.Name(); err == nil && path != "." && (strings.HasPrefix(name, ".") || strings.HasPrefix(name, "_") || name == "testdata" || name == "node_modules") {
				return filepath.SkipDir
			}
			return err
		}
		if !strings.HasSuffix(path, ".go") || strings.HasSuffix(path, "_test.go") {
			return nil
		}
		f, err := parser.ParseFile(token.NewFileSet(), path, nil, parser.SkipObjectResolution)
		if err != nil {
			return err
		}
		for _, d := range f.Decls {
			if fn, ok := d.(*ast.FuncDecl); ok && fn.Recv != nil {
				found[filepath.ToSlash(filepath.Dir(path))+"."+receiver(fn.Recv.List[0].Type)]++
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	if len(found) < 100 {
		t.Fatalf("only %d types with methods were found", len(found))
	}
	for _, name := range slices.Sorted(maps.Keys(found)) {
		most, known := moreMethods[name]
		switch n := found[name]; {
		case !known && n > mostMethods:
			t.Errorf("%s has %d methods, more than %d: split it", name, n, mostMethods)
		case known && n > most:
			t.Errorf("%s has %d methods, %d before: it must not grow", name, n, most)
		case known && n <= mostMethods:
			t.Errorf("%s has %d methods only: take it off the list", name, n)
		case known && n < most:
			t.Logf("%s has %d methods, %d before: the list may say so", name, n, most)
		}
	}
	for name := range moreMethods {
		if found[name] == 0 {
			t.Errorf("%s is no more: take it off the list", name)
		}
	}
}

// receiver is the name of the type of a receiver, without pointer and type parameters.
func receiver(x ast.Expr) string {
	switch x := x.(type) {
	case *ast.StarExpr:
		return receiver(x.X)
	case *ast.IndexExpr:
		return receiver(x.X)
	case *ast.IndexListExpr:
		return receiver(x.X)
	case *ast.Ident:
		return x.Name
	}
	return "?"
}
