package main

import (
	"fmt"
	"go/ast"
	"go/importer"
	"go/parser"
	"go/token"
	"go/types"
	"io"
	"os"
	"path/filepath"
)

// checked is a package whose uses are known.
type checked struct {
	name string
	pkg  *types.Package
	uses map[string]map[string]bool // file → files that declare what it uses
}

func (p *listed) check(all []*listed) (*checked, error) {
	exports := map[string]string{}
	for _, q := range all {
		exports[q.ImportPath] = q.Export
	}
	fset := token.NewFileSet()
	var files []*ast.File
	for _, name := range p.GoFiles {
		f, err := parser.ParseFile(fset, filepath.Join(p.Dir, name), nil, parser.SkipObjectResolution)
		if err != nil {
			return nil, err
		}
		files = append(files, f)
	}
	info := &types.Info{Uses: map[*ast.Ident]types.Object{}, Selections: map[*ast.SelectorExpr]*types.Selection{}}
	conf := types.Config{Importer: importer.ForCompiler(fset, "gc", func(path string) (io.ReadCloser, error) { return os.Open(exports[path]) })}
	pkg, err := conf.Check(p.ImportPath, fset, files, info)
	if err != nil {
		return nil, fmt.Errorf("check %s: %w", p.ImportPath, err)
	}
	c := &checked{name: p.name(), pkg: pkg, uses: map[string]map[string]bool{}}
	for id, object := range info.Uses {
		if object.Pkg() != pkg {
			continue
		}
		from, to := fset.Position(id.Pos()).Filename, fset.Position(object.Pos()).Filename
		if c.uses[from] == nil {
			c.uses[from] = map[string]bool{}
		}
		c.uses[from][to] = true
	}
	return c, nil
}

// circle is how many files the largest strongly connected component has; 1 where no two files use each other.
func (c *checked) circle() int {
	largest, counter := min(1, len(c.uses)), 0
	index, low := map[string]int{}, map[string]int{}
	var stack []string
	on := map[string]bool{}
	var visit func(string)
	visit = func(file string) {
		counter++
		index[file], low[file] = counter, counter
		stack, on[file] = append(stack, file), true
		for next := range c.uses[file] {
			if index[next] == 0 {
				visit(next)
				low[file] = min(low[file], low[next])
			} else if on[next] {
				low[file] = min(low[file], index[next])
			}
		}
		if low[file] != index[file] {
			return
		}
		for size := 1; ; size++ {
			last := stack[len(stack)-1]
			stack, on[last] = stack[:len(stack)-1], false
			largest = max(largest, size)
			if last == file {
				return
			}
		}
	}
	for file := range c.uses {
		if index[file] == 0 {
			visit(file)
		}
	}
	return largest
}

// methods counts the exported methods of the types through which others use the core.
func (c *checked) methods() (lines []string) {
	for _, name := range []string{"FileStore", "Store", "Snapshot", "Disk"} {
		object, ok := c.pkg.Scope().Lookup(name).(*types.TypeName)
		if !ok || object.IsAlias() {
			continue
		}
		set, n := types.NewMethodSet(types.NewPointer(object.Type())), 0
		if types.IsInterface(object.Type()) {
			set = types.NewMethodSet(object.Type())
		}
		for i := range set.Len() {
			if set.At(i).Obj().Exported() {
				n++
			}
		}
		if n > 0 {
			lines = append(lines, fmt.Sprintf("%s.%s: %d exported methods", c.name, name, n))
		}
	}
	return lines
}
