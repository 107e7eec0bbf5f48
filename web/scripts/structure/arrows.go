package main

import (
	"go/types"
	"maps"
	"slices"
)

// graph has for each file the files whose functions, methods, types, variables or constants it names.
type graph map[string]map[string]bool

// arrows draws the graph of a package. Fields draw no arrow: the type that has them does.
func (p *program) arrows() graph {
	drawn := graph{}
	for identifier, object := range p.info.Uses {
		if object.Pkg() != p.types || !object.Pos().IsValid() {
			continue
		}
		function, isFunction := object.(*types.Func)
		isMethod := isFunction && function.Signature().Recv() != nil
		if object.Parent() != p.types.Scope() && !isMethod {
			continue
		}
		if from, to := p.file(identifier.Pos()), p.file(object.Pos()); from != to {
			drawn.add(from, to)
		}
	}
	return drawn
}

func (g graph) add(from, to string) {
	for _, file := range []string{from, to} {
		if g[file] == nil {
			g[file] = map[string]bool{}
		}
	}
	g[from][to] = true
}

// count is how many arrows there are.
func (g graph) count() int {
	sum := 0
	for _, to := range g {
		sum += len(to)
	}
	return sum
}

// upward counts the arrows that run back up where each file stands above most of the files that it names. The
// files are first laid by order, then each one moves to the place where fewest arrows run up, until no move
// helps.
func (g graph) upward() int {
	order := g.order()
	place := func() map[string]int {
		at := map[string]int{}
		for i, file := range order {
			at[file] = i
		}
		return at
	}
	for moved := true; moved; {
		moved = false
		for _, file := range slices.Sorted(maps.Keys(g)) {
			from := place()[file]
			best, bestGain, gain := from, 0, 0
			for i := from - 1; i >= 0; i-- { // Up: what it names is then below it, what names it too.
				gain += g.weight(file, order[i]) - g.weight(order[i], file)
				if gain > bestGain {
					best, bestGain = i, gain
				}
			}
			gain = 0
			for i := from + 1; i < len(order); i++ {
				gain += g.weight(order[i], file) - g.weight(file, order[i])
				if gain > bestGain {
					best, bestGain = i, gain
				}
			}
			if best != from {
				order = slices.Insert(slices.Delete(order, from, from+1), best, file)
				moved = true
			}
		}
	}
	up, at := 0, place()
	for from, names := range g {
		for to := range names {
			if at[to] < at[from] {
				up++
			}
		}
	}
	return up
}

// weight is 1 where from names to, else 0.
func (g graph) weight(from, to string) int {
	if g[from][to] {
		return 1
	}
	return 0
}

// order lays the files from the top floor down. A file that no other names goes to the top, a file that names
// no other goes to the bottom. In a circle the file that names most and is named least goes to the top.
func (g graph) order() []string {
	left := slices.Sorted(maps.Keys(g))
	var top, bottom []string
	for len(left) > 0 {
		best, bestScore := 0, -len(g)
		isTop := true
		for i, file := range left {
			names, named := 0, 0
			for _, other := range left {
				names += g.weight(file, other)
				named += g.weight(other, file)
			}
			if names == 0 {
				best, isTop = i, false
				break
			}
			if named == 0 {
				best = i
				break
			}
			if names-named > bestScore {
				best, bestScore = i, names-named
			}
		}
		if isTop {
			top = append(top, left[best])
		} else {
			bottom = append(bottom, left[best])
		}
		left = slices.Delete(left, best, best+1)
	}
	slices.Reverse(bottom)
	return append(top, bottom...)
}

// calledBack counts the methods of the package's own interfaces named env or Env: through each of them the
// package calls what stands above it, so that each is an arrow upward as well.
func (p *program) calledBack() int {
	sum := 0
	for _, name := range []string{"env", "Env"} {
		if object := p.types.Scope().Lookup(name); object != nil {
			if face, ok := object.Type().Underlying().(*types.Interface); ok {
				sum += face.NumMethods()
			}
		}
	}
	return sum
}
