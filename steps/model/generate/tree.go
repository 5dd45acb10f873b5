package generate

import (
	"maps"
	"slices"
)

// at finds the value at a path of names and positions.
func at(tree any, path []any) (any, bool) {
	for _, step := range path {
		switch t := tree.(type) {
		case map[string]any:
			name, _ := step.(string)
			next, ok := t[name]
			if !ok {
				return nil, false
			}
			tree = next
		case []any:
			i, ok := step.(int)
			if !ok || i >= len(t) {
				return nil, false
			}
			tree = t[i]
		default:
			return nil, false
		}
	}
	return tree, true
}

// with is a copy of the tree with another value at the path.
func with(tree map[string]any, path []any, v any) map[string]any {
	return change(tree, path, func(m map[string]any, name string) { m[name] = v }).(map[string]any)
}

// without is a copy of the tree without the member at the path.
func without(tree map[string]any, path []any) map[string]any {
	return change(tree, path, func(m map[string]any, name string) { delete(m, name) }).(map[string]any)
}

func change(tree any, path []any, do func(m map[string]any, name string)) any {
	switch t := tree.(type) {
	case map[string]any:
		m := maps.Clone(t)
		name := path[0].(string)
		if len(path) == 1 {
			do(m, name)
			return m
		}
		m[name] = change(m[name], path[1:], do)
		return m
	case []any:
		list := slices.Clone(t)
		i := path[0].(int)
		list[i] = change(list[i], path[1:], do)
		return list
	}
	panic("the path leads nowhere")
}
