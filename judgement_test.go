package memoryd_test

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/memoryd/memoryd/fixtures/datasets"
)

// TestMain ends with how many tests skip because their data is not there. "go test" in this directory shows the line;
// "go test ./..." shows nothing of a package that passes.
func TestMain(m *testing.M) {
	code := m.Run()
	switch tests, err := judgementTests("."); {
	case err != nil:
		fmt.Println("count the tests of judgement:", err)
		code = max(code, 1)
	case datasets.Here():
		fmt.Printf("%d tests of judgement run on data sets that are not in the repository (docs/evaluation.md)\n", len(tests))
	default:
		fmt.Printf("%d tests of judgement skip: their data sets are not in the repository (docs/evaluation.md)\n", len(tests))
	}
	os.Exit(code)
}

// The README says how many tests skip without the data sets.
func TestReadmeCountsJudgementTests(t *testing.T) {
	tests, err := judgementTests(".")
	if err != nil {
		t.Fatal(err)
	}
	if want := fmt.Sprintf("Of the tests, %d measure judgement", len(tests)); !strings.Contains(strings.Join(strings.Fields(text(t, "README.md")), " "), want) {
		t.Errorf("the README doesn't say %q:\n%s", want, strings.Join(tests, "\n"))
	}
}

func TestJudgementTests(t *testing.T) {
	dir := t.TempDir()
	source := "package x\n\nimport \"github.com/memoryd/memoryd/fixtures/datasets\"\n\n" +
		"func rows(t any) { for range datasets.Rows[int](t, \"a\") {} }\n\n" +
		"func TestDirect(t any) { datasets.Read(t, \"b\") }\n\n" +
		"func TestByHelper(t any) { run(func() { more(t) }) }\n\n" +
		"func more(t any) { rows(t) }\n\n" +
		"func BenchmarkRows(b any) { rows(b) }\n\nfunc TestOther(t any) {}\n"
	if err := os.WriteFile(filepath.Join(dir, "x_test.go"), []byte(source), 0o644); err != nil {
		t.Fatal(err)
	}
	if tests, err := judgementTests(dir); err != nil || !slices.Equal(tests, []string{"TestByHelper", "TestDirect"}) {
		t.Errorf("%v, %v", tests, err)
	}
}

// judgementTests returns the tests below a directory that read a data set, by their directories and names: those that call a
// function of the package datasets, themselves or by functions of their package.
func judgementTests(root string) (tests []string, err error) {
	uses := map[string]map[string][]string{} // by directory and function: what it names
	err = filepath.WalkDir(root, func(path string, entry os.DirEntry, err error) error {
		if err != nil || entry.IsDir() && (strings.HasPrefix(entry.Name(), ".") && path != root || entry.Name() == "testdata") {
			if err == nil {
				err = filepath.SkipDir
			}
			return err
		}
		dir := filepath.ToSlash(filepath.Dir(path))
		if !strings.HasSuffix(path, "_test.go") || strings.HasSuffix(dir, "fixtures/datasets") {
			return nil
		}
		file, err := parser.ParseFile(token.NewFileSet(), path, nil, parser.SkipObjectResolution)
		if err != nil {
			return err
		}
		if uses[dir] == nil {
			uses[dir] = map[string][]string{}
		}
		for _, decl := range file.Decls {
			if f, ok := decl.(*ast.FuncDecl); ok && f.Recv == nil {
				uses[dir][f.Name.Name] = named(f)
			}
		}
		return nil
	})
	for dir, functions := range uses {
		for name := range functions {
			if strings.HasPrefix(name, "Test") && name != "TestMain" && reaches(functions, name, map[string]bool{}) {
				tests = append(tests, strings.TrimPrefix(strings.TrimPrefix(dir, filepath.ToSlash(root))+"."+name, "."))
			}
		}
	}
	slices.Sort(tests)
	return tests, err
}

// named returns the identifiers in a function, and "datasets" if it names that package.
func named(f *ast.FuncDecl) (names []string) {
	ast.Inspect(f, func(n ast.Node) bool {
		if id, ok := n.(*ast.Ident); ok && id.Name != f.Name.Name {
			names = append(names, id.Name)
		}
		return true
	})
	return names
}

// reaches reports whether a function names the package datasets, itself or by the functions that it names.
func reaches(functions map[string][]string, name string, seen map[string]bool) bool {
	if name == "datasets" {
		return true
	}
	if seen[name] {
		return false
	}
	seen[name] = true
	return slices.ContainsFunc(functions[name], func(next string) bool { return reaches(functions, next, seen) })
}
