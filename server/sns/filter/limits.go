package filter

import "strings"

// The limits of a policy. Five keys and a complexity of 150 were recorded from
// AWS with their texts; 256 KiB is documented without one.
const (
	// mostKeys is how many keys the top level of a policy may have. Keys below it
	// are not counted.
	mostKeys = 5
	// mostCombinations is the highest complexity.
	mostCombinations = 150
	// mostBytes is the size of a policy's text.
	mostBytes = 256 << 10
)

// mostLevels is how deep a JSON text may nest, in policies and in bodies: the
// limit of the parser that AWS names in its errors. A dot in the key of a body
// is a level too.
const mostLevels = 1000

// checkLimits answers what a well-formed policy breaks. A syntax error wins over
// all of these, as recorded.
func checkLimits(o *object, scope Scope) *Error {
	if scope == MessageAttributes && o.nested() {
		return &Error{invalidParameter + "Filter policy scope MessageAttributes does not support nested filter policy"}
	}
	if len(o.fields) > mostKeys {
		return refuse("Filter policy can not have more than 5 keys")
	}
	if o.combinations(1) > mostCombinations || scope == MessageBody && o.levels() > mostLevels {
		return refuse("Filter policy is too complex")
	}
	return nil
}

func (o *object) nested() bool {
	for _, f := range o.fields {
		if f.object != nil {
			return true
		}
		for _, branch := range f.or {
			if branch.nested() {
				return true
			}
		}
	}
	return false
}

// levels is the length of the longest path, where a dot in a key is a step.
func (o *object) levels() int {
	most := 0
	for _, f := range o.fields {
		if f.or == nil {
			below := 0
			if f.object != nil {
				below = f.object.levels()
			}
			most = max(most, strings.Count(f.name, ".")+1+below)
		}
		for _, branch := range f.or {
			most = max(most, branch.levels())
		}
	}
	return most
}

// combinations is the complexity: the product over the keys of the number of
// values times the depth of the key, where $or adds up its branches and is no
// level of its own. It stops counting once the limit is passed.
func (o *object) combinations(depth int) int {
	product := 1
	for _, f := range o.fields {
		factor := 0
		switch {
		case f.rules != nil:
			factor = f.rules.count * depth
		case f.object != nil:
			factor = f.object.combinations(depth + 1)
		}
		for _, branch := range f.or {
			factor = min(factor+branch.combinations(depth), mostCombinations+1)
		}
		product = min(product*factor, mostCombinations+1)
	}
	return product
}
