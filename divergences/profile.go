package divergences

// Profile is a behaviour that a gateway can be started with. It says in which
// register rows the gateway does what Amazon does. The zero value is Queen.
type Profile struct {
	name    string
	matches map[ID]bool
}

// The profiles that a gateway is offered with.
var (
	// Queen is the published contract: every row that is open holds.
	Queen = NewProfile("queen", queenMatches...)
	// AWS does what Amazon was recorded to do, wherever the broker can.
	AWS = NewProfile("aws", awsMatches...)
)

// NewProfile makes a profile that does what Amazon does in the given rows.
func NewProfile(name string, matches ...ID) Profile {
	p := Profile{name: name, matches: make(map[ID]bool, len(matches))}
	for _, id := range matches {
		p.matches[id] = true
	}
	return p
}

// String is the name of the profile.
func (p Profile) String() string { return p.orQueen().name }

// MatchesAmazon reports whether the gateway in this profile does what Amazon does
// in a row.
func (p Profile) MatchesAmazon(row ID) bool { return p.orQueen().matches[row] }

func (p Profile) orQueen() Profile {
	if p.matches == nil {
		return Queen
	}
	return p
}
