// Package recorded holds answers of Amazon SQS and SNS that are on record. The
// data is LocalStack's, under the Apache License 2.0; see NOTICE.
package recorded

import (
	"bytes"
	"embed"
	"encoding/json"
	"fmt"
	"strings"
	"time"
)

//go:embed *.snapshot.json
var files embed.FS

// Test is what one test of the suites recorded.
type Test struct {
	// Suite is the file's name without its ending, Name the test's with its
	// parameters and without file and class.
	Suite, Name string
	// Date is the day on which Amazon answered so, DD-MM-YYYY.
	Date string
	// Answers are the recorded answers by the names the test gave them, decoded
	// with json.Number for numbers.
	Answers map[string]any
}

// Suites are the names of the files, those of SQS first.
func Suites() []string {
	return []string{"test_sqs", "test_sqs_move_task", "test_sns", "test_sns_filter_policy"}
}

// Tests are the tests of a suite by their names.
func Tests(suite string) (map[string]Test, error) {
	data, err := files.ReadFile(suite + ".snapshot.json")
	if err != nil {
		return nil, err
	}
	var all map[string]struct {
		Date    string         `json:"recorded-date"`
		Content map[string]any `json:"recorded-content"`
	}
	d := json.NewDecoder(bytes.NewReader(data))
	d.UseNumber()
	if err := d.Decode(&all); err != nil {
		return nil, fmt.Errorf("%s: %w", suite, err)
	}
	tests := make(map[string]Test, len(all))
	for id, t := range all {
		// A parameter can hold "::" itself; file and class cannot hold "[".
		plain, parameters, _ := strings.Cut(id, "[")
		name := plain[strings.LastIndex(plain, "::")+2:]
		if parameters != "" {
			name += "[" + parameters
		}
		if _, twice := tests[name]; twice {
			return nil, fmt.Errorf("%s has two tests named %s", suite, name)
		}
		date, _, _ := strings.Cut(t.Date, ",")
		tests[name] = Test{suite, name, date, t.Content}
	}
	return tests, nil
}

// Strings are all texts in the recorded answers.
func Strings() ([]string, error) {
	var all []string
	var walk func(any)
	walk = func(v any) {
		switch t := v.(type) {
		case string:
			all = append(all, t)
		case map[string]any:
			for _, item := range t {
				walk(item)
			}
		case []any:
			for _, item := range t {
				walk(item)
			}
		}
	}
	for _, suite := range Suites() {
		tests, err := Tests(suite)
		if err != nil {
			return nil, err
		}
		for _, test := range tests {
			walk(test.Answers)
		}
	}
	return all, nil
}

// Days are the days of the recorded answers, YYYY-MM-DD, by the names of the
// tests without parameters. Of a test whose variants were recorded on several
// days it is the newest. A test of which no answer is on file has none.
func Days() (map[string]string, error) {
	days := map[string]string{}
	for _, suite := range Suites() {
		tests, err := Tests(suite)
		if err != nil {
			return nil, err
		}
		for variant, test := range tests {
			if len(test.Answers) == 0 {
				continue
			}
			day, err := time.Parse("02-01-2006", test.Date)
			if err != nil {
				return nil, fmt.Errorf("%s: %w", variant, err)
			}
			name, _, _ := strings.Cut(variant, "[")
			days[name] = max(days[name], day.Format(time.DateOnly))
		}
	}
	return days, nil
}
