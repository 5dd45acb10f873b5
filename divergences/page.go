package divergences

import _ "embed"

//go:embed register.html
var page []byte

// Page is the register as one HTML page that needs nothing else: a person can
// search it and filter it by surface and class. It must not be changed.
func Page() []byte { return page }
