package replay

// The policies that Amazon quoted when it refused them, and those that the facts
// name where it quoted none, by the names of the recorded refusals.
var (
	policiesGeneral = map[string]string{
		"error-condition-list":          `{"key":[["value"]]}`,
		"error-condition-operator":      `{"key":[{"wrong-operator":true}]}`,
		"error-condition-two-operators": `{"key":[{"suffix":"value","prefix":"value2"}]}`,
	}
	policiesOfStrings = map[string]string{
		"error-condition-empty-array":                 `{"key":[]}`,
		"error-condition-is-numeric":                  `{"key":[{"suffix":100}]}`,
		"error-condition-is-none":                     `{"key":[{"suffix":null}]}`,
		"error-condition-is-not-list-and-operator":    `{"key":{"suffix":"value"}}`,
		"error-condition-empty-list":                  `{"key":[{"suffix":[]}]}`,
		"error-condition-list-wrong-type":             `{"key":[{"suffix":["test","test2"]}]}`,
		"error-condition-is-not-list-two-ops":         `{"key":{"suffix":"value","prefix":"value"}}`,
		"error-condition-is-not-list-and-no-operator": `{"key":{"not-an-operator":"value"}}`,
		"error-condition-bad-type":                    `{"key":[{"cidr":["bad-filter"]}]}`,
		"error-condition-bad-cidr-str":                `{"key":[{"cidr":"bad-filter"}]}`,
		"error-condition-bad-cidr-str-slash":          `{"key":[{"cidr":"bad-filter/64"}]}`,
		"error-condition-bad-cidr-str-slash-2":        `{"key":[{"cidr":"bad-/64filter"}]}`,
		"error-condition-bad-cidr-v4":                 `{"key":[{"cidr":"xx.11.xx/8"}]}`,
		"error-condition-bad-cidr-v6":                 `{"key":[{"cidr":"xxxx:db8:1234:1a00::/64"}]}`,
	}
	policiesOfNumbers = map[string]string{
		"error-numeric-empty":                       `{"key":[{"numeric":[]}]}`,
		"error-numeric-wrong-operator":              `{"key":[{"numeric":["operator"]}]}`,
		"error-numeric-operator-order":              `{"key":[{"numeric":[1,"<="]}]}`,
		"error-numeric-type":                        `{"key":[{"numeric":["=","000"]}]}`,
		"error-numeric-missing-value":               `{"key":[{"numeric":[">="]}]}`,
		"error-numeric-wrong-range-order":           `{"key":[{"numeric":["<",100,">",10]}]}`,
		"error-numeric-wrong-range-operators":       `{"key":[{"numeric":[">=",1,">",2]}]}`,
		"error-numeric-wrong-value-order":           `{"key":[{"numeric":[">",3,"<",1]}]}`,
		"error-numeric-missing-range-value":         `{"key":[{"numeric":[">",20,"<="]}]}`,
		"error-numeric-missing-range-operator":      `{"key":[{"numeric":[">",20,30]}]}`,
		"error-numeric-wrong-second-range-operator": `{"key":[{"numeric":[">",20,"test"]}]}`,
		"error-numeric-wrong-range-value-1-type":    `{"key":[{"numeric":[">","20","<","30"]}]}`,
		"error-numeric-wrong-range-value-2-type":    `{"key":[{"numeric":[">",20,"<","30"]}]}`,
		"error-numeric-too-many-range":              `{"key":[{"numeric":[">",20,"<",30,"<",50]}]}`,
	}
	policiesOfExists = map[string]string{
		"error-condition-none":   `{"key":[{"exists":null}]}`,
		"error-condition-string": `{"key":[{"exists":"no"}]}`,
	}
	policiesOfAnythingBut = map[string]string{
		"error-condition-wrong-operator":                 `{"key":[{"anything-but":{"wrong-operator":null}}]}`,
		"error-condition-anything-but-suffix":            `{"key":[{"anything-but":{"suffix":"test"}}]}`,
		"error-condition-anything-but-exists":            `{"key":[{"anything-but":{"exists":false}}]}`,
		"error-condition-anything-but-prefix-wrong-type": `{"key":[{"anything-but":{"prefix":false}}]}`,
	}
)
