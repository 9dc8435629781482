package check

import (
	"fmt"

	"github.com/memoryd/memoryd/pkg/memory"
)

// copies tells of conflict copies, and of files that are only named like one.
func (c *checker) copies() {
	for _, copied := range c.snap.Copies {
		by := ""
		if maker := copied.Maker(); maker != "" {
			by = ", made by " + maker
		}
		pair, hint := copied.Pair(), "move the one away that doesn't hold"
		if !copied.Archived {
			hint = fmt.Sprintf("see both and decide: \"memory review %s\"", pair.ID())
		}
		c.add(memory.Error, copied.Memory.File, copied.Pointer(), copied.ID, fmt.Sprintf("a conflict copy of %s%s: %s; it is set aside, and no rule touches either",
			copied.Of.Ref, by, memory.DifferingIn(pair.Differences)), hint)
	}
	named := map[string]bool{}
	for _, m := range c.snap.Memories() {
		if name, maker := memory.StandsFor(m.File); maker != "" && !named[m.File] {
			named[m.File] = true
			c.add(memory.Warning, m.File, "", "", "named like a conflict copy of "+maker+", but no file beside it has the id "+m.ID+": read as a memory of its own", "\"memory check --fix\" renames it to "+name+" where that is free, unless you remove it")
		}
	}
}

// twins tells of directories of scopes that are one to people, and where the file system folds names.
func (c *checker) twins() {
	first := map[string]string{}
	for _, dir := range c.snap.Dirs {
		key := memory.FoldName(dir)
		if other, ok := first[key]; ok {
			c.add(memory.Warning, dir, "", "", fmt.Sprintf("the same name as %s, in another case or Unicode form: one scope to memoryd, and one directory on other file systems", other),
				"move the files of one into the other")
			continue
		}
		first[key] = dir
	}
}
