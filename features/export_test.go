package features

// Suite is what TestFeatures runs, for the tests that hold it against the
// harness, which imports this package.
var Suite = suite
